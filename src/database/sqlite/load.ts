/** Loader that fills the tables of a SQLite file when another database is moved into it. */

import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { quoteName } from '../quote.ts';
import type { ServiceNames } from '../service-names.ts';
import type { TableLoader } from '../target.ts';
import { runStatement } from './connection.ts';
import { sqliteDialectWith } from './dialect.ts';
import { preparePrivateFile } from './files.ts';
import { affinity } from './introspect.ts';

/** How long another process may hold the file, in milliseconds. */
const busyTimeout = 10_000;

const asNumber = (text: string): SQLInputValue => {
  if (/^-?\d{1,19}$/.test(text)) {
    const value = BigInt(text);
    if (BigInt.asIntN(64, value) === value) return value;
  }
  const value = Number(text);
  return Number.isFinite(value) && text.trim() !== '' ? value : text;
};

/** A float goes in as a number: SQLite reads the digits of a text less exactly than they were written. */
const asFloat = (text: string): SQLInputValue => {
  const value = Number(text);
  return Number.isNaN(value) || text.trim() === '' ? text : value;
};

const asBytes = (text: string): SQLInputValue =>
  /^\\x(?:[0-9a-f]{2})*$/.test(text) ? Buffer.from(text.slice(2), 'hex') : text;

/** The value to which a canonical text is bound, by the affinity of its column. */
const binders: Readonly<Record<ReturnType<typeof affinity>, (text: string) => SQLInputValue>> = {
  integer: asNumber,
  real: asFloat,
  text: (text) => text,
  blob: asBytes,
};

const insertInto =
  (database: DatabaseSync, own: ServiceNames): TableLoader['insert'] =>
  async (table, columns, rows) => {
    const names = columns.map(({ name }) => quoteName(name));
    const statement = database.prepare(
      `insert into ${own.quoted(table)} (${names.join(', ')}) values (${names.map(() => '?').join(', ')})`,
    );
    const bind = columns.map(({ type }) => binders[affinity(type)]);
    for (const row of rows)
      runStatement(
        statement,
        row.map((value, index) => (value === null ? null : (bind[index]?.(value) ?? null))),
      );
  };

export const onSqliteLoader = async <T>(
  path: string,
  own: ServiceNames,
  work: (loader: TableLoader) => Promise<T>,
): Promise<T> => {
  preparePrivateFile(path);
  using database = new DatabaseSync(path, { timeout: busyTimeout, enableForeignKeyConstraints: false });
  // One at a time: no other process opens the file before this is over.
  database.exec(
    'pragma trusted_schema = off; pragma locking_mode = exclusive; pragma journal_mode = wal; pragma synchronous = full',
  );
  return await work({
    dialect: sqliteDialectWith(own),
    ask: async <Row>(sql: string) => database.prepare(sql).all() as Row[],
    run: async (sql) => database.exec(sql),
    transaction: async (unit) => {
      database.exec('begin immediate');
      try {
        const result = await unit();
        database.exec('commit');
        return result;
      } catch (error) {
        if (database.isTransaction) database.exec('rollback');
        throw error;
      }
    },
    insert: insertInto(database, own),
  });
};
