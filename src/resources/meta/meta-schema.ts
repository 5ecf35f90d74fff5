/** The JSON Schema of a metadata endpoint's response. */

import { buckets, measures } from '../../fields/aggregates.ts';
import { choiceColours } from '../../fields/colours.ts';
import type { JsonSchema } from '../../fields/field.ts';
import { fieldKinds } from '../../fields/registry.ts';
import { valueSchemas } from '../../http/schemas.ts';
import { iconNames } from '../../model/describe.ts';
import { actions } from '../../model/resource.ts';

const { text } = valueSchemas;
const flag: JsonSchema = { type: 'boolean' };
const jsonSchema: JsonSchema = { type: 'object', additionalProperties: true };

const object = (
  properties: Readonly<Record<string, JsonSchema>>,
  optional: Readonly<Record<string, JsonSchema>> = {},
): JsonSchema => ({
  type: 'object',
  properties: { ...properties, ...optional },
  required: Object.keys(properties),
});

/** Rules of writes by name; see `namedRules`. */
const eachWrite = (schema: JsonSchema): Readonly<Record<string, JsonSchema>> => ({
  write: schema,
  create: schema,
  update: schema,
  destroy: schema,
});

const listOf = (items: JsonSchema): JsonSchema => ({ type: 'array', items });

const endpoint = object({
  action: { type: 'string', enum: [...actions, 'aggregate', 'history', 'restore'] },
  method: text,
  path: text,
  authentication: { ...listOf(text), description: 'Any one is enough; empty: open' },
});

const field = object(
  {
    name: text,
    label: text,
    type: { type: 'string', enum: [...fieldKinds] },
    required: flag,
    unique: {
      enum: [true, false, 'owner'],
      description: 'No two records share the value; owner: no two records of one owner',
    },
    read_only: { type: 'boolean', description: 'Writing it has no effect for this caller' },
    operators: { ...listOf(text), description: 'filter[field][operator] of the list' },
    sortable: flag,
    searchable: flag,
    groupable: { type: 'boolean', description: 'Whether records can be grouped by it' },
    buckets: { ...listOf({ type: 'string', enum: [...buckets] }), description: 'group=field:bucket' },
    measures: {
      ...listOf({ type: 'string', enum: [...measures] }),
      description: 'Values that can be computed from it',
    },
  },
  {
    default: {},
    group: { type: 'string', description: 'Heading under which forms show it' },
    choices: listOf(
      object({ value: text, label: text }, { color: { type: 'string', enum: [...choiceColours] } }),
    ),
    bounds: { type: 'object', additionalProperties: { type: ['string', 'number'] } },
    reference: { type: 'string', description: 'Model whose id it holds' },
    on_delete: {
      type: 'string',
      enum: ['restrict', 'null', 'cascade'],
      description:
        'For a reference: the consequence of deleting the referenced record. It is refused, the reference becomes null, or this record is deleted too',
    },
    same: {
      type: 'string',
      description:
        'For a reference: another reference of the model. The referenced record has the same value there as this record; any other is refused like a missing one',
    },
    anyone: {
      type: 'boolean',
      description:
        'For a reference. False: an id that the caller cannot read in detail is refused like a missing one; true: any existing record can be referenced',
    },
  },
);

const relation = object(
  {
    name: { type: 'string', description: 'For include=, and in filter[name.field] and sort=name.field' },
    label: text,
    many: { type: 'boolean', description: 'Whether it leads to any number of records, returned as an array' },
    model: { type: 'string', description: 'Model of the records; User: a user of the service' },
    write: { type: 'boolean', description: 'Its records can be written within this one' },
    fields: {
      ...listOf(
        object({
          name: text,
          operators: { ...listOf(text), description: 'filter[relation.name][operator]' },
          sortable: flag,
        }),
      ),
      description:
        'Fields of the records that this caller reads and fields[relation] can choose; the metadata of that model has the rest',
    },
  },
  {
    field: { type: 'string', description: 'For one record: the reference by which this record names it' },
    by: {
      type: 'string',
      description: 'For many: the reference by which they, or the records between, name this one',
    },
    through: { type: 'string', description: 'For many: model of the records between' },
    on: { type: 'string', description: 'With through: the reference by which those name the other side' },
  },
);

const opened = object({
  model: text,
  path: text,
  access: { type: 'string', enum: ['read', 'write'] },
  field: {
    type: ['string', 'null'],
    description: 'Its field with the value of `on`; null: one of a record that it refers to',
  },
  on: { type: 'string', description: 'Field of the membership' },
  where: {
    ...listOf(object({ field: text, values: listOf(text) })),
    description: 'Required values of the membership; one of several values is enough',
  },
});

/** The answer of a metadata endpoint. The title names it in the API description. */
export const metadataSchema: JsonSchema = {
  title: 'ModelMetadata',
  ...object(
    {
      model: text,
      singular: { type: 'string', description: 'Key of a body' },
      plural: text,
      label: text,
      plural_label: { ...text, description: 'Label of several records' },
      endpoints: listOf(endpoint),
      fields: listOf(field),
      relations: {
        ...listOf(relation),
        description: 'Those that this caller may follow; further ones are in the metadata of their models',
      },
      schemas: object({ create: jsonSchema, update: jsonSchema, read: jsonSchema }),
      uiSchema: { ...jsonSchema, description: 'For react-jsonschema-form' },
      unique: {
        ...listOf(listOf(text)),
        description: 'Sets of fields whose combined values are unique',
      },
      permissions: object(Object.fromEntries(actions.map((action) => [action, flag]))),
    },
    {
      icon: { type: 'string', enum: [...iconNames], description: 'In the administration area' },
      display: { type: 'string', description: 'Name of a record: `{number} · {status}`' },
      menu: { type: 'string', description: 'Heading above it in the menu of the administration area' },
      isolation: {
        ...object(
          {
            read: text,
            rules: {
              ...object({ read: jsonSchema }, eachWrite(jsonSchema)),
              description: 'The same as trees',
            },
          },
          eachWrite(text),
        ),
        description:
          'Which records callers other than super_admin and admin read, and which of those they write; absent: every one. In place of write there are create, update and destroy where their rules differ. Where reads are public, read is what updates and deletes find',
      },
      events: { ...flag, description: 'Whether each write is an event; absent: it is not' },
      trash: { type: 'boolean', description: 'Whether a deleted record can be restored' },
      manage: {
        ...text,
        description:
          'Which deleted records callers other than super_admin and admin see and restore; absent: none',
      },
      reasons: {
        ...object({ create: text }),
        description: 'Why a permission that the table grants is false',
      },
      referenced_by: {
        ...listOf(object({ model: text, field: text, label: text })),
        description: 'In the administration area: references of other models to its records',
      },
      opens: {
        ...listOf(opened),
        description:
          'In the administration area: what row rules open by its records, which are then memberships',
      },
    },
  ),
};
