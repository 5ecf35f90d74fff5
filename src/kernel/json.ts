/**
 * Bytes with one owner, such as a page of records on its way from the database to the socket. Whoever makes them gives
 * the array away: it is empty from then on, and its methods throw. `take` hands them to the last owner, who may free
 * them. Nothing is copied. A part of something larger, such as a `Buffer` of Node's pool, cannot be moved: it stays
 * readable under its old name, and is not to be written.
 */
export class OwnedBytes {
  #bytes: Uint8Array | undefined;

  constructor(bytes: Uint8Array) {
    this.#bytes = isWhole(bytes) ? new Uint8Array(bytes.buffer.transfer()) : bytes;
  }

  /** @throws Error once they are taken */
  get byteLength(): number {
    return this.#there().byteLength;
  }

  /** Whoever calls this owns them from now on. @throws Error when called again */
  take(): Uint8Array {
    const bytes = this.#there();
    this.#bytes = undefined;
    return bytes;
  }

  #there(): Uint8Array {
    if (this.#bytes === undefined) throw new Error('these bytes were given away already');
    return this.#bytes;
  }
}

/** Whether an array is all of its memory, so that nobody else's bytes go with it. */
const isWhole = (bytes: Uint8Array): bytes is Uint8Array<ArrayBuffer> =>
  bytes.buffer instanceof ArrayBuffer && bytes.buffer.byteLength === bytes.byteLength;

/** Gives the memory of bytes back, whatever the garbage collector would do; that of a part of something larger stays. */
export const freeBytes = (bytes: Uint8Array): void => {
  if (isWhole(bytes)) bytes.buffer.transfer(0);
};

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
