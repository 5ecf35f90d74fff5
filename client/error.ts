/** One violated rule of one field. */
export interface FieldError {
  readonly field: string;
  readonly rule: string;
  /** The whole sentence, label included. */
  readonly message: string;
}

export interface ErrorDetails {
  /** HTTP status; 0 where no answer came. */
  readonly status: number;
  /** Code of the envelope (status × 100 + n); 0 where the answer was none of the service's. */
  readonly code: number;
  readonly message: string;
  readonly errors?: readonly FieldError[];
  /** Seconds after which the service asks to be tried again. */
  readonly retryAfter?: number | undefined;
  /** The parts of the response beside code and message. */
  readonly data?: unknown;
  readonly cause?: unknown;
}

/** Whatever kept a call from succeeding: a refusal of the service, an answer that is none of its own, or no answer. */
export class GatewrightError extends Error {
  readonly status: number;
  readonly code: number;
  /** The violations of the fields of a record (422); empty for every other error. */
  readonly errors: readonly FieldError[];
  readonly retryAfter: number | undefined;
  /** The data that the caller can go on with: the ticket of a sign-in that asks for a second factor. */
  readonly data: unknown;

  constructor({ status, code, message, errors = [], retryAfter, data, cause }: ErrorDetails) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'GatewrightError';
    this.status = status;
    this.code = code;
    this.errors = errors;
    this.retryAfter = retryAfter;
    this.data = data;
  }

  /** The messages of each field, as a form shows them. */
  get fields(): Readonly<Record<string, readonly string[]>> {
    const fields: Record<string, string[]> = Object.create(null);
    for (const { field, message } of this.errors) {
      fields[field] ??= [];
      fields[field].push(message);
    }
    return fields;
  }
}
