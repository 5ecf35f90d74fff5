import type { FieldError } from './field-error.ts';
import type { JsonObject } from './json.ts';
import type { Label } from './messages/messages.ts';
import { type ProblemName, problemTable } from './problem-table.ts';

export interface ProblemDetails {
  /** Values for the placeholders of the message, e.g. `{name}`. Answered to the caller: nothing secret. */
  readonly params?: Readonly<Record<string, string | number>>;
  /** Response headers that belong to the refusal: WWW-Authenticate, Allow, Retry-After. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Set on `invalid_record` only. */
  readonly errors?: readonly FieldError[];
  /** What the caller goes on with, answered as `data`; never together with `errors`. */
  readonly data?: JsonObject;
  /** What really happened: logged, never answered. */
  readonly cause?: unknown;
}

/** What a problem of an application is; made by `defineProblem`. */
export interface OwnProblem {
  /** Code of the envelope: status × 100 + a number from 50 to 99. */
  readonly code: number;
  /** Placeholders in braces are filled with what the problem was made with. */
  readonly message: Label;
}

const causeOf = ({ cause }: ProblemDetails): ErrorOptions | undefined =>
  cause === undefined ? undefined : { cause };

/** What a problem is: a row of the service's table, or one of the application's own. */
export type ProblemKind = ProblemName | OwnProblem;

/** The code that a kind of problem is answered with. */
export const problemCode = (kind: ProblemKind): number =>
  typeof kind === 'string' ? problemTable[kind] : kind.code;

/** A refusal that the service answers as an error envelope. Whatever else is thrown is answered as `internal`. */
export class Problem extends Error {
  /** A row of the service's table, or one of the application's own. */
  readonly kind: ProblemKind;
  /** The name of that row; `application` for one of the application's own. */
  readonly problem: ProblemName | 'application';
  readonly code: number;
  readonly params: Readonly<Record<string, string | number>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly errors: readonly FieldError[] | undefined;
  readonly data: JsonObject | undefined;

  constructor(kind: ProblemKind, details: ProblemDetails = {}) {
    super(typeof kind === 'string' ? kind : `application ${kind.code}`, causeOf(details));
    this.name = 'Problem';
    this.kind = kind;
    this.problem = typeof kind === 'string' ? kind : 'application';
    this.code = problemCode(kind);
    this.params = details.params ?? {};
    this.headers = details.headers ?? {};
    this.errors = details.errors;
    this.data = details.data;
  }

  get status(): number {
    return Math.floor(this.code / 100);
  }
}

/** There is more to do than may be taken. `retryAfter` in seconds; `cause` is logged, never answered. */
export const overloaded = (cause?: unknown, retryAfter = 1): Problem =>
  new Problem('overloaded', { headers: { 'Retry-After': String(retryAfter) }, cause });
