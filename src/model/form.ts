import type { JsonSchema } from '../fields/field.ts';
import { isJsonObject, type Json, type JsonObject } from '../kernel/json.ts';
import type { Locale } from '../kernel/messages/catalogue.ts';
import type { FieldSet, ModelField } from './resource.ts';

/**
 * The schemas of input as react-jsonschema-form renders them without an adapter, and its uiSchema. What is accepted is
 * the same; only how it is said differs, so nothing here is a rule.
 */

/** Formats of JSON Schema itself that form libraries know; of others they complain. */
const knownFormats: ReadonlySet<Json> = new Set(['date', 'date-time', 'email', 'uri', 'uuid']);

const withoutOwnFormat = ({ format, ...schema }: JsonSchema): JsonSchema =>
  format !== undefined && knownFormats.has(format) ? { ...schema, format } : schema;

/** Has a default, or choosing it would send nothing instead of null. */
const nullFirst: JsonSchema = { title: '—', type: 'null', default: null };

/** Alternatives in place of a list of types, which a form cannot choose from. */
const withAlternatives = (field: ModelField, schema: JsonSchema, locale: Locale): JsonSchema => {
  const { alternatives } = field.type.form?.(field.options, locale) ?? {};
  if (alternatives === undefined) return schema;
  const { title = '', default: preset } = schema;
  return {
    title,
    ...(preset === undefined ? {} : { default: preset }),
    anyOf: field.required ? [...alternatives] : [nullFirst, ...alternatives],
  };
};

/** A form begins with the first of labelled choices: where it cannot know the value, it would overwrite it with that. */
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

/** A text that is emptied in a form becomes null where null is allowed; left to itself the form would send nothing. */
const uiOf = (field: ModelField, locale: Locale): JsonObject => ({
  ...field.type.form?.(field.options, locale).ui,
  ...(field.required ? {} : { 'ui:emptyValue': null }),
});

/** uiSchema of react-jsonschema-form: mirrors the fields of both forms. */
export const uiSchemaOf = (fields: readonly ModelField[], locale: Locale): JsonObject => {
  const entries = fields.map((field): [string, Json] => [field.name, uiOf(field, locale)]);
  return { 'ui:order': fields.map(({ name }) => name), ...Object.fromEntries(entries) };
};
