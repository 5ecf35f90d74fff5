import type { BusyTime } from '../kernel/current-work.ts';

/** A response that was sent. A stream of events, which has no end of its own, counts as sent when it begins. */
export interface SentAnswer {
  /** Method of the request. */
  readonly method: string;
  readonly status: number;
  /** Code of the envelope; undefined unless it is a refusal or a failure. */
  readonly code: number | undefined;
  /** From the arrival of the request. */
  readonly milliseconds: number;
  /** Time of these in which at least one database statement of the request ran or waited. */
  readonly databaseMilliseconds: number;
}

export type AnswerObserver = (sent: SentAnswer) => void;

/** A request as far as its answer is measured. */
interface Measured {
  readonly method: string;
  /** By `performance.now()`. */
  readonly arrived: number;
  readonly database: BusyTime;
  readonly observe: AnswerObserver | undefined;
}

/** Measures a response once it is sent; `rest` is the result of `Responder.send`. */
export const observeAnswer = (
  { method, arrived, database, observe }: Measured,
  { status, code, type }: { readonly status: number; readonly code?: number; readonly type: string },
  rest: Promise<void> | undefined,
): void => {
  if (observe === undefined) return;
  const measure = (): void => {
    const now = performance.now();
    const databaseMilliseconds = database.until(now);
    observe({ method, status, code, milliseconds: now - arrived, databaseMilliseconds });
  };
  if (rest === undefined || type === 'text/event-stream') measure();
  else void rest.then(measure);
};
