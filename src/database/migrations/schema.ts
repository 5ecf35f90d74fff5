/** SQL that makes the table of a resource: the columns of every resource, those of its fields, indexes and search. */

import { field } from '../../fields/define.ts';
import type { Dialect } from '../dialect.ts';
import { quoteName } from '../quote.ts';
import { versionColumn } from '../source.ts';
import {
  columnName,
  columnSql,
  columnType,
  type FieldDefinitions,
  fieldIndexes,
  type ReferenceTables,
  referenceOf,
  tableIndex,
  uniqueIndex,
} from './columns.ts';
import type { MigrationDatabase } from './migration.ts';
import { isNulled, watchReference } from './nulled-references.ts';
import { record } from './recording.ts';
import { ensureRegister, registerTable } from './register.ts';
import { sameIndexSql, sameReference } from './same-keys.ts';
import { runAll } from './statements.ts';

/** A table as a migration makes it. Fields are the model's as they were when the migration was written. */
export interface TableDefinition {
  readonly fields: FieldDefinitions;
  /** Indexes beside the ones of `unique`, `index` and references. */
  readonly indexes?: readonly (readonly string[])[];
  /** Columns whose values no two records share as a whole, beside `unique` of single ones. */
  readonly unique?: readonly (readonly string[])[];
  /** Tables behind references whose name is not the regular plural of the model's. */
  readonly references?: ReferenceTables;
  /** Columns of its full-text search, by falling weight. */
  readonly search?: readonly string[];
  /** Name of the model, where the table is not its regular plural. */
  readonly model?: string;
}

const timestamp = field.datetime();

/** Columns that every resource has beside its fields. */
export const ownColumns = ['id', 'created_at', 'updated_at', versionColumn] as const;

/** SQL that makes a table with its indexes. */
export const tableStatements = (
  table: string,
  { fields, indexes = [], unique = [], references = {}, search = [] }: TableDefinition,
  dialect: Dialect,
): readonly string[] => {
  const { own } = dialect.schema;
  const time = columnType(timestamp, dialect);
  const entries = Object.entries(fields);
  const columns = [
    `"id" ${own.id}`,
    ...entries.map(([name, definition]) => columnSql(table, name, definition, dialect, references)),
    `"created_at" ${time} not null`,
    `"updated_at" ${time} not null`,
    `${quoteName(versionColumn)} ${own.integer} not null default 1`,
  ];
  const { sameKeys } = dialect.schema;
  const same = entries.flatMap(([name, definition]) => {
    const reference = referenceOf(name, definition, references);
    return sameReference(table, columnName(name, definition), reference) ?? [];
  });
  const single = entries.flatMap(([name, definition]) =>
    fieldIndexes(table, columnName(name, definition), definition, dialect),
  );
  const several = [
    ...unique.map((names) => uniqueIndex(table, names)),
    ...indexes.map((names) => tableIndex(table, names)),
  ];
  const watched = entries.filter(([, definition]) => isNulled(definition));
  const searched = search.length === 0 ? [] : dialect.schema.search.create({ of: table, columns: search });
  return [
    `create table ${quoteName(table)} (\n  ${[...columns, ...same.flatMap(sameKeys.clauses)].join(',\n  ')}\n)`,
    ...[...single, ...several].map(({ sql }) => sql),
    ...same.flatMap((reference) => [sameIndexSql(reference), ...sameKeys.add(reference)]),
    ...watched.flatMap(([name, definition]) => watchReference(dialect, table, columnName(name, definition))),
    ...searched,
  ];
};

/** Makes the table of a resource: `createTable` in a dialect. */
export const createTableIn = async (
  db: MigrationDatabase,
  dialect: Dialect,
  table: string,
  definition: TableDefinition,
): Promise<void> => {
  if (record(db, { kind: 'create', table })) return;
  await runAll(db, tableStatements(table, definition, dialect));
  await ensureRegister(db, dialect);
  await registerTable(db, table, definition);
};
