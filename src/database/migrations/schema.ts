/** SQL that makes the table of a resource: the columns of every resource, those of its fields, indexes and search. */

import { field } from '../../fields/define.ts';
import type { FieldDefinition } from '../../fields/field.ts';
import type { KeyKind } from '../../fields/keys.ts';
import { recordKeys } from '../../fields/keys.ts';
import type { Dialect } from '../dialect.ts';
import { quoteName } from '../quote.ts';
import { versionColumn } from '../source.ts';
import {
  columnName,
  columnSql,
  columnType,
  type FieldDefinitions,
  type FieldNames,
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
  /** The key of its records, where it is another one than `'integer'`. */
  readonly key?: KeyKind;
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
  /** Names of fields that are called otherwise than their columns, by the column. */
  readonly fieldNames?: FieldNames;
}

const timestamp = field.datetime();

/** Columns that every resource has beside its fields. */
export const ownColumns = ['id', 'created_at', 'updated_at', versionColumn] as const;

/** SQL that makes a table with its indexes. */
export const tableStatements = (
  table: string,
  definition: TableDefinition,
  dialect: Dialect,
): readonly string[] => {
  const { fields, key = 'integer', indexes = [], unique = [], references = {}, search = [] } = definition;
  const { fieldNames = {} } = definition;
  const { own } = dialect.schema;
  const time = columnType(timestamp, dialect);
  const entries = Object.entries(fields);
  const columns = [
    `"id" ${recordKeys[key].givenBy === 'database' ? own.id : `${columnType(recordKeys[key].field, dialect)} not null primary key`}`,
    ...entries.map(([name, each]) => columnSql(table, name, each, dialect, references, fieldNames)),
    `"created_at" ${time} not null`,
    `"updated_at" ${time} not null`,
    `${quoteName(versionColumn)} ${own.integer} not null default 1`,
  ];
  const { sameKeys } = dialect.schema;
  const column = (name: string, each: FieldDefinition): string => columnName(name, each, fieldNames);
  const same = entries.flatMap(([name, each]) => {
    const reference = referenceOf(name, each, references, fieldNames);
    return sameReference(table, column(name, each), reference) ?? [];
  });
  const single = entries.flatMap(([name, each]) =>
    fieldIndexes(table, column(name, each), each, dialect, fieldNames),
  );
  const several = [
    ...unique.map((names) => uniqueIndex(table, names)),
    ...indexes.map((names) => tableIndex(table, names)),
  ];
  const watched = entries.filter(([, each]) => isNulled(each));
  const searched = search.length === 0 ? [] : dialect.schema.search.create({ of: table, columns: search });
  return [
    `create table ${quoteName(table)} (\n  ${[...columns, ...same.flatMap(sameKeys.clauses)].join(',\n  ')}\n)`,
    ...[...single, ...several].map(({ sql }) => sql),
    ...same.flatMap((reference) => [sameIndexSql(reference), ...sameKeys.add(reference)]),
    ...watched.flatMap(([name, each]) => watchReference(dialect, table, column(name, each))),
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
