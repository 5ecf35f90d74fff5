/**
 * The declaration of each table in migrations, kept in the database beside it. SQLite has five kinds of columns, so a
 * decimal and an integer, a date and a text look alike there; the register tells them apart, and says which tables are
 * resources' and of which model, when the model is long gone.
 */

import type { CommonOptions, FieldDefinition, FieldType } from '../../fields/field.ts';
import type { KeyKind } from '../../fields/keys.ts';
import { fieldTypes } from '../../fields/registry.ts';
import type { Dialect } from '../dialect.ts';
import type { Ask, Tables } from '../introspection.ts';
import type { ServiceNames } from '../service-names.ts';
import { type Fragment, join, literal, own, sql } from '../statement.ts';
import { registeredColumnsTable, registeredTablesTable } from '../tables/database-tables.ts';
import { createStatements } from '../tables/table-statements.ts';
import { askThrough } from './ask-through.ts';
import { columnName, type FieldDefinitions, type FieldNames } from './columns.ts';
import type { MigrationDatabase } from './migration.ts';
import { runAll, sqlTextOf } from './statements.ts';

/** Makes the register where no migration has made it yet. */
export const ensureRegister = (db: MigrationDatabase, dialect: Dialect): Promise<void> =>
  runAll(
    db,
    [registeredTablesTable, registeredColumnsTable].flatMap((table) =>
      createStatements(table, dialect, { ifMissing: true }),
    ),
  );

/** Options as they are kept; what people call a field is no matter of the database. */
const keptOptions = ({ options }: FieldDefinition): object =>
  JSON.parse(
    JSON.stringify(options, (key, value: unknown) =>
      key === 'label' || key === 'labels' ? undefined : value,
    ),
  );

/** The key of a field's name among the options, where its column has another one. No option begins so. */
const fieldKey = '$field';

/** Options with the name of the field of a column. */
const withField = (options: object, column: string, field: string): string => {
  const { [fieldKey]: _, ...kept } = options as { readonly [fieldKey]?: string };
  return JSON.stringify(field === column ? kept : { ...kept, [fieldKey]: field });
};

/** The kind of the column `id`: that of the key, behind a mark that no kind of a field has. */
const keyKindPrefix = 'key ';

/** A column as a migration makes it. */
interface MadeColumn {
  readonly column: string;
  readonly definition: FieldDefinition;
  readonly fieldNames: FieldNames;
}

const insertColumn = (table: string, { column, definition, fieldNames }: MadeColumn): Fragment => {
  const options = withField(keptOptions(definition), column, fieldNames[column] ?? column);
  const values = [table, column, definition.type.kind, options].map(literal);
  return sql`insert into ${own('gatewright_columns')} (table_name, column_name, kind, options) values (${join(values)})`;
};

const ofColumn = (table: string, column: string): Fragment =>
  sql`table_name = ${literal(table)} and column_name = ${literal(column)}`;

const modelOf = (model: string | undefined): Fragment => (model === undefined ? sql`null` : literal(model));

const forgetTableStatements = (table: string): Fragment[] => [
  sql`delete from ${own('gatewright_columns')} where table_name = ${literal(table)}`,
  sql`delete from ${own('gatewright_tables')} where name = ${literal(table)}`,
];

export const registerTable = (
  db: MigrationDatabase,
  table: string,
  {
    fields,
    key = 'integer',
    model,
    fieldNames = {},
  }: {
    readonly fields: FieldDefinitions;
    readonly key?: KeyKind;
    readonly model?: string;
    readonly fieldNames?: FieldNames;
  },
): Promise<void> =>
  runAll(db, [
    ...forgetTableStatements(table),
    sql`insert into ${own('gatewright_tables')} (name, model) values (${literal(table)}, ${modelOf(model)})`,
    sql`insert into ${own('gatewright_columns')} (table_name, column_name, kind, options) values (${join([table, 'id', keyKindPrefix + key, '{}'].map(literal))})`,
    ...Object.entries(fields).map(([name, definition]) =>
      insertColumn(table, { column: columnName(name, definition, fieldNames), definition, fieldNames }),
    ),
  ]);

export const registerColumn = (db: MigrationDatabase, table: string, made: MadeColumn): Promise<void> =>
  runAll(db, [
    sql`delete from ${own('gatewright_columns')} where ${ofColumn(table, made.column)}`,
    insertColumn(table, made),
  ]);

