/** Differences between the models and the database: tables, columns, rules, references, indexes and searches. */

import type { CommonOptions, FieldDefinition, FieldType } from '../../fields/field.ts';
import { bareTypeOf, defaultKey } from '../../fields/keys.ts';
import { keyOfReference } from '../../fields/reference.ts';
import { fieldTypes } from '../../fields/registry.ts';
import { indexesBesideFields } from '../../model/indexes.ts';
import { type Models, referencedRows, referencedTable } from '../../model/models.ts';
import { declaredFields, type ModelField, type ResourceModel } from '../../model/resource.ts';
import { columnIn, columnsIn } from '../../model/stored-table.ts';
import type { Dialect } from '../dialect.ts';
import type { ColumnShape, ForeignKeyShape, IndexShape, TableShape, Tables } from '../introspection.ts';
import { onDelete, onDeleteOption } from './columns.ts';
import { isStoredAlike } from './convert.ts';
import type { ExternalFlaw } from './external-tables.ts';
import { indexName } from './names.ts';
import type { RegisteredTable } from './register.ts';
import { ownColumns } from './schema.ts';

/** Where models and database are apart, one entry for each thing that a migration would change. */
export type Difference =
  | { readonly kind: 'missing_table'; readonly model: ResourceModel }
  /** A table that a migration made for a model that is gone. */
  | { readonly kind: 'surplus_table'; readonly table: string }
  | { readonly kind: 'missing_column'; readonly table: string; readonly field: ModelField }
  /** A column that `createTable` makes beside the fields: only a table made by hand lacks it. */
  | { readonly kind: 'missing_own_column'; readonly table: string; readonly column: string }
  /** The column `id` is not of the model's key. */
  | { readonly kind: 'changed_key'; readonly table: string; readonly key: string }
  /** The table of another program does not fit its model, or needs a remark. */
  | ExternalFlaw
  | {
      readonly kind: 'surplus_column';
      readonly table: string;
      readonly column: string;
      /** A record cannot be created without a value for it. */
      readonly demanded: boolean;
    }
  | {
      readonly kind: 'changed_column';
      readonly table: string;
      readonly field: ModelField;
      /** Undefined where the column's type is that of no field type. */
      readonly from: FieldDefinition | undefined;
      readonly aspects: readonly Aspect[];
    }
  | { readonly kind: 'missing_index'; readonly table: string; readonly columns: readonly string[] }
  | { readonly kind: 'surplus_index'; readonly table: string; readonly columns: readonly string[] }
  | { readonly kind: 'missing_unique'; readonly table: string; readonly columns: readonly string[] }
  | { readonly kind: 'surplus_unique'; readonly table: string; readonly columns: readonly string[] }
  /** The full-text search has other columns; an empty list stands for none. */
  | {
      readonly kind: 'changed_search';
      readonly table: string;
      readonly from: readonly string[];
      readonly to: readonly string[];
    };

/** `demanded`: the database demands a value that the model does not; `required` the other way round. */
export type Aspect =
  | 'type'
  | 'required'
  | 'demanded'
  | 'reference'
  | 'on_delete'
  | 'same'
  | 'unique'
  | 'index';

/** The database as introspection and register describe it. */
export interface Stored {
  readonly dialect: Dialect;
  readonly tables: Tables;
  readonly register: ReadonlyMap<string, RegisteredTable>;
}

const sameColumns = (index: IndexShape, columns: readonly string[]): boolean =>
  index.columns.join('\0') === columns.join('\0');

const hasIndex = ({ indexes }: TableShape, column: string, unique: boolean): boolean =>
  indexes.some(
    (index) =>
      index.unique === unique &&
      (sameColumns(index, [column]) || (!unique && sameColumns(index, [column, 'id']))),
  );

const holdsType = ({ schema, columns }: Dialect, column: ColumnShape, type: FieldType): boolean =>
  schema.introspection.holds(column.type, columns[type.column].type);

/** The type that a column was made with: as registered, else the model's own, else the first that fits. */
const storedType = (
  { dialect, register }: Stored,
  table: string,
  column: ColumnShape,
  field: ModelField,
): FieldDefinition | undefined => {
  const registered = register.get(table)?.fields.get(column.name);
  const own: FieldDefinition = { type: field.type, options: field.options };
  const guesses = Object.values<FieldType>(fieldTypes).map(
    (type): FieldDefinition => ({ type, options: {} }),
  );
  return [registered, own, ...guesses].find(
    (each) => each !== undefined && holdsType(dialect, column, each.type),
  );
};

const isReference = ({ type }: FieldDefinition): boolean => type.target !== undefined;

