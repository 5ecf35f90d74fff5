import { type ProblemName, problemTable, statusOf } from './problem-table.ts';

/** One violated rule of one field, as answered under `data.errors` of a validation error. */
export interface FieldError {
  readonly field: string;
  readonly rule: string;
  /** The whole sentence, label included. */
  readonly message: string;
}

export interface ProblemDetails {
  /** Values for the placeholders of the message, e.g. `{name}`. Answered to the caller: nothing secret. */
  readonly params?: Readonly<Record<string, string | number>>;
  /** Response headers that belong to the refusal: WWW-Authenticate, Allow, Retry-After. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Set on `invalid_record` only. */
  readonly errors?: readonly FieldError[];
  /** What really happened: logged, never answered. */
  readonly cause?: unknown;
}

/** A refusal that the service answers as an error envelope. Whatever else is thrown is answered as `internal`. */
export class Problem extends Error {
  readonly problem: ProblemName;
  readonly params: Readonly<Record<string, string | number>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly errors: readonly FieldError[] | undefined;

  constructor(problem: ProblemName, details: ProblemDetails = {}) {
    super(problem, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'Problem';
    this.problem = problem;
    this.params = details.params ?? {};
    this.headers = details.headers ?? {};
    this.errors = details.errors;
  }

  get status(): number {
    return statusOf(this.problem);
  }

  get code(): number {
    return problemTable[this.problem];
  }
}

/** There is more to do than may be taken. `retryAfter` in seconds; `cause` is logged, never answered. */
export const overloaded = (cause?: unknown, retryAfter = 1): Problem =>
  new Problem('overloaded', { headers: { 'Retry-After': String(retryAfter) }, cause });