/** @param field the name of the column's field from now on */
export const renameRegisteredColumn = async (
  db: MigrationDatabase,
  dialect: Dialect,
  table: string,
  from: string,
  { to, field }: { readonly to: string; readonly field: string },
): Promise<void> => {
  const read = sql`select options from ${own('gatewright_columns')} where ${ofColumn(table, from)}`;
  const [row] = await askThrough(db)<{ options: string }>(sqlTextOf(read, dialect));
  if (row === undefined) return;
  const options = withField(JSON.parse(row.options) as object, to, field);
  await runAll(db, [
    sql`update ${own('gatewright_columns')} set column_name = ${literal(to)}, options = ${literal(options)}
      where ${ofColumn(table, from)}`,
  ]);
};

export const forgetColumn = (db: MigrationDatabase, table: string, column: string): Promise<void> =>
  runAll(db, [sql`delete from ${own('gatewright_columns')} where ${ofColumn(table, column)}`]);

export const renameRegisteredTable = (
  db: MigrationDatabase,
  from: string,
  to: string,
  model: string | undefined,
): Promise<void> =>
  runAll(db, [
    sql`update ${own('gatewright_columns')} set table_name = ${literal(to)} where table_name = ${literal(from)}`,
    sql`update ${own('gatewright_tables')} set name = ${literal(to)}, model = ${modelOf(model)} where name = ${literal(from)}`,
  ]);

export const forgetTable = (db: MigrationDatabase, table: string): Promise<void> =>
  runAll(db, forgetTableStatements(table));

/** A table of the register. */
export interface RegisteredTable {
  /** Undefined where the table is the regular plural of the model's name. */
  readonly model: string | undefined;
  /** The fields as the last migration said them, by column; fields of kinds that are gone are left out. */
  readonly fields: ReadonlyMap<string, FieldDefinition>;
  /** Names of fields that are called otherwise than their columns, by the column. */
  readonly fieldNames: ReadonlyMap<string, string>;
  /** Kind of the key with which a migration made it; undefined where the register did not have it yet. */
  readonly key: string | undefined;
}

interface ColumnRow {
  readonly table_name: string;
  readonly column_name: string;
  readonly kind: string;
  readonly options: string;
}

const fieldNameOf = ({ options }: ColumnRow): string | undefined =>
  (JSON.parse(options) as { readonly [fieldKey]?: string })[fieldKey];

const kinds: Readonly<Record<string, FieldType>> = fieldTypes;

const fieldOf = ({ kind, options }: ColumnRow): FieldDefinition | undefined => {
  const type = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
  if (type === undefined) return undefined;
  const { [fieldKey]: _, ...kept } = JSON.parse(options) as CommonOptions & { readonly [fieldKey]?: string };
  return { type: type.by?.(kept) ?? type, options: kept };
};

/** The content of the register; empty where no migration has made it yet. */
export const readRegister = async (
  ask: Ask,
  tables: Tables,
  { written }: ServiceNames,
): Promise<ReadonlyMap<string, RegisteredTable>> => {
  if (!tables.has('gatewright_tables')) return new Map();
  const names = await ask<{ name: string; model: string | null }>(
    `select name, model from ${written('gatewright_tables')} order by name`,
  );
  const rows = await ask<ColumnRow>(
    `select table_name, column_name, kind, options from ${written('gatewright_columns')}`,
  );
  const byTable = Map.groupBy(rows, ({ table_name }) => table_name);
  return new Map(
    names.map(({ name, model }) => {
      const columns = byTable.get(name) ?? [];
      const fields = columns.flatMap((row): [string, FieldDefinition][] => {
        const field = fieldOf(row);
        return field === undefined ? [] : [[row.column_name, field]];
      });
      const fieldNames = columns.flatMap((row): [string, string][] => {
        const field = fieldNameOf(row);
        return field === undefined ? [] : [[row.column_name, field]];
      });
      const key = columns
        .find(({ kind }) => kind.startsWith(keyKindPrefix))
        ?.kind.slice(keyKindPrefix.length);
      const kept = { fields: new Map(fields), fieldNames: new Map(fieldNames), key };
      return [name, { model: model ?? undefined, ...kept }];
    }),
  );
};
