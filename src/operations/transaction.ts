import type { Database, Transaction } from '../store/database.ts';

/** A transaction that several operations share, and what is to be done once it is durable. */
export interface SharedTransaction {
  readonly transaction: Transaction;
  /** Runs `done` when the transaction is committed; never where it is rolled back. */
  committed(done: () => void): void;
}

/**
 * Runs operations in one transaction: all or nothing, durable when it resolves. It may run again after a conflict, and
 * what the runs before it had asked for is forgotten. Where `table` says what it is mostly about, a lock on that table
 * keeps no others waiting.
 */
export const together = async <T>(
  database: Database,
  work: (shared: SharedTransaction) => Promise<T>,
  table?: string,
): Promise<T> => {
  const { answer, afterwards } = await database.write(async (transaction) => {
    const waiting: (() => void)[] = [];
    const committed = (done: () => void): void => void waiting.push(done);
    return { answer: await work({ transaction, committed }), afterwards: waiting };
  }, table);
  for (const done of afterwards) done();
  return answer;
};
