import { type RawBuilder, sql } from 'kysely';
import type { DialectName } from '../database.ts';
import type { TableShape } from '../introspection.ts';
import { askThrough } from './ask-through.ts';
import { readTables } from './read-tables.ts';
import type { MigrationDatabase } from './runner.ts';

/** Text of an SQL statement of this folder's own making, as Kysely runs it. */
export const statement = (text: string): RawBuilder<unknown> => sql.raw(text);

/** Runs statements in their order. */
export const runAll = async (db: MigrationDatabase, texts: readonly string[]): Promise<void> => {
  for (const text of texts) await statement(text).execute(db);
};

/** A table as it is at this moment of the migration. @throws Error where there is none of this name */
export const tableNow = async (
  db: MigrationDatabase,
  dialect: DialectName,
  name: string,
): Promise<TableShape> => {
  const table = (await readTables(askThrough(db), dialect)).get(name);
  if (table === undefined) throw new Error(`there is no table ${name}`);
  return table;
};
