/** Fields in the database: the column of a field, the table to which it refers, its indexes. */

import type { CommonOptions, FieldDefinition, OnDelete } from '../../fields/field.ts';
import type { Json } from '../../kernel/json.ts';
import { pluralOf, snakeOf } from '../../model/names.ts';
import type { Dialect, Reference } from '../dialect.ts';
import { quoteName } from '../quote.ts';
import type { ServiceNames } from '../service-names.ts';
import { identifier as nameOf } from '../statement.ts';
import { foreignKeyName, indexName } from './names.ts';
import { sqlTextOf } from './statements.ts';

export type FieldDefinitions = Readonly<Record<string, FieldDefinition>>;

/**
 * Tables behind references whose name is not the regular plural of the model's, by the field's key; `same`: the column
 * there of the field that both records share, where it is called otherwise than the field.
 */
export type ReferenceTables = Readonly<
  Record<string, string | { readonly table: string; readonly same?: string }>
>;

/** Names of fields that are called otherwise than their columns, by the column. */
export type FieldNames = Readonly<Record<string, string>>;

/** A field as it was and as it becomes. */
export interface FieldChange {
  readonly from: FieldDefinition;
  readonly to: FieldDefinition;
}

/** The changes of a migration to a table. Columns are called by their new names wherever one is renamed. */
export interface TableAlteration {
  /** Old name to new name of a column; its values stay. */
  readonly rename?: Readonly<Record<string, string>>;
  readonly add?: FieldDefinitions;
  /** Values are kept, converted to the new type; one that the new type does not take fails the migration. */
  readonly change?: Readonly<Record<string, FieldChange>>;
  /** Columns that go, with their values. */
  readonly drop?: readonly string[];
  /** Values that existing records get in columns that are required from now on; else the field's default. */
  readonly fill?: Readonly<Record<string, Json>>;
  /** Indexes that no field brings along. */
  readonly addIndexes?: readonly (readonly string[])[];
  readonly dropIndexes?: readonly (readonly string[])[];
  /** Columns whose values no two records share as a whole; records that do fail the migration. */
  readonly addUnique?: readonly (readonly string[])[];
  readonly dropUnique?: readonly (readonly string[])[];
  /** Columns of the full-text search before and after, by falling weight; empty without one. */
  readonly search?: SearchChange;
  /** Tables behind references whose name is not the regular plural of the model's. */
  readonly references?: ReferenceTables;
  /** Names of fields by their columns, where they differ: of new, changed and renamed columns. */
  readonly fieldNames?: FieldNames;
}

export interface SearchChange {
  readonly from: readonly string[];
  readonly to: readonly string[];
}

/** The owner's field in every table that has one. */
const ownerColumn = 'user_id';

const optionsOf = ({ options }: FieldDefinition): CommonOptions => options;

export const isRequired = (definition: FieldDefinition): boolean => optionsOf(definition).required === true;

/** A reference's column is called `<name>_id`; the owner's is `user_id`. One with an entry in `fieldNames` stays. */
export const columnName = (
  name: string,
  { type, options }: FieldDefinition,
  fieldNames: FieldNames = {},
): string =>
  Object.hasOwn(fieldNames, name) ||
  type.target === undefined ||
  name.endsWith('_id') ||
  type.target(options) === undefined
    ? name
    : `${name}_id`;

/** The column of a field. */
const columnOfField = (field: string, fieldNames: FieldNames): string =>
  Object.entries(fieldNames).find(([, each]) => each === field)?.[0] ?? field;

export const columnType = ({ type }: FieldDefinition, { columns }: Dialect): string =>
  columns[type.column].type;

/** `User` is the service's own table; others have the regular plural, unless the definition says another. */
export const tableOf = (model: string): string | undefined =>
  model === 'User' ? 'users' : pluralOf(snakeOf(model));

const actions = { restrict: 'no action', null: 'set null', cascade: 'cascade' } as const;

/** The action of the database on a reference when its record is deleted. */
export const onDelete = ({ type, options }: FieldDefinition): (typeof actions)[OnDelete] =>
  actions[type.onDelete?.(options) ?? 'restrict'];

/** The option for an action of the database that is not the default of a reference. */
export const onDeleteOption = (action: string, required: boolean): { readonly onDelete?: OnDelete } => {
  const onDelete = action === 'cascade' ? action : action === 'set null' ? 'null' : 'restrict';
  return onDelete === (required ? 'restrict' : 'null') ? {} : { onDelete };
};

