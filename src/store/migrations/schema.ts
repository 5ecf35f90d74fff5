import { type RawBuilder, sql } from 'kysely';
import { field } from '../../fields/define.ts';
import type { CommonOptions, FieldDefinition } from '../../fields/field.ts';
import { pluralOf } from '../../model/inflect.ts';
import { snakeOf } from '../../model/names.ts';
import type { DialectName } from '../database.ts';
import { versionColumn } from '../resource-source.ts';
import { quoteName } from '../sql.ts';
import type { MigrationDatabase } from './runner.ts';

/** A table as a migration makes it. Fields are the model's as they were when the migration was written. */
export interface TableDefinition {
  readonly fields: Readonly<Record<string, FieldDefinition>>;
  /** Indexes over several columns, beside those that `unique`, `index` and references bring. */
  readonly indexes?: readonly (readonly string[])[];
  /** Tables behind references whose name is not the regular plural of the model's. */
  readonly references?: Readonly<Record<string, string>>;
}

const id: Readonly<Record<DialectName, string>> = {
  // AUTOINCREMENT, so that the id of a deleted record is never used again.
  sqlite: 'integer primary key autoincrement',
  postgres: 'bigint generated always as identity primary key',
};

const timestamp = field.datetime();

const typeOf = ({ type }: FieldDefinition, dialect: DialectName): string => type.column[dialect];

/** A reference's column is called `<name>_id`; the owner's is `user_id`. */
const columnName = (name: string, { type, options }: FieldDefinition): string =>
  type.target === undefined || name.endsWith('_id') || type.target(options) === undefined
    ? name
    : `${name}_id`;

/** `User` is the service's own table; others have the regular plural, unless the definition says another. */
const referencedTable = (model: string, given: string | undefined): string => {
  const table = given ?? (model === 'User' ? 'users' : pluralOf(snakeOf(model)));
  if (table === undefined) throw new Error(`no regular plural of ${model}: name its table under references`);
  return table;
};

const columnSql = (
  name: string,
  definition: FieldDefinition,
  dialect: DialectName,
  references: Readonly<Record<string, string>>,
): string => {
  const { type, options } = definition;
  const required = (options as CommonOptions).required === true;
  const target = type.target?.(options);
  const table = target === undefined ? undefined : referencedTable(target, references[name]);
  const reference =
    table === undefined
      ? ''
      : ` references ${quoteName(table)} ("id")${required ? '' : ' on delete set null'}`;
  return `${quoteName(columnName(name, definition))} ${typeOf(definition, dialect)}${required ? ' not null' : ''}${reference}`;
};

/** Text of an SQL statement of this file's own making, as Kysely runs it. */
const statement = (text: string): RawBuilder<unknown> => sql.raw(text);

/** SQL that makes a table with its indexes; the last ones are for lists by creation and change. */
export const tableStatements = (
  table: string,
  { fields, indexes = [], references = {} }: TableDefinition,
  dialect: DialectName,
): readonly string[] => {
  const time = typeOf(timestamp, dialect);
  const columns = [
    `"id" ${id[dialect]}`,
    ...Object.entries(fields).map(([name, definition]) => columnSql(name, definition, dialect, references)),
    `"created_at" ${time} not null`,
    `"updated_at" ${time} not null`,
    `${quoteName(versionColumn)} ${dialect === 'sqlite' ? 'integer' : 'bigint'} not null default 1`,
  ];
  const single = Object.entries(fields).flatMap(([name, definition]) =>
    indexStatement(table, columnName(name, definition), definition, dialect),
  );
  const several = indexes.map(
    (names) =>
      `create index ${quoteName(`${table}_${names.join('_')}`)} on ${quoteName(table)} (${names.map(quoteName).join(', ')})`,
  );
  return [`create table ${quoteName(table)} (\n  ${columns.join(',\n  ')}\n)`, ...single, ...several];
};

/** A unique index is called `<table>_<column>_unique`: by its name a violation tells which field it was. */
const indexStatement = (
  table: string,
  column: string,
  { type, options }: FieldDefinition,
  dialect: DialectName,
): string[] => {
  const { unique, index, required } = options as CommonOptions;
  const name = quoteName(column);
  // Lists promise nulls first; PostgreSQL uses an index for that order only if it was made in it.
  const order = dialect === 'postgres' && required !== true ? ' nulls first' : '';
  if (unique === true)
    return [`create unique index ${quoteName(`${table}_${column}_unique`)} on ${quoteName(table)} (${name})`];
  if (index === true || type.target !== undefined)
    return [`create index ${quoteName(`${table}_${column}`)} on ${quoteName(table)} (${name}${order}, "id")`];
  return [];
};

/** Makes the table of a resource, on either database. */
export const createTable = async (
  db: MigrationDatabase,
  dialect: DialectName,
  table: string,
  definition: TableDefinition,
): Promise<void> => {
  for (const text of tableStatements(table, definition, dialect)) await statement(text).execute(db);
};
