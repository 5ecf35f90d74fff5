import { field } from '../../fields/define.ts';
import type { DialectName } from '../database.ts';
import { versionColumn } from '../resource-source.ts';
import { quoteName } from '../sql.ts';
import {
  columnName,
  columnSql,
  columnType,
  type FieldDefinitions,
  fieldIndex,
  type ReferenceTables,
  severalIndex,
} from './columns.ts';
import { isNulled, watchReference } from './nulled-references.ts';
import { ensureRegister, registerTable } from './register.ts';
import type { MigrationDatabase } from './runner.ts';
import { runAll } from './statements.ts';

/** A table as a migration makes it. Fields are the model's as they were when the migration was written. */
export interface TableDefinition {
  readonly fields: FieldDefinitions;
  /** Indexes over several columns, beside those that `unique`, `index` and references bring. */
  readonly indexes?: readonly (readonly string[])[];
  /** Tables behind references whose name is not the regular plural of the model's. */
  readonly references?: ReferenceTables;
  /** Name of the model, where the table is not its regular plural. */
  readonly model?: string;
}

const id: Readonly<Record<DialectName, string>> = {
  // AUTOINCREMENT, so that the id of a deleted record is never used again.
  sqlite: 'integer primary key autoincrement',
  postgres: 'bigint generated always as identity primary key',
};

const timestamp = field.datetime();

/** Columns that every resource has beside its fields. */
export const ownColumns = ['id', 'created_at', 'updated_at', versionColumn] as const;

/** SQL that makes a table with its indexes. */
export const tableStatements = (
  table: string,
  { fields, indexes = [], references = {} }: TableDefinition,
  dialect: DialectName,
): readonly string[] => {
  const time = columnType(timestamp, dialect);
  const entries = Object.entries(fields);
  const columns = [
    `"id" ${id[dialect]}`,
    ...entries.map(([name, definition]) => columnSql(table, name, definition, dialect, references)),
    `"created_at" ${time} not null`,
    `"updated_at" ${time} not null`,
    `${quoteName(versionColumn)} ${dialect === 'sqlite' ? 'integer' : 'bigint'} not null default 1`,
  ];
  const single = entries.flatMap(
    ([name, definition]) => fieldIndex(table, columnName(name, definition), definition, dialect) ?? [],
  );
  const several = indexes.map((names) => severalIndex(table, names));
  const watched = entries.filter(([, definition]) => isNulled(definition));
  return [
    `create table ${quoteName(table)} (\n  ${columns.join(',\n  ')}\n)`,
    ...[...single, ...several].map(({ sql }) => sql),
    ...watched.flatMap(([name, definition]) => watchReference(dialect, table, columnName(name, definition))),
  ];
};

/** Makes the table of a resource, on either database. */
export const createTable = async (
  db: MigrationDatabase,
  dialect: DialectName,
  table: string,
  definition: TableDefinition,
): Promise<void> => {
  await runAll(db, tableStatements(table, definition, dialect));
  await ensureRegister(db, dialect);
  await registerTable(db, table, definition);
};
