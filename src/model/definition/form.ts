/**
 * The schemas of input in the form that react-jsonschema-form renders without an adapter, and its uiSchema. They
 * accept the same values as the originals; only their form differs, so nothing here is a rule.
 */

import type { JsonSchema } from '../../fields/field.ts';
import { isJsonObject, type Json, type JsonObject } from '../../kernel/json.ts';
import type { Locale } from '../../kernel/messages.ts';
import { deleteKey, inputsFor, itemFields, type NestedInput } from '../nested-schema.ts';
import type { FieldSet, ModelField } from '../resource.ts';
import { bodyFields } from '../schema.ts';

/** Formats of JSON Schema itself, which form libraries know; they report others. */
const knownFormats: ReadonlySet<Json> = new Set(['date', 'date-time', 'email', 'uri', 'uuid']);

const withoutOwnFormat = ({ format, ...schema }: JsonSchema): JsonSchema =>
  format !== undefined && knownFormats.has(format) ? { ...schema, format } : schema;

/** Has a default, because choosing it would otherwise send nothing instead of null. */
const nullFirst: JsonSchema = { title: '—', type: 'null', default: null };

/** Alternatives in place of a list of types, from which a form cannot choose. */
const withAlternatives = (field: ModelField, schema: JsonSchema, locale: Locale): JsonSchema => {
  const { alternatives } = field.type.form?.(field.options, locale) ?? {};
  if (alternatives === undefined) return schema;
  const { title = '', default: preset } = schema;
  const anyOf = field.required ? [...alternatives] : [nullFirst, ...alternatives];
  return preset === undefined ? { title, anyOf } : { title, default: preset, anyOf };
};

/** A form preselects the first of labelled choices: where it does not know the value, it would overwrite it. */
const withoutPreselection = (schema: JsonSchema): JsonSchema => {
  const { oneOf, ...rest } = schema;
  if (!Array.isArray(oneOf)) return schema;
  return {
    ...rest,
    enum: oneOf.map((choice: Json) => (isJsonObject(choice) ? (choice['const'] ?? null) : null)),
  };
};

/** An input schema for a form that begins with the values of the `known` fields, or with defaults. */
export const formSchema = (
  model: FieldSet,
  input: JsonSchema,
  known: ReadonlySet<string>,
  locale: Locale,
): JsonSchema => {
  const properties = Object.entries(input['properties'] ?? {}).map(([name, schema]): [string, Json] => {
    const field = model.fields.get(name);
    if (field === undefined || !isJsonObject(schema)) return [name, schema];
    const rendered = withAlternatives(field, withoutOwnFormat(schema), locale);
    return [name, known.has(name) ? rendered : withoutPreselection(rendered)];
  });
  return { ...input, properties: Object.fromEntries(properties) };
};

/** A text that is cleared in a form becomes null where null is allowed; by default the form would send nothing. */
const uiOf = (field: ModelField, locale: Locale): JsonObject => {
  const { ui = {} } = field.type.form?.(field.options, locale) ?? {};
  return field.required ? ui : { ...ui, 'ui:emptyValue': null };
};

/** uiSchema of react-jsonschema-form: mirrors the fields of both forms. */
export const uiSchemaOf = (fields: readonly ModelField[], locale: Locale): JsonObject => {
  const entries = fields.map((field): [string, Json] => [field.name, uiOf(field, locale)]);
  return { 'ui:order': fields.map(({ name }) => name), ...Object.fromEntries(entries) };
};

const nothing: ReadonlySet<string> = new Set();

/** The form of lists of records within the record, whose new items begin with defaults. */
export const nestedForm = (
  schema: JsonSchema,
  action: 'create' | 'update',
  inputs: readonly NestedInput[],
  locale: Locale,
): JsonSchema => {
  const itemInputs = inputsFor(inputs, action);
  if (itemInputs.length === 0) return schema;
  const properties = schema['properties'] as JsonSchema;
  const lists = itemInputs.map(({ relation: { name }, model, access, within }): [string, Json] => {
    const list = properties[name] as JsonSchema;
    const known = action === 'create' ? itemFields(access, action) : (access.shown ?? nothing);
    const items = formSchema(model, list['items'] as JsonSchema, known, locale);
    return [name, { ...list, items: nestedForm(items, action, within, locale) }];
  });
  return { ...schema, properties: { ...properties, ...Object.fromEntries(lists) } };
};

/** The id of an item is sent with it and cannot be changed; the order of items is not stored. */
const nestedUi = ({ model, access, within }: NestedInput, locale: Locale): JsonObject => {
  const ui = withNestedUi(
    uiSchemaOf(bodyFields(model, itemFields(access, 'update')), locale),
    within,
    locale,
  );
  const order = ['id', ...(ui['ui:order'] as readonly string[]), deleteKey];
  const items = { ...ui, 'ui:order': order, id: { 'ui:widget': 'hidden' } };
  return { 'ui:options': { orderable: false }, items };
};

/** A uiSchema, completed by the uiSchemas of the lists of records within the record. */
export const withNestedUi = (ui: JsonObject, inputs: readonly NestedInput[], locale: Locale): JsonObject => {
  const itemInputs = inputsFor(inputs, 'update');
  if (itemInputs.length === 0) return ui;
  const names = itemInputs.map(({ relation }) => relation.name);
  const lists = itemInputs.map((input): [string, Json] => [input.relation.name, nestedUi(input, locale)]);
  return {
    ...ui,
    'ui:order': [...(ui['ui:order'] as readonly string[]), ...names],
    ...Object.fromEntries(lists),
  };
};
