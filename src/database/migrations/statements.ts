import { CompiledQuery, sql } from 'kysely';
import type { Query } from '../database.ts';
import type { Dialect } from '../dialect.ts';
import type { TableShape } from '../introspection.ts';
import type { Fragment } from '../statement.ts';
import { askThrough } from './ask-through.ts';
import type { MigrationDatabase } from './migration.ts';
import { readTables } from './read-tables.ts';

/** Runs a compiled statement on a migration's own connection. */
export const runQuery = async <Row>(
  db: MigrationDatabase,
  { sql: text, parameters }: Query,
): Promise<readonly Row[]> => (await db.executeQuery<Row>(CompiledQuery.raw(text, [...parameters]))).rows;

/** Runs statements in their order: text, or fragments without arguments. */
export const runAll = async (
  db: MigrationDatabase,
  statements: readonly (string | Fragment)[],
): Promise<void> => {
  for (const each of statements) await (typeof each === 'string' ? sql.raw(each) : each).execute(db);
};

/** A fragment without arguments as text, to stand in a statement that is written as text. */
export const sqlTextOf = (fragment: Fragment, { builder }: Dialect): string => fragment.compile(builder).sql;

/** A table as it is at this moment of the migration. @throws Error where there is none of this name */
export const tableNow = async (
  db: MigrationDatabase,
  dialect: Dialect,
  name: string,
): Promise<TableShape> => {
  const table = (await readTables(askThrough(db), dialect)).get(name);
  if (table === undefined) throw new Error(`there is no table ${name}`);
  return table;
};
