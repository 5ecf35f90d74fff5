import type { CommonOptions, FieldDefinition, FieldType } from '../../fields/field.ts';
import { fieldTypes } from '../../fields/registry.ts';
import type { DialectName } from '../database.ts';
import type { Ask, Tables } from '../introspection.ts';
import { quoteText } from '../sql.ts';
import { columnName, type FieldDefinitions } from './columns.ts';
import type { MigrationDatabase } from './runner.ts';
import { runAll } from './statements.ts';

/**
 * What migrations said of each table, kept in the database beside it. SQLite has five kinds of columns, so a decimal
 * and an integer, a date and a text look alike there; the register tells them apart, and says which tables are
 * resources' and of which model, when the model is long gone.
 */

const text: Readonly<Record<DialectName, string>> = { sqlite: 'text', postgres: 'text collate "C"' };

/** Makes the register where no migration has made it yet. */
export const ensureRegister = (db: MigrationDatabase, dialect: DialectName): Promise<void> =>
  runAll(db, registerStatements(dialect));

const registerStatements = (dialect: DialectName): string[] => [
  `create table if not exists gatewright_tables (
  name ${text[dialect]} primary key not null,
  model ${text[dialect]}
)`,
  `create table if not exists gatewright_columns (
  table_name ${text[dialect]} not null,
  column_name ${text[dialect]} not null,
  kind ${text[dialect]} not null,
  options ${text[dialect]} not null,
  primary key (table_name, column_name)
)`,
];

/** Options as they are kept; what people call a field is no matter of the database. */
const keptOptions = ({ options }: FieldDefinition): string =>
  JSON.stringify(options, (key, value: unknown) => (key === 'label' || key === 'labels' ? undefined : value));

const insertColumn = (table: string, column: string, definition: FieldDefinition): string =>
  `insert into gatewright_columns (table_name, column_name, kind, options) values (${[
    table,
    column,
    definition.type.kind,
    keptOptions(definition),
  ]
    .map(quoteText)
    .join(', ')})`;

const ofColumn = (table: string, column: string): string =>
  `table_name = ${quoteText(table)} and column_name = ${quoteText(column)}`;

const forgetTableStatements = (table: string): string[] => [
  `delete from gatewright_columns where table_name = ${quoteText(table)}`,
  `delete from gatewright_tables where name = ${quoteText(table)}`,
];

export const registerTable = (
  db: MigrationDatabase,
  table: string,
  definition: { readonly fields: FieldDefinitions; readonly model?: string },
): Promise<void> =>
  runAll(db, [
    ...forgetTableStatements(table),
    `insert into gatewright_tables (name, model) values (${quoteText(table)}, ${definition.model === undefined ? 'null' : quoteText(definition.model)})`,
    ...Object.entries(definition.fields).map(([name, each]) =>
      insertColumn(table, columnName(name, each), each),
    ),
  ]);

export const registerColumn = (
  db: MigrationDatabase,
  table: string,
  column: string,
  definition: FieldDefinition,
): Promise<void> =>
  runAll(db, [
    `delete from gatewright_columns where ${ofColumn(table, column)}`,
    insertColumn(table, column, definition),
  ]);

export const renameRegisteredColumn = (
  db: MigrationDatabase,
  table: string,
  from: string,
  to: string,
): Promise<void> =>
  runAll(db, [`update gatewright_columns set column_name = ${quoteText(to)} where ${ofColumn(table, from)}`]);

export const forgetColumn = (db: MigrationDatabase, table: string, column: string): Promise<void> =>
  runAll(db, [`delete from gatewright_columns where ${ofColumn(table, column)}`]);

export const renameRegisteredTable = (
  db: MigrationDatabase,
  from: string,
  to: string,
  model: string | undefined,
): Promise<void> =>
  runAll(db, [
    `update gatewright_columns set table_name = ${quoteText(to)} where table_name = ${quoteText(from)}`,
    `update gatewright_tables set name = ${quoteText(to)}, model = ${model === undefined ? 'null' : quoteText(model)} where name = ${quoteText(from)}`,
  ]);

export const forgetTable = (db: MigrationDatabase, table: string): Promise<void> =>
  runAll(db, forgetTableStatements(table));

/** A table of the register. */
export interface RegisteredTable {
  /** Undefined where the table is the regular plural of the model's name. */
  readonly model: string | undefined;
  /** The fields as the last migration said them, by column; those of kinds that are gone are left out. */
  readonly fields: ReadonlyMap<string, FieldDefinition>;
}

interface ColumnRow {
  readonly table_name: string;
  readonly column_name: string;
  readonly kind: string;
  readonly options: string;
}

const kinds: Readonly<Record<string, FieldType>> = fieldTypes;

const fieldOf = ({ kind, options }: ColumnRow): FieldDefinition | undefined => {
  const type = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
  return type === undefined ? undefined : { type, options: JSON.parse(options) as CommonOptions };
};

/** What the register holds; nothing where no migration has made it yet. */
export const readRegister = async (
  ask: Ask,
  tables: Tables,
): Promise<ReadonlyMap<string, RegisteredTable>> => {
  if (!tables.has('gatewright_tables')) return new Map();
  const names = await ask<{ name: string; model: string | null }>(
    'select name, model from gatewright_tables order by name',
  );
  const rows = await ask<ColumnRow>('select table_name, column_name, kind, options from gatewright_columns');
  return new Map(
    names.map(({ name, model }) => [
      name,
      {
        model: model ?? undefined,
        fields: new Map(
          rows
            .filter(({ table_name }) => table_name === name)
            .flatMap((row): [string, FieldDefinition][] => {
              const field = fieldOf(row);
              return field === undefined ? [] : [[row.column_name, field]];
            }),
        ),
      },
    ]),
  );
};