/** The stored column as a field: its type, and the rules that the database enforces. */
const storedField = (
  stored: Stored,
  { models, model }: Compared,
  table: TableShape,
  column: ColumnShape,
  field: ModelField,
): FieldDefinition | undefined => {
  const definition = storedType(stored, table.name, column, field);
  if (definition === undefined) return undefined;
  const flags: { required?: true; unique?: true; index?: true } = {};
  if (column.notNull) flags.required = true;
  if (hasIndex(table, column.name, true)) flags.unique = true;
  // An index of the model itself is none of the field.
  if (hasIndex(table, column.name, false) && !isNamedAlone(model, column.name)) flags.index = true;
  const { required: _r, unique: _u, index: _i, ...options } = definition.options as CommonOptions;
  if (definition.type.ownTable !== undefined && definition.type.ownTable === column.references?.table) {
    const { index: _, ...rest } = flags;
    return { type: definition.type, options: { ...options, ...rest } };
  }
  if (column.references === undefined && isReference(definition))
    return { type: bareType(definition), options: flags };
  if (column.references !== undefined) {
    const target = column.references.table;
    const to = [...models.values()].find((model) => model.table === target)?.name;
    const { index: _, ...rest } = flags;
    return {
      type: isReference(definition) ? definition.type : fieldTypes.reference,
      options: {
        ...rest,
        ...onDeleteOption(column.references.onDelete, column.notNull),
        ...sameOption(model, column.references),
        ...keyOption(definition),
        to: target === 'users' ? 'User' : (to ?? target),
      } as CommonOptions,
    };
  }
  return { type: definition.type, options: { ...options, ...flags } };
};

/** The type of a reference's column, where it refers to nothing. */
const bareType = (definition: FieldDefinition): FieldType =>
  bareTypeOf(keyOfReference(definition) ?? defaultKey);

const keyOption = (definition: FieldDefinition): { readonly key?: string } => {
  const { kind } = keyOfReference(definition) ?? defaultKey;
  return kind === defaultKey.kind ? {} : { key: kind };
};

const sameOption = ({ fields }: ResourceModel, { same }: ForeignKeyShape): { readonly same?: string } => {
  if (same === undefined) return {};
  const field = [...fields.values()].find(({ column }) => column === same.column);
  return { same: field?.name ?? same.column };
};

/** True if the database has no key for the field's `same`, or another one. */
const differsInSame = (
  { models, model }: Compared,
  { same: key }: ForeignKeyShape,
  { same, reference = '' }: ModelField,
  wanted: string,
): boolean => {
  if (key === undefined || same === undefined) return key !== undefined || same !== undefined;
  const [column, to] = [model.stored, referencedRows(models, reference)].map((each) => columnIn(each, same));
  return key.column !== column || key.to !== to || (key.onDelete === 'cascade') !== (wanted === 'cascade');
};

/** A model among all. */
interface Compared {
  readonly models: Models;
  readonly model: ResourceModel;
}

/** True if the model, and not the field, has an index over this one column. */
const isNamedAlone = (model: ResourceModel, column: string): boolean =>
  indexesBesideFields(model).some(
    ({ columns }) => columns.length === 1 && columnIn(model.stored, columns[0] ?? '') === column,
  );

const wantsIndex = (field: ModelField): boolean =>
  !field.unique &&
  (field.options.index === true || field.reference !== undefined || field.type.ownTable !== undefined);

/** True if the database does something else to a reference than its field says; one that holds back holds back. */
const goesOtherwise = ({ onDelete: action }: ForeignKeyShape, definition: FieldDefinition): boolean => {
  const wanted = onDelete(definition);
  return wanted === 'no action' ? action === 'set null' || action === 'cascade' : action !== wanted;
};

const aspectsOf = (
  { dialect }: Stored,
  { models, model }: Compared,
  table: TableShape,
  column: ColumnShape,
  field: ModelField,
  from: FieldDefinition | undefined,
): Aspect[] => {
  const definition: FieldDefinition = { type: field.type, options: field.options };
  const aspects: Aspect[] = [];
  const add = (aspect: Aspect, differs: boolean): void => {
    if (differs) aspects.push(aspect);
  };
  add(
    'type',
    from === undefined || !holdsType(dialect, column, field.type) || !isStoredAlike(from, definition),
  );
  add('required', field.required && !column.notNull);
  add('demanded', !field.required && column.notNull && column.preset === undefined);
  const target =
    field.reference === undefined ? field.type.ownTable : referencedTable(models, field.reference);
  const key = column.references;
  add('reference', key?.table !== target);
  add('on_delete', key?.table === target && key !== undefined && goesOtherwise(key, definition));
  add(
    'same',
    key?.table === target &&
      key !== undefined &&
      differsInSame({ models, model }, key, field, onDelete(definition)),
  );
  add('unique', field.unique !== hasIndex(table, column.name, true));
  const own = table.indexes.some(({ name }) => name === indexName(table.name, [column.name], false));
  add(
    'index',
    wantsIndex(field)
      ? !hasIndex(table, column.name, false) && !hasIndex(table, column.name, true)
      : own && !isNamedAlone(model, column.name),
  );
  return aspects;
};

