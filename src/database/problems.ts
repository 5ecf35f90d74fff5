import { Problem } from '../kernel/problem.ts';

/** The problem of a database that is unreachable, busy for too long, full or broken. `cause` is only logged. */
export const databaseUnavailable = (cause: unknown): Problem =>
  new Problem('database_unavailable', { headers: { 'Retry-After': '5' }, cause });

/**
 * The problem of stored data that cannot be read any more. No `Retry-After`: only an operator can put it right. `cause`
 * is only logged.
 */
export const databaseDamaged = (cause: unknown): Problem => new Problem('database_damaged', { cause });

/** The driver's error within an error of the port. */
export const originalError = (error: unknown): unknown =>
  error instanceof Problem ? originalError(error.cause) : error;

/**
 * The problem of a transaction that an application's code kept open too long; it was rolled back. `limit`:
 * milliseconds.
 */
export const transactionTimeout = (limit: number): Problem =>
  new Problem('transaction_timeout', {
    headers: { 'Retry-After': '5' },
    cause: new Error(`A transaction took longer than ${limit / 1000} s; it was rolled back`),
  });

export const isTransactionTimeout = (error: unknown): boolean =>
  error instanceof Problem && error.problem === 'transaction_timeout';

/**
 * The problem of a write without a response, which may be committed or not. No `Retry-After`: it can be repeated safely
 * only with an `Idempotency-Key`.
 */
export const outcomeUnknown = (cause: unknown): Problem => new Problem('outcome_unknown', { cause });

export const isOutcomeUnknown = (error: unknown): boolean =>
  error instanceof Problem && error.problem === 'outcome_unknown';
