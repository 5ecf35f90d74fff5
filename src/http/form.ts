/** Parses form-encoded bodies into the record that the same request would have in JSON. */

import type { JsonSchema } from '../fields/field.ts';
import { isJsonObject, isStorableText, type Json, type JsonObject, own } from '../kernel/json.ts';
import { Problem } from '../kernel/problem.ts';

/**
 * Limit of the fields of a form.
 * @limit Bodies | fields of a form | count | 400
 */
export const maxFields = 200;

/** Decodes one name or value of a form. @throws Problem `invalid_text` for bad percent-encoding or UTF-8 */
const decodeComponent = (text: string): string => {
  try {
    const decoded = decodeURIComponent(text.replaceAll('+', ' '));
    if (isStorableText(decoded)) return decoded;
  } catch (cause) {
    throw new Problem('invalid_text', { cause });
  }
  throw new Problem('invalid_text');
};

const typesOf = (schema: Json | undefined): readonly Json[] => {
  if (!isJsonObject(schema)) return [];
  const type = own(schema, 'type');
  return Array.isArray(type) ? type : type === undefined ? [] : [type];
};

/** Tells whether a text is a number in JSON's notation. */
const isNumber = (text: string): boolean => /^-?\d{1,17}(?:\.\d{1,17})?(?:e[+-]?\d{1,3})?$/i.test(text);

/**
 * Converts a text of a form to the type in the schema. A text that does not fit stays as it is, so that validation
 * reports it.
 */
const typed = (text: string, schema: Json | undefined): Json => {
  const types = typesOf(schema);
  if (text === '' && (types.includes('null') || !types.includes('string'))) return null;
  if (types.includes('integer') && /^-?\d{1,16}$/.test(text)) return Number(text);
  if (types.includes('number') && !types.includes('string') && isNumber(text)) return Number(text);
  if (types.includes('boolean') && (text === 'true' || text === '1')) return true;
  if (types.includes('boolean') && (text === 'false' || text === '0')) return false;
  return text;
};

type Pair = readonly [name: string, text: string];

/** Returns the pairs of a form-encoded body, still encoded. @throws Problem `bad_request` for too many */
const pairsOf = (bytes: Uint8Array): readonly Pair[] => {
  const pairs = new TextDecoder('latin1').decode(bytes).split('&');
  if (pairs.length > maxFields) throw new Problem('bad_request');
  return pairs.map((pair) => {
    const equals = pair.indexOf('=');
    return equals < 0 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)];
  });
};

const schemaOf = (schema: JsonSchema, field: string): Json | undefined => {
  const properties = own(schema, 'properties');
  return isJsonObject(properties) ? own(properties, field) : undefined;
};

/** Returns the fields as a JSON object with the types of the schema; the last of several of one name counts. */
export const typedFields = (fields: Iterable<Pair>, schema: JsonSchema): JsonObject =>
  Object.fromEntries(
    Iterator.from(fields).map(([name, text]) => [name, typed(text, schemaOf(schema, name))]),
  );

/** Parses a form-encoded body whose names are the fields themselves. */
export const parseFields = (bytes: Uint8Array, schema: JsonSchema): JsonObject =>
  typedFields(
    pairsOf(bytes).flatMap(([name, text]): Pair[] =>
      name === '' ? [] : [[decodeComponent(name), decodeComponent(text)]],
    ),
    schema,
  );

/** The names `key[field]` and `field`; `[]` behind either appends to a list. */
const fieldName = /^(?:([a-z_]+)\[([a-z_]+)\]|([a-z_]+))(\[\])?$/;

/**
 * Parses a form-encoded body into the record that the same request would have in JSON: pairs `key[field]=value`, or
 * `field=value` where the schema has the field. Other pairs are ignored, as unknown fields of a JSON body are.
 */
export const parseForm = (bytes: Uint8Array, key: string, schema: JsonSchema): JsonObject => {
  const fields = new Map<string, Json>();
  for (const [encoded, value] of pairsOf(bytes)) {
    const [, of = key, inner, plain, many] = fieldName.exec(decodeComponent(encoded)) ?? [];
    const field = inner ?? plain;
    if (field === undefined || of !== key) continue;
    if (inner === undefined && schemaOf(schema, field) === undefined) continue;
    const text = decodeComponent(value);
    const earlier = fields.get(field);
    if (many !== undefined) fields.set(field, Array.isArray(earlier) ? [...earlier, text] : [text]);
    else fields.set(field, typed(text, schemaOf(schema, field)));
  }
  if (fields.size === 0) throw new Problem('missing_key', { params: { key } });
  return Object.fromEntries(fields);
};
