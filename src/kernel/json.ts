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

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** An own property of a parsed body, never one that Object.prototype lends. */
export const own = (object: JsonObject, key: string): Json | undefined =>
  Object.hasOwn(object, key) ? object[key] : undefined;
