/**
 * Values on their way between database and socket: JSON types, JSON that the database serialised, bytes with
 * one owner, and the texts that both databases can store.
 */

import { ExactNumber } from './exact-json.ts';

/**
 * Bytes with one owner, such as a page of records on its way from the database to the socket. The constructor moves the
 * memory without a copy: the given array is detached, and its methods throw. `take` moves it on to the last owner,
 * which may free it. A view of a larger buffer, such as a `Buffer` of Node's pool, cannot be moved: it stays readable
 * under its old name, and must not be written.
 */
export class OwnedBytes {
  #bytes: Uint8Array | undefined;

  constructor(bytes: Uint8Array) {
    this.#bytes = isWhole(bytes) ? new Uint8Array(bytes.buffer.transfer()) : bytes;
  }

  /** @throws Error once the bytes are taken */
  get byteLength(): number {
    return this.#owned().byteLength;
  }

  /** Returns the bytes, which the caller owns from now on. @throws Error when called again */
  take(): Uint8Array {
    const bytes = this.#owned();
    this.#bytes = undefined;
    return bytes;
  }

  #owned(): Uint8Array {
    if (this.#bytes === undefined) throw new Error('the bytes were already taken');
    return this.#bytes;
  }
}

/** True if an array covers its whole buffer. */
const isWhole = (bytes: Uint8Array): bytes is Uint8Array<ArrayBuffer> =>
  bytes.buffer instanceof ArrayBuffer && bytes.buffer.byteLength === bytes.byteLength;

/** Frees the memory of bytes at once, without the garbage collector; a view of a larger buffer is left alone. */
export const freeBytes = (bytes: Uint8Array): void => {
  if (isWhole(bytes)) bytes.buffer.transfer(0);
};

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

/** Returns an object without its undefined members, in the same order. */
export const withoutUndefined = <Value>(
  members: Readonly<Record<string, Value | undefined>>,
): Record<string, Value> => {
  const present: Record<string, Value> = {};
  for (const [name, value] of Object.entries(members)) if (value !== undefined) present[name] = value;
  return present;
};

/**
 * Serialized JSON, as the database wrote it, which the envelope contains as it is. As bytes, in UTF-8, it can be sent
 * once: they are taken, and freed when they have been sent.
 */
export class JsonText {
  readonly text: string | OwnedBytes;
  constructor(text: string | OwnedBytes) {
    this.text = text;
  }
}

/** True if both databases can store a text: PostgreSQL refuses NUL, and UTF-8 has no lone surrogates. */
export const isStorableText = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

/** Returns the text, or undefined if the databases cannot store it. */
export const storableText = (text: string): string | undefined => (isStorableText(text) ? text : undefined);

/** True if all numbers are finite: `JSON.parse` reads `1e400` as Infinity, which `JSON.stringify` writes as null. */
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
 * Converts values of code to JSON values: a `Date` becomes its text, and undefined members are omitted.
 * @throws TypeError for a number that is not finite, which JSON would silently turn into null
 */
export const toJson = (values: unknown): Json =>
  JSON.parse(JSON.stringify(values, refuseNonFinite) ?? 'null') as Json;

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);

/** The object at a place of a JSON document; an empty one for anything else. */
export const objectIn = (value: Json | undefined): JsonObject =>
  value !== undefined && isJsonObject(value) ? value : {};

/** The text at a place of a JSON document; an empty one for anything else. */
export const textIn = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

/** Returns an own property of a parsed body, never an inherited one. */
export const own = (object: JsonObject, key: string): Json | undefined =>
  Object.hasOwn(object, key) ? object[key] : undefined;
