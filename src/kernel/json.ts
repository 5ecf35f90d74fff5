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

/** A number of JSON that no double holds as it was written. */
export class JsonNumberError extends SyntaxError {}

/** Text without a match has no number out of range: fewer than 16 digits in a row, exponents of two digits. */
const mayHoldLargeNumber = /\d{16}|\d[eE][+-]?0*[1-9]\d\d/;

const checkNumber = (_key: string, value: unknown, context?: { readonly source?: string }): unknown => {
  if (typeof value !== 'number') return value;
  const { source = '' } = context ?? {};
  const isRounded = Math.abs(value) > Number.MAX_SAFE_INTEGER && !/e/i.test(source);
  const isLost = value === 0 && /^[^e]*[1-9]/i.test(source);
  if (isRounded || isLost || !Number.isFinite(value)) throw new JsonNumberError(`${source} is out of range`);
  return value;
};

/**
 * Parses JSON that comes from outside. Unlike `JSON.parse` it does not silently change a number: beyond the range of a
 * double (`1e400`), or beyond ±(2^53−1) and written without an exponent, it throws.
 * @throws JsonNumberError, SyntaxError
 */
export const parseJsonText = (text: string): Json =>
  (mayHoldLargeNumber.test(text) ? JSON.parse(text, checkNumber) : JSON.parse(text)) as Json;

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