/** The table that the column of a field refers to; undefined where it is not a reference. */
export const referenceOf = (
  name: string,
  definition: FieldDefinition,
  references: ReferenceTables,
  fieldNames: FieldNames,
): Reference | undefined => {
  const { type, options } = definition;
  if (type.ownTable !== undefined) return { table: type.ownTable, onDelete: 'no action', same: undefined };
  const model = type.target?.(options);
  if (model === undefined) return undefined;
  const named = references[name];
  const { table = tableOf(model), same: to } = typeof named === 'string' ? { table: named } : (named ?? {});
  if (table === undefined) throw new Error(`no regular plural of ${model}: name its table under references`);
  const said = type.same?.(options);
  if (said === undefined) return { table, onDelete: onDelete(definition), same: undefined };
  const field = said.endsWith('_id') ? said : `${said}_id`;
  const same = { column: columnOfField(field, fieldNames), to: to ?? field };
  return { table, onDelete: onDelete(definition), same };
};

/** `references "users" ("id") on delete set null`; empty where there is no reference. */
export const referenceSql = (
  reference: Pick<Reference, 'table' | 'onDelete'> | undefined,
  names: ServiceNames,
): string => {
  if (reference === undefined) return '';
  const action = reference.onDelete === 'no action' ? '' : ` on delete ${reference.onDelete}`;
  return ` references ${names.quoted(reference.table)} ("id")${action}`;
};

/** SQL that drops a foreign key by its name, which only PostgreSQL gives. */
export const dropConstraint = (table: string, name: string): string =>
  `alter table ${quoteName(table)} drop constraint ${quoteName(name)}`;

/** The column of a field as it stands in `create table`. */
export const columnSql = (
  table: string,
  name: string,
  definition: FieldDefinition,
  dialect: Dialect,
  references: ReferenceTables,
  fieldNames: FieldNames,
): string => {
  const column = columnName(name, definition, fieldNames);
  const reference = referenceOf(name, definition, references, fieldNames);
  const constraint =
    dialect.schema.namesForeignKeys && reference !== undefined
      ? ` constraint ${quoteName(foreignKeyName(table, column))}`
      : '';
  const notNull = isRequired(definition) ? ' not null' : '';
  return `${quoteName(column)} ${columnType(definition, dialect)}${notNull}${constraint}${referenceSql(reference, dialect.names)}`;
};

export interface IndexStatement {
  readonly name: string;
  readonly sql: string;
}

/** A unique index over several columns. */
export const uniqueIndex = (table: string, columns: readonly string[]): IndexStatement => {
  const name = indexName(table, columns, true);
  return {
    name,
    sql: `create unique index ${quoteName(name)} on ${quoteName(table)} (${columns.map(quoteName).join(', ')})`,
  };
};

/** The indexes that a field brings along. */
export const fieldIndexes = (
  table: string,
  column: string,
  definition: FieldDefinition,
  dialect: Dialect,
  fieldNames: FieldNames,
): readonly IndexStatement[] => {
  const { unique, index } = optionsOf(definition);
  if (unique === true) return [uniqueIndex(table, [column])];
  const perOwner =
    unique === 'owner' ? [uniqueIndex(table, [columnOfField(ownerColumn, fieldNames), column])] : [];
  const refers = definition.type.target !== undefined || definition.type.ownTable !== undefined;
  if (index !== true && !refers) return perOwner;
  // In the order of lists: some database uses an index only for the order in which it was made.
  const ordered = sqlTextOf(dialect.ordered(nameOf(column), false, !isRequired(definition)), dialect);
  const name = indexName(table, [column], false);
  return [
    { name, sql: `create index ${quoteName(name)} on ${quoteName(table)} (${ordered}, "id")` },
    ...perOwner,
  ];
};

/** An index that no field brings along. Over one column it ends in the id, as that of a field does. */
export const tableIndex = (table: string, columns: readonly string[]): IndexStatement => {
  const name = indexName(table, columns, false);
  const all = columns.length === 1 ? [...columns, 'id'] : columns;
  return {
    name,
    sql: `create index ${quoteName(name)} on ${quoteName(table)} (${all.map(quoteName).join(', ')})`,
  };
};
