/** `defineEntity`: records of the service itself described as data, with their fields, list, pages and schema. */

import type { Dialect } from '../database/dialect.ts';
import type { Source, SourceColumn } from '../database/source.ts';
import { type Fragment, tableName } from '../database/statement.ts';
import type { FieldDefinition, JsonSchema } from '../fields/field.ts';
import { type Json, withoutUndefined } from '../kernel/json.ts';
import type { Label } from '../kernel/messages.ts';

/** `required` says that the column is never null: sorts and cursors are simpler and faster then. */
export const always = { required: true } as const;

/** A field of an entity: its type with further properties. */
export interface EntityField extends Pick<FieldDefinition, 'type' | 'options'> {
  /** SQL of the value, over the alias `t`; the column of this name if absent. */
  readonly value?: Fragment | ((dialect: Dialect) => Fragment);
  readonly render?: SourceColumn['render'];
  readonly emptyIsNull?: SourceColumn['emptyIsNull'];
  /** False if it cannot be filtered, sorted or searched by. */
  readonly comparable?: boolean;
  /** Description in the API description. */
  readonly note?: string;
  /** Schema of its values, if it differs from the type's. */
  readonly schema?: JsonSchema;
  /** Labels of its values, if it is not an enum. */
  readonly words?: Readonly<Record<string, Label>>;
  /** True if it serves row filters only, and no view shows it. */
  readonly hidden?: boolean;
}

/** Makes a field of a type with further properties. */
export const computed = (
  { type, options }: FieldDefinition,
  more: Omit<EntityField, 'type' | 'options'>,
): EntityField => ({ type, options, ...more });

export interface EntityDefinition extends Pick<Source, 'timed' | 'personal'> {
  /** Name of its schema in the API description. */
  readonly title: string;
  /** A table or a parenthesised select; the table of the entity's name if absent. */
  readonly from?: Fragment | ((dialect: Dialect) => Fragment);
  readonly fields: Readonly<Record<string, EntityField>>;
  /** `id` if absent. */
  readonly key?: string;
  /** First columns of indexes, besides the key. */
  readonly indexed?: readonly string[];
  /** Its list in the administration area. */
  readonly list?: EntityList;
  /** The endpoint of one record, below the path of the list. */
  readonly record?: EntityOperation;
  /** Name of its records in references and in the search. */
  readonly model?: string;
  /** Its references to other records of the service. */
  readonly references?: readonly EntityReference[];
  /** The fields that describe a record in the search: its name, and a second one. */
  readonly found?: { readonly named: string; readonly alias: string };
}

/** A reference from records of the service to other records of the service. */
export interface EntityReference {
  /** `model` of the records to which they refer. */
  readonly to: string;
  readonly field: string;
  readonly table: string;
  readonly column: string;
  /** Effect of deleting the referenced record: `keep` leaves them as they are, as the user made them for others. */
  readonly onDelete: 'restrict' | 'null' | 'cascade' | 'keep';
  /** Further condition on the referring rows. */
  readonly also?: Fragment;
  /** Name of the referring records, if they are not the entity's own. */
  readonly model?: string;
  /** Path of their list below `/admin`, with `:id` for the referenced record; that of the entity if absent. */
  readonly resource?: string;
}

/** Name and texts of an endpoint. */
export interface EntityOperation {
  readonly operation: string;
  readonly summary: Label;
  readonly description?: Label;
}

export interface EntityList extends EntityOperation {
  readonly path: string;
  /** Default order, such as `-id`. */
  readonly order?: string;
  /** Field with the id of the user who owns a row; each user sees only their own rows. */
  readonly own?: string;
}

/** Records of the service as data: their lists, pages and descriptions follow from it. */
export interface Entity extends Source, Omit<EntityDefinition, 'from' | 'key' | 'indexed'> {
  /** Visible fields, frozen: lists cache a view by the identity of its array. */
  readonly view: readonly string[];
  /** JSON Schema of a record in this view. */
  readonly schema: JsonSchema;
}

const functionOf = (sql: Fragment | ((dialect: Dialect) => Fragment)): ((dialect: Dialect) => Fragment) =>
  typeof sql === 'function' ? sql : () => sql;

/** The schema with null as a further value. */
const nullable = ({ type, enum: choices, ...rest }: JsonSchema): JsonSchema =>
  withoutUndefined<Json>({
    type: typeof type === 'string' ? [type, 'null'] : undefined,
    ...rest,
    enum: Array.isArray(choices) ? [...choices, null] : undefined,
  });

const typeSchema = ({ type, options }: EntityField): JsonSchema => {
  if (type.column === 'json') return { type: 'object' };
  const choices = type.choices?.(options, 'en').map(({ value }) => value);
  const { type: jsonType = 'string', format } = type.input(options, 'en');
  return withoutUndefined<Json>({ type: jsonType, format, enum: choices });
};

const fieldSchema = (field: EntityField): JsonSchema => {
  const { schema, note, options } = field;
  const plain = schema ?? typeSchema(field);
  const values = options.required === true || schema !== undefined ? plain : nullable(plain);
  return note === undefined ? values : { ...values, description: note };
};

/** JSON Schema of a record with these fields; the title names it in the API description. */
export const schemaOf = (
  title: string,
  fields: EntityDefinition['fields'],
  view: readonly string[] = Object.keys(fields),
): JsonSchema => ({
  type: 'object',
  title,
  properties: Object.fromEntries(
    view.flatMap((name) => {
      const field = fields[name];
      return field === undefined ? [] : [[name, fieldSchema(field)]];
    }),
  ),
  required: [...view],
});

/** An entity with fewer visible fields. */
export const narrowed = (entity: Entity, title: string, names: readonly string[]): Entity => ({
  ...entity,
  title,
  view: Object.freeze([...names]),
  schema: schemaOf(title, entity.fields, names),
});

/** Makes an entity; `name` is its table if it has no `from`. */
export const defineEntity = (name: string, definition: EntityDefinition): Entity => {
  const { from = tableName(name), fields, key = 'id', indexed = [], ...rest } = definition;
  const view = Object.freeze(Object.keys(fields).filter((each) => fields[each]?.hidden !== true));
  return {
    ...rest,
    name,
    from: functionOf(from),
    fields,
    columns: new Map(
      Object.entries(fields).map(([each, { type, options, value, render, emptyIsNull, comparable }]) => [
        each,
        {
          name: each,
          type,
          options,
          expression: value && functionOf(value),
          render,
          emptyIsNull,
          comparable,
        },
      ]),
    ),
    key,
    indexed: new Set([key, ...indexed]),
    view,
    schema: schemaOf(definition.title, fields, view),
  };
};
