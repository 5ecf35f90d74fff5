/** TypeScript types of JSON Schemas, as text. */

import type { JsonSchema } from '../fields/field.ts';
import { isJsonObject, type Json } from '../kernel/json.ts';
import { textCode } from './scaffold/code.ts';

export const union = (types: readonly string[]): string => [...new Set(types)].join(' | ');

/** The name of a property. */
const keyOf = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : textCode(name));

/** TypeScript types of the simple JSON Schema types. */
const plainTypes: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
};

/** Keywords that restrict a type further than is expressed here. */
const unread = ['$ref', 'allOf', 'not', 'if', 'patternProperties', 'prefixItems', '$dynamicRef'];

const constant = (value: Json | undefined): string =>
  typeof value === 'string' ? textCode(value) : isSimple(value) ? String(value) : 'unknown';

const isSimple = (value: Json | undefined): boolean =>
  value === null || ['number', 'boolean'].includes(typeof value);

const typeOfItem = (schema: Json, indent: string): string =>
  isJsonObject(schema) ? typeOf(schema, indent) : 'unknown';

const arrayOf = ({ items }: JsonSchema, indent: string): string => {
  const item = items === undefined ? 'Json' : typeOfItem(items, indent);
  return / \| /.test(item) ? `(${item})[]` : `${item}[]`;
};

const mapOf = ({ additionalProperties }: JsonSchema, indent: string): string => {
  const value = isJsonObject(additionalProperties ?? null)
    ? typeOfItem(additionalProperties ?? null, indent)
    : 'Json';
  return `{ readonly [key: string]: ${value} }`;
};

/** An object type, whose properties that are not required are optional. */
export const objectType = (schema: JsonSchema, indent = ''): string => {
  const { properties, required } = schema;
  const entries = isJsonObject(properties ?? null) ? Object.entries(properties as JsonSchema) : [];
  const needed = new Set(Array.isArray(required) ? required : []);
  const members = entries.map(
    ([name, value]) =>
      `${indent}  ${keyOf(name)}${needed.has(name) ? '' : '?'}: ${typeOfItem(value, `${indent}  `)};\n`,
  );
  return `{\n${members.join('')}${indent}}`;
};

const objectOrMap = (schema: JsonSchema, indent: string): string =>
  schema['properties'] === undefined ? mapOf(schema, indent) : objectType(schema, indent);

const typeCode = (type: Json, schema: JsonSchema, indent: string): string => {
  if (type === 'array') return arrayOf(schema, indent);
  if (type === 'object') return objectOrMap(schema, indent);
  return plainTypes[String(type)] ?? 'unknown';
};

/**
 * The TypeScript type of a value with this schema if it is simple, otherwise `unknown`.
 * @param indent that of the line on which it begins
 */
export const typeOf = (schema: JsonSchema, indent = ''): string => {
  if (unread.some((keyword) => schema[keyword] !== undefined)) return 'unknown';
  const { type, enum: values, oneOf, anyOf } = schema;
  if (schema['const'] !== undefined) return constant(schema['const']);
  if (Array.isArray(values)) return unionOrUnknown(values.map(constant));
  const alternatives = oneOf ?? anyOf;
  if (Array.isArray(alternatives))
    return unionOrUnknown(alternatives.map((each) => typeOfItem(each, indent)));
  const types = Array.isArray(type) ? type : type === undefined ? [] : [type];
  if (types.length === 0)
    return isJsonObject(schema['properties'] ?? null) ? objectType(schema, indent) : 'unknown';
  // Any value, as in a JSON field; null is included.
  if (types.includes('object') && types.includes('array')) return 'Json';
  return unionOrUnknown(types.map((each) => typeCode(each, schema, indent)));
};

/** A union with an unknown type is unknown. */
const unionOrUnknown = (types: readonly string[]): string =>
  types.includes('unknown') ? 'unknown' : union(types);
