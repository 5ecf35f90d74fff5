/** One violated rule of one field. */
export interface FieldError {
  readonly field: string;
  readonly rule: string;
  /** The whole sentence, label included. */
  readonly message: string;
}

export interface ErrorDetails {
  /** HTTP status; 0 where no response arrived. */
  readonly status: number;
  /** Code of the envelope (status × 100 + n); 0 where the response was not the service's. */
  readonly code: number;
  readonly message: string;
  readonly errors?: readonly FieldError[];
  /** Seconds after which the service asks for a retry. */
  readonly retryAfter?: number | undefined;
  /** Data of the response beside code and message. */
  readonly data?: unknown;
  readonly cause?: unknown;
}

/** The failure of a call: a refusal of the service, a response of another server, or no response. */
export class GatewrightError extends Error {
  readonly status: number;
  readonly code: number;
  /** The violations of the fields of a record (422); empty for every other error. */
  readonly errors: readonly FieldError[];
  readonly retryAfter: number | undefined;
  /** Data for the next step: the ticket of a sign-in that requires a second factor. */
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
