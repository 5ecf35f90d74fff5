import type { JsonSchema } from '../fields/field.ts';
import { isJsonObject, type Json, type JsonObject, own } from '../kernel/json.ts';
import { Problem } from '../kernel/problem.ts';
import { isStorableText } from './body.ts';

/** Fields that a form may carry: more is an attack, not a form. */
const maxFields = 200;

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

/**
 * A form has nothing but texts: this gives a text the type that the schema asks for. What does not fit stays text,
 * so that validation says what is wrong with it.
 */
const typed = (text: string, schema: Json | undefined): Json => {
  const types = typesOf(schema);
  if (text === '' && (types.includes('null') || !types.includes('string'))) return null;
  if (types.includes('integer') && /^-?\d{1,16}$/.test(text)) return Number(text);
  if (types.includes('boolean') && (text === 'true' || text === '1')) return true;
  if (types.includes('boolean') && (text === 'false' || text === '0')) return false;
  return text;
};

/**
 * Reads `key[field]=value` and `key[field][]=value` pairs of a form-encoded body into the record that the same
 * request would carry as JSON. Anything else in the form is ignored, as unknown fields of a JSON body are.
 */
export const parseForm = (bytes: Uint8Array, key: string, schema: JsonSchema): JsonObject => {
  const pairs = new TextDecoder('latin1').decode(bytes).split('&');
  if (pairs.length > maxFields) throw new Problem('bad_request');
  const properties = own(schema, 'properties');
  const fields = new Map<string, Json>();
  for (const pair of pairs) {
    const equals = pair.indexOf('=');
    const name = decodeComponent(equals < 0 ? pair : pair.slice(0, equals));
    const match = /^([a-z_]+)\[([a-z_]+)\](\[\])?$/.exec(name);
    const field = match?.[2];
    if (field === undefined || match?.[1] !== key) continue;
    const text = equals < 0 ? '' : decodeComponent(pair.slice(equals + 1));
    const earlier = fields.get(field);
    if (match?.[3] !== undefined) fields.set(field, [...(Array.isArray(earlier) ? earlier : []), text]);
    else fields.set(field, typed(text, isJsonObject(properties) ? own(properties, field) : undefined));
  }
  if (fields.size === 0) throw new Problem('missing_key', { params: { key } });
  return Object.fromEntries(fields);
};
