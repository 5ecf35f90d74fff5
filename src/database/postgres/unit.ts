/** One run of a unit on PostgreSQL: begin, deadline, commit or rollback, and the outcome of a lost COMMIT. */

import type { Unit } from '../database.ts';
import { databaseUnavailable, transactionTimeout } from '../problems.ts';
import type { CommitWatch } from './commit-watch.ts';
import { isConflict, isStalePlan } from './errors.ts';
import type { Session } from './sessions.ts';
import { PostgresTransaction } from './transaction.ts';

/** In milliseconds. */
export interface UnitLimits {
  /** Time of a unit with code of an application: what is left of the whole. */
  readonly limit?: { readonly left: number; readonly whole: number } | undefined;
  /** Time of a unit of the service. */
  readonly service?: number | undefined;
}

/** Longest time for which a unit holds its connection, unless another limit is given. */
const unitLimitMs = 30_000;

const tooLong = (limit: number): unknown =>
  databaseUnavailable(new Error(`A unit of writing took longer than ${limit} ms; it was undone`));

const withinLimit = async <T>(
  session: Session,
  result: Promise<T>,
  limit: number,
  expired: (limit: number) => unknown,
): Promise<T> => {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    // A statement may still be on its way, so the connection cannot be used again.
    session.discard();
    reject(expired(limit));
  }, limit);
  try {
    return await Promise.race([result, promise]);
  } finally {
    clearTimeout(timer);
  }
};

const rollback = async (session: Session): Promise<void> => {
  if (session.lost) return;
  try {
    await session.runOnce('rollback');
  } catch {
    // The server undoes the transaction when the connection is closed.
    session.discard();
  }
};

/**
 * Runs the unit once. SERIALIZABLE: units behave as if they ran one after the other, as they do on SQLite. An answer to
 * COMMIT that is lost leaves the outcome unknown: that is thrown, never repeated. Before COMMIT, whatever breaks leaves
 * nothing behind. `refusedAt` gets the statement that was refused before the error is thrown; empty where none was.
 */
export const runUnit = async <T>(
  session: Session,
  unit: Unit<T>,
  { limit, service = unitLimitMs }: UnitLimits = {},
  watch?: CommitWatch,
  refusedAt?: (sql: string) => void,
): Promise<T> => {
  await session.runOnce('begin isolation level serializable');
  const transaction = new PostgresTransaction(session, watch);
  try {
    const value =
      limit === undefined
        ? await withinLimit(session, unit(transaction), service, tooLong)
        : await withinLimit(session, unit(transaction), limit.left, () => transactionTimeout(limit.whole));
    await transaction.commit();
    return value;
  } catch (error) {
    transaction.end();
    await rollback(session);
    // A unit may have put an error of its own in the place of a conflict.
    const { error: refused, sql = '' } = transaction.failure ?? {};
    refusedAt?.(sql);
    throw isConflict(refused) || isStalePlan(refused) ? refused : error;
  }
};
