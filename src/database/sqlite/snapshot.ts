import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import { setImmediate as turn } from 'node:timers/promises';
import { behind, quoteName } from '../quote.ts';
import type { CanonicalRow, TableSnapshot } from '../target.ts';
import { isDamage, namingFile } from './errors.ts';

/** UTF-16 units of texts in a batch, about. */
const batchLength = 1 << 20;

/** How long another process may hold the file while it is opened, in milliseconds. */
const busyTimeout = 10_000;

const canonical = (value: SQLOutputValue): string | null => {
  if (value === null) return null;
  return value instanceof Uint8Array ? `\\x${Buffer.from(value).toString('hex')}` : String(value);
};

const lengthOf = (row: CanonicalRow): number => row.reduce((sum, value) => sum + (value?.length ?? 0), 16);

async function* rowsOf(
  database: DatabaseSync,
  table: string,
  columns: readonly string[],
  from: Parameters<TableSnapshot['rows']>[2],
): AsyncIterableIterator<readonly CanonicalRow[]> {
  const statement = database.prepare(
    `select ${columns.map(quoteName).join(', ') || 'null'} from ${quoteName(table)} ${behind(table, from)}`,
  );
  statement.setReadBigInts(true);
  statement.setReturnArrays(true);
  let batch: CanonicalRow[] = [];
  let length = 0;
  for (const values of statement.iterate() as Iterable<unknown> as Iterable<SQLOutputValue[]>) {
    const row = values.map(canonical);
    batch.push(row);
    length += lengthOf(row);
    if (length < batchLength) continue;
    yield batch;
    [batch, length] = [[], 0];
    // Signals are heard between two batches.
    await turn();
  }
  if (batch.length > 0) yield batch;
}

/** The state that a connection sees: it must not be written through it. */
export const snapshotOf = (database: DatabaseSync): TableSnapshot => ({
  dialect: 'sqlite',
  ask: async <Row>(sql: string) => database.prepare(sql).all() as Row[],
  rows: (table, columns, from) => rowsOf(database, table, columns, from),
  isDamage,
});

/**
 * Opens a file for reading and keeps the state that it has now: writers of a file with a write-ahead log go on, and the
 * log grows until the work is over.
 */
export const withFrozen = async <T>(
  path: string,
  work: (database: DatabaseSync) => Promise<T>,
): Promise<T> => {
  const database = new DatabaseSync(path, { readOnly: true, timeout: busyTimeout });
  try {
    try {
      database.exec('pragma trusted_schema = off; begin; select count(*) from sqlite_schema');
    } catch (error) {
      throw namingFile(path, error);
    }
    return await work(database);
  } finally {
    database.close();
  }
};

export const onSqliteSnapshot = <T>(
  path: string,
  work: (snapshot: TableSnapshot) => Promise<T>,
): Promise<T> => withFrozen(path, (database) => work(snapshotOf(database)));
