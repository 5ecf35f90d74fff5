import type { CommonOptions, FieldDefinition } from '../../fields/field.ts';
import { pluralOf } from '../../model/inflect.ts';
import { snakeOf } from '../../model/names.ts';
import type { DialectName } from '../database.ts';
import { quoteName } from '../sql.ts';
import { foreignKeyName, indexName } from './names.ts';

/** What a field is in the database: its column, what it refers to, its index. */

export type FieldDefinitions = Readonly<Record<string, FieldDefinition>>;

/** Tables behind references whose name is not the regular plural of the model's, by the field's key. */
export type ReferenceTables = Readonly<Record<string, string>>;

const optionsOf = ({ options }: FieldDefinition): CommonOptions => options;

export const isRequired = (definition: FieldDefinition): boolean => optionsOf(definition).required === true;

/** A reference's column is called `<name>_id`; the owner's is `user_id`. */
export const columnName = (name: string, { type, options }: FieldDefinition): string =>
  type.target === undefined || name.endsWith('_id') || type.target(options) === undefined
    ? name
    : `${name}_id`;

export const columnType = ({ type }: FieldDefinition, dialect: DialectName): string => type.column[dialect];

/** `User` is the service's own table; others have the regular plural, unless the definition says another. */
export const tableOf = (model: string): string | undefined =>
  model === 'User' ? 'users' : pluralOf(snakeOf(model));

/** Table that a field refers to; undefined where it is no reference. */
export const referencedTable = (
  name: string,
  { type, options }: FieldDefinition,
  references: ReferenceTables,
): string | undefined => {
  const model = type.target?.(options);
  if (model === undefined) return undefined;
  const table = references[name] ?? tableOf(model);
  if (table === undefined) throw new Error(`no regular plural of ${model}: name its table under references`);
  return table;
};

/** An optional reference becomes null with what it refers to; a required one keeps that from being deleted. */
export const onDelete = (definition: FieldDefinition): 'no action' | 'set null' =>
  isRequired(definition) ? 'no action' : 'set null';

/** `references "users" ("id") on delete set null`; empty where the field is no reference. */
export const referenceSql = (table: string | undefined, action: string): string =>
  table === undefined
    ? ''
    : ` references ${quoteName(table)} ("id")${action === 'no action' ? '' : ` on delete ${action}`}`;

/** The column of a field as it stands in `create table`. */
export const columnSql = (
  table: string,
  name: string,
  definition: FieldDefinition,
  dialect: DialectName,
  references: ReferenceTables,
): string => {
  const column = columnName(name, definition);
  const target = referencedTable(name, definition, references);
  const constraint =
    dialect === 'postgres' && target !== undefined
      ? ` constraint ${quoteName(foreignKeyName(table, column))}`
      : '';
  const notNull = isRequired(definition) ? ' not null' : '';
  return `${quoteName(column)} ${columnType(definition, dialect)}${notNull}${constraint}${referenceSql(target, onDelete(definition))}`;
};

export interface IndexStatement {
  readonly name: string;
  readonly sql: string;
}

/** The index that a field brings along, if it does. */
export const fieldIndex = (
  table: string,
  column: string,
  definition: FieldDefinition,
  dialect: DialectName,
): IndexStatement | undefined => {
  const { unique, index } = optionsOf(definition);
  const on = `on ${quoteName(table)}`;
  if (unique === true) {
    const name = indexName(table, [column], true);
    return { name, sql: `create unique index ${quoteName(name)} ${on} (${quoteName(column)})` };
  }
  if (index !== true && definition.type.target === undefined) return undefined;
  // Lists promise nulls first; PostgreSQL uses an index for that order only if it was made in it.
  const order = dialect === 'postgres' && !isRequired(definition) ? ' nulls first' : '';
  const name = indexName(table, [column], false);
  return { name, sql: `create index ${quoteName(name)} ${on} (${quoteName(column)}${order}, "id")` };
};

/** An index over several columns. */
export const severalIndex = (table: string, columns: readonly string[]): IndexStatement => {
  const name = indexName(table, columns, false);
  return {
    name,
    sql: `create index ${quoteName(name)} on ${quoteName(table)} (${columns.map(quoteName).join(', ')})`,
  };
};
