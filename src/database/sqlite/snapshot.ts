/** One state of all tables of a SQLite file, each value as the text that it has on every database. */

import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import { setImmediate as turn } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { behind, quoteName } from '../quote.ts';
import type { ServiceNames } from '../service-names.ts';
import type { CanonicalRow, TableSnapshot } from '../target.ts';
import { sqliteDialectWith } from './dialect.ts';
import { isDamage, namingFile, whyUnwritable } from './errors.ts';

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
  quotedTable: string,
  columns: readonly string[],
  from: Parameters<TableSnapshot['rows']>[2],
): AsyncIterableIterator<readonly CanonicalRow[]> {
  const statement = database.prepare(
    `select ${columns.map(quoteName).join(', ') || 'null'} from ${quotedTable} ${behind(quotedTable, from)}`,
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
export const snapshotOf = (database: DatabaseSync, names: ServiceNames): TableSnapshot => ({
  dialect: sqliteDialectWith(names),
  ask: async <Row>(sql: string) => database.prepare(sql).all() as Row[],
  rows: (table, columns, from) => rowsOf(database, names.quoted(table), columns, from),
  isDamage,
});

/** A file on a read-only volume beside which no log lies: no process writes it, so it needs no lock. */
const isUnchangeable = (path: string): boolean =>
  whyUnwritable(dirname(resolve(path))) === 'EROFS' && !existsSync(`${path}-wal`);

/** SQLite then opens no other file, which it could not make there. */
const immutably = (path: string): URL => {
  const url = pathToFileURL(path);
  url.searchParams.set('immutable', '1');
  return url;
};

const openFrozen = (path: string, unchangeable: boolean): DatabaseSync => {
  let database: DatabaseSync | undefined;
  try {
    const place = unchangeable ? immutably(path) : path;
    database = new DatabaseSync(place, { readOnly: true, timeout: busyTimeout });
    database.exec('pragma trusted_schema = off; begin; select count(*) from sqlite_schema');
    return database;
  } catch (error) {
    database?.close();
    throw namingFile(path, error);
  }
};

/**
 * Opens a file for reading and keeps the state that it has now: writers of a file with a write-ahead log go on, and the
 * log grows until the work is over.
 */
export const withFrozen = async <T>(
  path: string,
  work: (database: DatabaseSync) => Promise<T>,
): Promise<T> => {
  const unchangeable = isUnchangeable(path);
  using database = openFrozen(path, unchangeable);
  const result = await work(database);
  // The volume may be writable elsewhere, where a service has begun in the meantime.
  if (unchangeable && !isUnchangeable(path)) throw new Error(`${path} was opened by a service: try again`);
  return result;
};

export const onSqliteSnapshot = <T>(
  path: string,
  names: ServiceNames,
  work: (snapshot: TableSnapshot) => Promise<T>,
): Promise<T> => withFrozen(path, (database) => work(snapshotOf(database, names)));
