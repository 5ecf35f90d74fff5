import { bucketsOf, isGroupable, type Measure, measuresOf } from '../fields/aggregates.ts';
import type { JsonSchema } from '../fields/field.ts';
import type { Json } from '../kernel/json.ts';
import type { Locale } from '../kernel/messages.ts';
import type { FieldSet, ModelField } from './resource.ts';
import { outputSchema } from './schema.ts';

const typesOf = (schema: JsonSchema): readonly Json[] => {
  const type = schema['type'] ?? [];
  return Array.isArray(type) ? type : [type];
};

/** Without values there is neither a sum nor a minimum. */
const orNull = (schema: JsonSchema): JsonSchema => ({
  ...schema,
  type: [...new Set([...typesOf(schema), 'null'])],
});

/** Digits where a whole number exceeds the range of a number; always, where the field itself is returned as text. */
const sumSchema = (field: ModelField, own: JsonSchema): JsonSchema =>
  field.type.column === 'integer' ? { ...own, type: ['integer', 'string', 'null'] } : orNull(own);

const measureSchema = (measure: Measure, field: ModelField, own: JsonSchema): JsonSchema => {
  if (measure === 'avg') return { title: own['title'] ?? field.name, type: ['number', 'null'] };
  return measure === 'sum' ? sumSchema(field, own) : orNull(own);
};

type NamedSchema = readonly [string, JsonSchema];

const fieldEntries = (field: ModelField, own: JsonSchema): NamedSchema[] => {
  const { name, type, required } = field;
  const span: JsonSchema = { title: own['title'] ?? name, type: required ? 'string' : ['string', 'null'] };
  const computed = [
    ...bucketsOf(type).map((bucket) => [`${name}_${bucket}`, span] as const),
    ...measuresOf(type).map((measure) => [`${measure}_${name}`, measureSchema(measure, field, own)] as const),
  ];
  return isGroupable(type) ? [[name, own], ...computed] : computed;
};

/** Schema of a group: all keys that a request can ask for. Some records hide the `optional` fields. */
export const groupSchema = (
  set: FieldSet,
  names: readonly string[],
  locale: Locale,
  optional?: ReadonlySet<string>,
): JsonSchema => {
  // A field counts as null in the records that hide it.
  const fieldsSeen = [...set.fields].map(([name, field]): [string, ModelField] => [
    name,
    optional?.has(name) === true ? { ...field, required: false } : field,
  ]);
  const model: FieldSet = { ...set, fields: new Map(fieldsSeen) };
  const own = (outputSchema(model, names, locale)['properties'] ?? {}) as Record<string, JsonSchema>;
  const fields = names.flatMap((name) => model.fields.get(name) ?? []);
  const properties = new Map<string, JsonSchema>([['count', { type: 'integer', minimum: 0 }]]);
  // A field may have the name of a computed key: then the request decides what the key means.
  for (const [name, schema] of fields.flatMap((field) => fieldEntries(field, own[field.name] ?? {})))
    properties.set(name, properties.has(name) ? {} : schema);
  return { type: 'object', properties: Object.fromEntries(properties) };
};
