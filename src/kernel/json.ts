export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

/**
 * JSON that is text already (the database wrote it): the envelope takes it over as it is. Given as bytes in UTF-8 it is
 * given away: they are freed when they have been sent, so nobody else may hold them.
 */
export class JsonText {
  readonly text: string | Uint8Array;
  constructor(text: string | Uint8Array) {
    this.text = text;
  }
}

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** An own property of a parsed body, never one that Object.prototype lends. */
export const own = (object: JsonObject, key: string): Json | undefined =>
  Object.hasOwn(object, key) ? object[key] : undefined;
