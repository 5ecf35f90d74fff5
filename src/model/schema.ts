import type { JsonSchema } from '../fields/field.ts';
import type { Json } from '../kernel/json.ts';
import type { Locale } from '../kernel/messages/catalogue.ts';
import { labelText } from '../kernel/messages/messages.ts';
import type { FieldSet, ModelField } from './resource.ts';

/** Choice of a form that clears an optional field. Its type is named for generators that do not take one from `const`. */
const nothing = { type: 'null', const: null, title: '—' } as const;

const listOf = (value: Json | undefined): readonly Json[] =>
  value === undefined ? [] : Array.isArray(value) ? value : [value];

/** The same schema, null included: first among choices, since a form begins with the first one. */
const nullable = (schema: JsonSchema): JsonSchema => ({
  ...schema,
  type: [...listOf(schema['type']), 'null'],
  ...(schema['oneOf'] === undefined ? {} : { oneOf: [nothing, ...listOf(schema['oneOf'])] }),
});

const described = (field: ModelField, schema: JsonSchema, locale: Locale): JsonSchema => ({
  title: labelText(field.label, locale),
  ...(field.required ? schema : nullable(schema)),
});

const defaultOf = ({ options }: ModelField): JsonSchema =>
  options.default === undefined ? {} : { default: options.default };

const inputField = (field: ModelField, action: 'create' | 'update', locale: Locale): JsonSchema => ({
  ...described(field, field.type.input(field.options, locale), locale),
  ...(action === 'create' ? defaultOf(field) : {}),
});

/** An answer promises what a value is, not the limits that once were asked of it: those may have changed since. */
const promised = ['type', 'format', 'oneOf', 'items', 'additionalProperties'];

const outputField = (field: ModelField, locale: Locale): JsonSchema => {
  const { type, options } = field;
  const schema =
    type.output?.(options, locale) ??
    Object.fromEntries(Object.entries(type.input(options, locale)).filter(([key]) => promised.includes(key)));
  return {
    ...described(field, schema, locale),
    ...(field.serverSet ? { readOnly: true } : {}),
  };
};

const isWritable = (field: ModelField, writable: ReadonlySet<string>): boolean =>
  !field.serverSet && writable.has(field.name);

/** Fields that a body of this caller may hold, in order. */
export const bodyFields = (model: FieldSet, writable: ReadonlySet<string>): readonly ModelField[] =>
  [...model.fields.values()].filter((field) => isWritable(field, writable));

/** A field that a new record needs, that has no default and that none of these bodies holds. */
export const lackingField = ({ fields }: FieldSet, writable: ReadonlySet<string>): ModelField | undefined =>
  [...fields.values()].find(
    ({ name, required, serverSet, options }) =>
      required && !serverSet && options.default === undefined && !writable.has(name),
  );

/**
 * Schema of the record inside a body. On update no field is required: one that is absent stays as it is. Unknown
 * fields are ignored, so they are not refused here.
 */
export const inputSchema = (
  model: FieldSet,
  action: 'create' | 'update',
  writable: ReadonlySet<string>,
  locale: Locale,
): JsonSchema => {
  const fields = bodyFields(model, writable);
  const required = fields
    .filter((field) => action === 'create' && field.required && field.options.default === undefined)
    .map(({ name }) => name);
  return {
    type: 'object',
    title: labelText(model.label, locale),
    properties: Object.fromEntries(fields.map((field) => [field.name, inputField(field, action, locale)])),
    ...(required.length === 0 ? {} : { required }),
  };
};

/** Schema of a record as it is answered: every one of these fields, null where there is no value. */
export const outputSchema = (model: FieldSet, names: readonly string[], locale: Locale): JsonSchema => {
  const fields = names.flatMap((name) => model.fields.get(name) ?? []);
  return {
    type: 'object',
    title: labelText(model.label, locale),
    properties: Object.fromEntries(fields.map((field) => [field.name, outputField(field, locale)])),
    required: [...names],
  };
};
