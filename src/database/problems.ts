import { Problem } from '../kernel/problem.ts';

/** The database is away, busy for too long, full or broken. `cause` is logged, never answered. */
export const databaseUnavailable = (cause: unknown): Problem =>
  new Problem('database_unavailable', { headers: { 'Retry-After': '5' }, cause });

/** The driver's own error inside one of the store. */
export const originalError = (error: unknown): unknown =>
  error instanceof Problem ? originalError(error.cause) : error;

/** Code of an application held a transaction for too long; nothing of it was written. `limit` in milliseconds. */
export const transactionTimeout = (limit: number): Problem =>
  new Problem('transaction_timeout', {
    headers: { 'Retry-After': '5' },
    cause: new Error(`A transaction took longer than ${limit / 1000} s; it was rolled back`),
  });

/**
 * A write that was sent, and whose answer never came: it may be committed or not. No `Retry-After`: only
 * with an `Idempotency-Key` may it be sent again without a second look.
 */
export const outcomeUnknown = (cause: unknown): Problem => new Problem('outcome_unknown', { cause });

export const isOutcomeUnknown = (error: unknown): boolean =>
  error instanceof Problem && error.problem === 'outcome_unknown';
