/** JSON Schemas of a model's records, for bodies and responses of one caller. */

import type { JsonSchema } from '../fields/field.ts';
import type { Json } from '../kernel/json.ts';
import { type Label, type Locale, labelText } from '../kernel/messages.ts';
import type { FieldSet, ModelField, ResourceModel } from './resource.ts';

/**
 * Choice of a form that clears an optional field. Its type is explicit for generators that do not derive it from
 * `const`.
 */
const nothing = { type: 'null', const: null, title: '—' } as const;

const listOf = (value: Json | undefined): readonly Json[] =>
  value === undefined ? [] : Array.isArray(value) ? value : [value];

/** The schema with null: first among choices, since a form begins with the first one. */
const nullable = (schema: JsonSchema): JsonSchema => {
  const type = [...listOf(schema['type']), 'null'];
  const { oneOf } = schema;
  return oneOf === undefined ? { ...schema, type } : { ...schema, type, oneOf: [nothing, ...listOf(oneOf)] };
};

const described = (field: ModelField, schema: JsonSchema, locale: Locale): JsonSchema => {
  const values = field.required ? schema : nullable(schema);
  return { title: labelText(field.label, locale), ...values };
};

const inputField = (field: ModelField, action: 'create' | 'update', locale: Locale): JsonSchema => {
  const schema = described(field, field.type.input(field.options, locale), locale);
  const preset = action === 'create' ? field.options.default : undefined;
  return preset === undefined ? schema : { ...schema, default: preset };
};

/**
 * A response schema promises types, not the limits of input, which may have been different when a value was stored.
 */
const keptKeywords = ['type', 'format', 'oneOf', 'items', 'additionalProperties'];

const outputField = (field: ModelField, locale: Locale): JsonSchema => {
  const { type, options } = field;
  const schema =
    type.output?.(options, locale) ??
    Object.fromEntries(
      Object.entries(type.input(options, locale)).filter(([key]) => keptKeywords.includes(key)),
    );
  const shown = described(field, schema, locale);
  return field.serverSet ? { ...shown, readOnly: true } : shown;
};

const isWritable = (field: ModelField, writable: ReadonlySet<string>): boolean =>
  !field.serverSet && writable.has(field.name);

/** Fields that a body of this caller may have, in order. */
export const bodyFields = (model: FieldSet, writable: ReadonlySet<string>): readonly ModelField[] =>
  [...model.fields.values()].filter((field) => isWritable(field, writable));

/** A required field without a default that none of these bodies has. */
export const lackingField = ({ fields }: FieldSet, writable: ReadonlySet<string>): ModelField | undefined =>
  [...fields.values()].find(
    ({ name, required, serverSet, options }) =>
      required && !serverSet && options.default === undefined && !writable.has(name),
  );

/**
 * Schema of the record inside a body. On update no field is required: an absent one stays unchanged. Unknown fields
 * are ignored, so they are not refused here.
 * @param isNew whether the record may be a new one, which has the fields that never change
 */
export const inputSchema = (
  model: FieldSet,
  action: 'create' | 'update',
  writable: ReadonlySet<string>,
  locale: Locale,
  isNew = action === 'create',
): JsonSchema => {
  const fields = bodyFields(model, writable).filter(({ fixed }) => isNew || !fixed);
  const required = fields
    .filter((field) => action === 'create' && field.required && field.options.default === undefined)
    .map(({ name }) => name);
  const schema = {
    type: 'object',
    title: labelText(model.label, locale),
    properties: Object.fromEntries(fields.map((field) => [field.name, inputField(field, action, locale)])),
  };
  return required.length === 0 ? schema : { ...schema, required };
};

/** The mark of a field that is absent from some records. */
const conditional = { 'x-gatewright': { conditional: true } } as const;

const nothingOptional: ReadonlySet<string> = new Set();

/** The fields that callers other than administrators see in some records only. */
export const conditionalFields = ({ rules }: Pick<ResourceModel, 'rules'>): ReadonlySet<string> =>
  rules.viewedWhen.length === 0 ? nothingOptional : new Set(rules.viewedWhen.flatMap(({ fields }) => fields));

/**
 * Schema of a record in a response: every one of these fields, null where there is no value. `optional` are absent from
 * some records.
 */
export const outputSchema = (
  model: FieldSet,
  names: readonly string[],
  locale: Locale,
  optional: ReadonlySet<string> = nothingOptional,
): JsonSchema => {
  const fields = names.flatMap((name) => model.fields.get(name) ?? []);
  const schemaOf = (field: ModelField): JsonSchema => {
    const schema = outputField(field, locale);
    return optional.has(field.name) ? { ...schema, ...conditional } : schema;
  };
  return {
    type: 'object',
    title: labelText(model.label, locale),
    properties: Object.fromEntries(fields.map((field) => [field.name, schemaOf(field)])),
    required: names.filter((name) => !optional.has(name)),
  };
};

const versionText: Label = {
  'zh-CN': '记录的版本，用于 `If-Match: "<version>-list"`；仅在 `fields` 中写明时返回',
  en: 'The version of the record, for `If-Match: "<version>-list"`; only if `fields` names it',
};

/** Schema of a record in a list, with the version, which `fields` may ask for. */
export const listItemSchema = (
  ...[model, names, locale, optional]: Parameters<typeof outputSchema>
): JsonSchema => {
  const schema = outputSchema(model, names, locale, optional);
  const description = labelText(versionText, locale);
  const version = { type: 'integer', minimum: 1, description, ...conditional };
  return { ...schema, properties: { ...(schema['properties'] as JsonSchema), version } };
};
