/**
 * The rest that deleted values leave in the files of a database. `secure_delete` overwrites them in tables. But an
 * index of words only marks the words of a deleted row, and the write-ahead log keeps former pages until it is cut off.
 */

import { setTimeout as delay } from 'node:timers/promises';
import type { Database, Transaction } from '../database.ts';
import { quoteName } from '../quote.ts';
import { SqliteConnection } from './connection.ts';
import { isBusy } from './errors.ts';

/** Pages of an index that one step writes, so that it does not noticeably delay other writes. */
const pagesOfStep = 64;

/** Milliseconds between two attempts to cut off the log, and their number. */
const logPauseMs = 100;
const logAttempts = 50;

const changes = async (transaction: Transaction): Promise<number> =>
  (await transaction.get<{ changes: number }>({ sql: 'select total_changes() as changes', parameters: [] }))
    ?.changes ?? 0;

/** One step of a merge. Returns false if there was nothing to merge: FTS5 reports that as less than two changes. */
const mergeStep = async (transaction: Transaction, table: string, pages: number): Promise<boolean> => {
  const name = quoteName(table);
  const before = await changes(transaction);
  await transaction.run({
    sql: `insert into ${name} (${name}, rank) values ('merge', ?)`,
    parameters: [pages],
  });
  return (await changes(transaction)) - before >= 2;
};

/**
 * Merges each index of words into one part, without the words of deleted rows, in steps with a pause between them
 * (https://sqlite.org/fts5.html#the_merge_command).
 */
export const mergeWords = async (database: Pick<Database, 'all' | 'write'>, pause: number): Promise<void> => {
  const tables = await database.all<{ name: string }>({
    sql: `select name from sqlite_schema where type = 'table' and sql like '%using fts5(%contentless_delete=1%'`,
    parameters: [],
  });
  // A negative number of pages begins a merge of all parts.
  for (const { name } of tables)
    for (let pages = -pagesOfStep; ; pages = pagesOfStep) {
      if (!(await database.write((transaction) => mergeStep(transaction, name, pages)))) break;
      await delay(pause);
    }
};

/** Makes one attempt. Returns false where a write or a read of any process is in the way. */
const tryToTruncate = (connection: SqliteConnection): boolean => {
  try {
    const query = { sql: 'pragma wal_checkpoint(truncate)', parameters: [] };
    return connection.get<{ busy: number }>(query)?.busy === 0;
  } catch (error) {
    if (isBusy(error)) return false;
    throw connection.toError(error);
  }
};

/**
 * Writes the log into the file and cuts it off. It takes a connection of its own, since that of the writer may be
 * within a transaction. Returns false where reads or writes were in the way at every attempt.
 */
export const truncateLog = async (path: string): Promise<boolean> => {
  const connection = new SqliteConnection(path, 'writer');
  try {
    for (let attempt = 1; attempt <= logAttempts; attempt += 1) {
      if (tryToTruncate(connection)) return true;
      await delay(logPauseMs);
    }
    return false;
  } finally {
    connection.close();
  }
};
