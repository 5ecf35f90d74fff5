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
  let afterwards: (() => void)[] = [];
  const answer = await database.write((transaction) => {
    const mine: (() => void)[] = [];
    afterwards = mine;
    return work({ transaction, committed: (done) => void mine.push(done) });
  }, table);
  for (const done of afterwards) done();
  return answer;
};
