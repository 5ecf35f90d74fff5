/** JSON Schemas of single values, and of objects whose members are all present. */

import type { JsonSchema } from '../fields/field.ts';

/** Schemas of single values. */
export const valueSchemas = {
  integer: { type: 'integer' },
  text: { type: 'string' },
  textOrNull: { type: ['string', 'null'] },
  boolean: { type: 'boolean' },
  time: { type: 'string', format: 'date-time' },
  timeOrNull: { type: ['string', 'null'], format: 'date-time' },
} as const satisfies Readonly<Record<string, JsonSchema>>;

export const textsSchema: JsonSchema = { type: 'array', items: valueSchemas.text };

/**
 * An object whose members are required unless they are named as optional. The title names the schema in the API
 * description.
 */
export const objectSchema = (
  title: string,
  properties: Readonly<Record<string, JsonSchema>>,
  optional: readonly string[] = [],
): JsonSchema => ({
  type: 'object',
  title,
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
});
