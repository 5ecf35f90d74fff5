import type { Transaction } from '../../database.ts';
import { isConflict, isStalePlan } from './errors.ts';
import type { Session } from './sessions.ts';
import { UnitTransaction } from './unit-transaction.ts';

export type Unit<T> = (transaction: Transaction) => Promise<T>;

/** How long a unit may hold its connection, in milliseconds. */
const unitLimit = 30_000;

const withinLimit = async <T>(session: Session, result: Promise<T>): Promise<T> => {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    // A statement may still be on its way, so the connection cannot be used again.
    session.discard();
    reject(new Error(`A unit of writing took longer than ${unitLimit} ms; it was undone`));
  }, unitLimit);
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
 * Runs the unit once. SERIALIZABLE: units behave as if they ran one after the other, as they do on SQLite. An answer
 * to COMMIT that is lost leaves the outcome unknown; it is thrown, never repeated.
 */
export const runUnit = async <T>(session: Session, unit: Unit<T>): Promise<T> => {
  await session.runOnce('begin isolation level serializable');
  const transaction = new UnitTransaction(session);
  try {
    const value = await withinLimit(session, unit(transaction));
    await transaction.settled();
    const { command } = await session.runOnce('commit');
    if (command !== 'COMMIT') throw new Error(`The server answered COMMIT with ${command}`);
    return value;
  } catch (error) {
    transaction.end();
    await rollback(session);
    // A unit may have put an error of its own in the place of a conflict.
    const refused = transaction.failure?.error;
    throw isConflict(refused) || isStalePlan(refused) ? refused : error;
  }
};
