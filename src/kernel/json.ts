import type { OwnedBytes } from './owned-bytes.ts';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

/**
 * JSON that is text already (the database wrote it): the envelope takes it over as it is. As bytes, in UTF-8, it can be
 * answered once: they are taken, and freed when they have been sent.
 */
export class JsonText {
  readonly text: string | OwnedBytes;
  constructor(text: string | OwnedBytes) {
    this.text = text;
  }
}

/** Whether every number in it is finite: `JSON.parse` reads `1e400` as Infinity, which JSON would write as null. */
export const hasFiniteNumbers = (json: Json): boolean =>
  typeof json === 'object' && json !== null
    ? Object.values(json).every(hasFiniteNumbers)
    : typeof json !== 'number' || Number.isFinite(json);

const refuseNonFinite = (key: string, value: unknown): unknown => {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new TypeError(`${key}: JSON has no ${value}`);
  return value;
};

/**
 * Values of code as JSON would bring them: a `Date` is its text, and what is undefined is not there.
 * @throws TypeError for a number that is not finite: JSON would silently have null
 */
export const toJson = (values: unknown): Json =>
  JSON.parse(JSON.stringify(values, refuseNonFinite) ?? 'null') as Json;

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** An own property of a parsed body, never one that Object.prototype lends. */
export const own = (object: JsonObject, key: string): Json | undefined =>
  Object.hasOwn(object, key) ? object[key] : undefined;
