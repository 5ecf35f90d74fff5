/**
 * Problems: errors with a code, a status and a message in each language, which callers receive in the error
 * envelope.
 */

import type { FieldError } from './field-error.ts';
import type { JsonObject } from './json.ts';
import type { Label } from './messages/messages.ts';
import { type ProblemName, problemTable } from './problem-table.ts';

export interface ProblemDetails {
  /** Values for the placeholders of the message, e.g. `{name}`. The caller sees them: nothing secret. */
  readonly params?: Readonly<Record<string, string | number>>;
  /** Response headers that belong to the refusal: WWW-Authenticate, Allow, Retry-After. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Set on `invalid_record` only. */
  readonly errors?: readonly FieldError[];
  /** The `data` of the envelope, with which the caller can continue; never set along with `errors`. */
  readonly data?: JsonObject;
  /** The underlying error, for the log; never part of a response. */
  readonly cause?: unknown;
}

/** A problem of the application, created by `defineProblem`. */
export interface OwnProblem {
  /** Code of the envelope: status × 100 + a number from 50 to 99. */
  readonly code: number;
  /** Placeholders in braces are filled with the `params` of the problem. */
  readonly message: Label;
}

const causeOf = ({ cause }: ProblemDetails): ErrorOptions | undefined =>
  cause === undefined ? undefined : { cause };

/** A row of the service's table, or a problem of the application. */
export type ProblemKind = ProblemName | OwnProblem;

/** Returns the code of the envelope of a kind of problem. */
export const problemCode = (kind: ProblemKind): number =>
  typeof kind === 'string' ? problemTable[kind] : kind.code;

/** An error with an error envelope as its response. Any other error becomes `internal`. */
export class Problem extends Error {
  readonly kind: ProblemKind;
  /** The name of the row; `application` for a problem of the application. */
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

/** Creates the problem of a lack of capacity. `retryAfter` in seconds; `cause` is for the log only. */
export const overloaded = (cause?: unknown, retryAfter = 1): Problem =>
  new Problem('overloaded', { headers: { 'Retry-After': String(retryAfter) }, cause });
