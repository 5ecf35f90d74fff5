import type { Dialect } from '../database/dialect.ts';
import type { Source, SourceColumn } from '../database/source.ts';
import { type Fragment, identifier } from '../database/statement.ts';
import type { FieldDefinition, JsonSchema } from '../fields/field.ts';
import type { Label } from '../kernel/messages/messages.ts';

/** `required` says that the column is never null: sorts and cursors are simpler and faster then. */
export const always = { required: true } as const;

/** A field of an entity, and what its type does not say of it. */
export interface EntityField extends Pick<FieldDefinition, 'type' | 'options'> {
  /** SQL of the value, over the alias `t`; the column of this name where absent. */
  readonly value?: Fragment | ((dialect: Dialect) => Fragment);
  readonly render?: SourceColumn['render'];
  /** False where it cannot be filtered, sorted or searched by. */
  readonly comparable?: boolean;
  /** What the API description says of it. */
  readonly note?: string;
  /** Schema of its values, where it is not the type's. */
  readonly schema?: JsonSchema;
  /** What people read in place of its values, where they are not an enum's. */
  readonly words?: Readonly<Record<string, Label>>;
  /** Whether it is there for row filters only, and no view shows it. */
  readonly hidden?: boolean;
}

/** A field of a type, with what the type does not say of it. */
export const computed = (
  { type, options }: FieldDefinition,
  more: Omit<EntityField, 'type' | 'options'>,
): EntityField => ({ type, options, ...more });

export interface EntityDefinition extends Pick<Source, 'timed' | 'personal'> {
  /** Name of its schema in the API description. */
  readonly title: string;
  /** A table or a parenthesised select; the table of the entity's name where absent. */
  readonly from?: Fragment | ((dialect: Dialect) => Fragment);
  readonly fields: Readonly<Record<string, EntityField>>;
  /** `id` where absent. */
  readonly key?: string;
  /** Columns by which an index leads, besides the key. */
  readonly indexed?: readonly string[];
  /** Its list in the administration area. */
  readonly list?: EntityList;
  /** One record of it, below the path of the list. */
  readonly record?: EntityOperation;
  /** Name under which references and the search tell of its records. */
  readonly model?: string;
  /** By which fields its records refer to others of the service. */
  readonly references?: readonly EntityReference[];
  /** Fields that name a record where the search finds it, and one that says more. */
  readonly found?: { readonly named: string; readonly alias: string };
}

/** How records of the service's own refer to others of its own. */
export interface EntityReference {
  /** `model` of what they refer to. */
  readonly to: string;
  readonly field: string;
  readonly table: string;
  readonly column: string;
  /** What a deletion does: `keep` leaves them as they are, as the user made them for others. */
  readonly onDelete: 'restrict' | 'null' | 'cascade' | 'keep';
  /** Further condition of the rows that refer. */
  readonly also?: Fragment;
  /** Name of what refers, where it is not the entity itself. */
  readonly model?: string;
  /** Path of their list below `/admin`, with `:id` of what they refer to; that of the entity where absent. */
  readonly resource?: string;
}

/** Words and name of an endpoint. */
export interface EntityOperation {
  readonly operation: string;
  readonly summary: Label;
  readonly description?: Label;
}

export interface EntityList extends EntityOperation {
  readonly path: string;
  /** Order where the query asks for none: `-id`. */
  readonly order?: string;
  /** Field with the id of the user whose rows they are, who alone sees them. */
  readonly own?: string;
}

/** Records of the service's own, as data: everything that lists, shows or describes them follows from it. */
export interface Entity extends Source, Omit<EntityDefinition, 'from' | 'key' | 'indexed'> {
  /** Fields that are shown, frozen: lists recognise a view by its very array. */
  readonly view: readonly string[];
  /** JSON Schema of a record in this view. */
  readonly schema: JsonSchema;
}

const functionOf = (sql: Fragment | ((dialect: Dialect) => Fragment)): ((dialect: Dialect) => Fragment) =>
  typeof sql === 'function' ? sql : () => sql;

/** A schema that takes null as well. */
const nullable = ({ type, enum: choices, ...rest }: JsonSchema): JsonSchema => ({
  ...(typeof type === 'string' ? { type: [type, 'null'] } : {}),
  ...rest,
  ...(Array.isArray(choices) ? { enum: [...choices, null] } : {}),
});

const typeSchema = ({ type, options }: EntityField): JsonSchema => {
  if (type.column === 'json') return { type: 'object' };
  const choices = type.choices?.(options, 'en').map(({ value }) => value);
  const { type: jsonType = 'string', format } = type.input(options, 'en');
  return {
    type: jsonType,
    ...(format === undefined ? {} : { format }),
    ...(choices === undefined ? {} : { enum: choices }),
  };
};

const fieldSchema = (field: EntityField): JsonSchema => {
  const { schema, note, options } = field;
  const plain = schema ?? typeSchema(field);
  return {
    ...(options.required === true || schema !== undefined ? plain : nullable(plain)),
    ...(note === undefined ? {} : { description: note }),
  };
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

/** An entity of which a narrower view is shown. */
export const narrowed = (entity: Entity, title: string, names: readonly string[]): Entity => ({
  ...entity,
  title,
  view: Object.freeze([...names]),
  schema: schemaOf(title, entity.fields, names),
});

/** Makes an entity; its name is that of its table where it has no `from`. */
export const defineEntity = (name: string, definition: EntityDefinition): Entity => {
  const { from = identifier(name), fields, key = 'id', indexed = [], ...rest } = definition;
  const view = Object.freeze(Object.keys(fields).filter((each) => fields[each]?.hidden !== true));
  return {
    ...rest,
    name,
    from: functionOf(from),
    fields,
    columns: new Map(
      Object.entries(fields).map(([each, { type, options, value, render, comparable }]) => [
        each,
        {
          name: each,
          type,
          options,
          ...(value === undefined ? {} : { expression: functionOf(value) }),
          ...(render === undefined ? {} : { render }),
          ...(comparable === undefined ? {} : { comparable }),
        },
      ]),
    ),
    key,
    indexed: new Set([key, ...indexed]),
    view,
    schema: schemaOf(definition.title, fields, view),
  };
};