const columnDifferences = (
  stored: Stored,
  models: Models,
  model: ResourceModel,
  table: TableShape,
): Difference[] => {
  const fields = declaredFields(model);
  const known = new Set<string>([...ownColumns, ...fields.map(({ column }) => column)]);
  const own = ownColumns
    .filter((column) => !table.columns.has(column))
    .map((column): Difference => ({ kind: 'missing_own_column', table: table.name, column }));
  const differing = fields.flatMap((field): Difference[] => {
    const column = table.columns.get(field.column);
    if (column === undefined) return [{ kind: 'missing_column', table: table.name, field }];
    const compared = { models, model };
    const from = storedField(stored, compared, table, column, field);
    const aspects = aspectsOf(stored, compared, table, column, field, from);
    return aspects.length === 0 ? [] : [{ kind: 'changed_column', table: table.name, field, from, aspects }];
  });
  const surplus = [...table.columns.values()]
    .filter(({ name }) => !known.has(name))
    .map(
      ({ name, notNull, preset }): Difference => ({
        kind: 'surplus_column',
        table: table.name,
        column: name,
        demanded: notNull && preset === undefined,
      }),
    );
  const id = table.columns.get('id');
  const isOther = id !== undefined && !holdsType(stored.dialect, id, model.key.field.type);
  const key: Difference[] = isOther ? [{ kind: 'changed_key', table: table.name, key: model.key.kind }] : [];
  return [...own, ...key, ...differing, ...surplus];
};

const indexDifferences = (model: ResourceModel, table: TableShape, unique: boolean): Difference[] => {
  const wanted = indexesBesideFields(model).flatMap((index) =>
    index.unique === unique ? [columnsIn(model.stored, index.columns)] : [],
  );
  // A unique index serves as well, unless a migration made it: then it goes when nothing names it.
  const serves = (index: IndexShape, columns: readonly string[]): boolean =>
    (sameColumns(index, columns) || (columns.length === 1 && sameColumns(index, [...columns, 'id']))) &&
    (index.unique === unique || (!unique && index.name !== indexName(table.name, columns, true)));
  const missing = wanted
    .filter((columns) => !table.indexes.some((index) => serves(index, columns)))
    .map(
      (columns): Difference => ({
        kind: unique ? 'missing_unique' : 'missing_index',
        table: table.name,
        columns,
      }),
    );
  // Only indexes that a migration made: another one has its reason.
  const surplus = table.indexes
    .filter(
      ({ name, columns, unique: isUnique }) =>
        isUnique === unique &&
        columns.length > 1 &&
        // It belongs to the references with `same`.
        columns[0] !== 'id' &&
        name === indexName(table.name, columns, unique) &&
        !wanted.some((each) => each.join('\0') === columns.join('\0')),
    )
    .map(
      ({ columns }): Difference => ({
        kind: unique ? 'surplus_unique' : 'surplus_index',
        table: table.name,
        columns,
      }),
    );
  return [...missing, ...surplus];
};

const searchDifferences = (model: ResourceModel, table: TableShape): Difference[] => {
  const { search: from = [] } = table;
  const to = columnsIn(model.stored, model.search);
  return from.join('\0') === to.join('\0') ? [] : [{ kind: 'changed_search', table: table.name, from, to }];
};

/** Everything that a migration would have to change so that the database is as the models say. */
export const differences = (models: Models, stored: Stored): readonly Difference[] => {
  const wanted = new Set([...models.values()].map(({ stored: { name } }) => name));
  const surplus = [...stored.register.keys()]
    .filter((table) => !wanted.has(table) && stored.tables.has(table))
    .map((table): Difference => ({ kind: 'surplus_table', table }));
  const inModels = [...models.values()].flatMap((model): Difference[] => {
    // The table of another program is as it is.
    if (model.stored.external === true) return [];
    const table = stored.tables.get(model.table);
    if (table === undefined) return [{ kind: 'missing_table', model }];
    return [
      ...columnDifferences(stored, models, model, table),
      ...indexDifferences(model, table, true),
      ...indexDifferences(model, table, false),
      ...searchDifferences(model, table),
    ];
  });
  return [...surplus, ...inModels];
};
