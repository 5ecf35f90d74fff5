import type { JsonSchema } from '../fields/field.ts';
import { isJsonObject, type Json, type JsonObject, own } from '../kernel/json.ts';
import { Problem } from '../kernel/problem.ts';
import { isStorableText } from './body.ts';

/** Fields that a form may carry: more is an attack, not a form. */
export const maxFields = 200;

/** Decodes one name or value of a form; percent-encoding and UTF-8 must be right. */
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

/** A number as JSON writes it. */
const isNumber = (text: string): boolean => /^-?\d{1,17}(?:\.\d{1,17})?(?:e[+-]?\d{1,3})?$/i.test(text);

/**
 * A form has nothing but texts: this gives a text the type that the schema asks for. What does not fit stays text,
 * so that validation says what is wrong with it.
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

/** The pairs of a form-encoded body, as they were sent. @throws Problem `bad_request` where there are too many */
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

/** The object that fields would be in JSON, typed as the schema asks for; of several of one name the last one counts. */
export const typedFields = (fields: Iterable<Pair>, schema: JsonSchema): JsonObject =>
  Object.fromEntries(
    Iterator.from(fields).map(([name, text]) => [name, typed(text, schemaOf(schema, name))]),
  );

/** Reads a form-encoded body whose names are the fields themselves. */
export const parseFields = (bytes: Uint8Array, schema: JsonSchema): JsonObject =>
  typedFields(
    pairsOf(bytes).flatMap(([name, text]): Pair[] =>
      name === '' ? [] : [[decodeComponent(name), decodeComponent(text)]],
    ),
    schema,
  );

/** `key[field]` and `field`; `[]` behind either adds to a list. */
const fieldName = /^(?:([a-z_]+)\[([a-z_]+)\]|([a-z_]+))(\[\])?$/;

/**
 * Reads a form-encoded body into the record that the same request would carry as JSON: pairs `key[field]=value`, or
 * `field=value` where the schema has the field. Anything else in the form is ignored, as unknown fields of a JSON body are.
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
    if (many !== undefined) fields.set(field, [...(Array.isArray(earlier) ? earlier : []), text]);
    else fields.set(field, typed(text, schemaOf(schema, field)));
  }
  if (fields.size === 0) throw new Problem('missing_key', { params: { key } });
  return Object.fromEntries(fields);
};
