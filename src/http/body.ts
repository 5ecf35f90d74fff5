import { isJsonObject, type Json, type JsonObject } from '../kernel/json.ts';
import { overloaded, Problem } from '../kernel/problem.ts';

/** Bytes that a value of a parsed body takes beside its text: an empty object with its place in an array. */
const perValue = 64;

/** A request as far as it holds memory for a body. */
export interface BodyHolder {
  /** Bytes that count for it; changed by `BodyMemory` alone. */
  held: number;
  /** Whether nobody knows (yet) who sends it. */
  readonly unidentified: boolean;
}

/** A body that is still coming, with what refuses it. */
export interface ComingBody {
  readonly holder: BodyHolder;
  readonly refuse: () => void;
}

/**
 * Bounds the bytes of all bodies that the process holds, from their arrival to the answer. Callers whom nobody knows
 * share half of it. Where it is full, the largest body that is still coming gives way to a smaller one, and that of an
 * unknown caller to any of a known one: whoever begins large bodies and never ends them refuses others nothing.
 */
export class BodyMemory {
  readonly #most: number;
  #held = 0;
  #unidentified = 0;
  readonly #coming = new Set<ComingBody>();

  /** `most` in bytes. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Bytes that are held now. */
  get held(): number {
    return this.#held;
  }

  /** Makes a body known that is still coming; `refuse` is called if it has to give way. */
  begin(holder: BodyHolder, refuse: () => void): ComingBody {
    const coming: ComingBody = { holder, refuse };
    this.#coming.add(coming);
    return coming;
  }

  /** The body is there, or will not come; it gives way to no other from now on. */
  complete(coming: ComingBody): void {
    this.#coming.delete(coming);
  }

  /** @throws Problem `overloaded` where there is no room for so many more bytes. */
  take(holder: BodyHolder, bytes: number): void {
    while (!this.#fits(holder, bytes)) {
      const other = this.#givesWayTo(holder, holder.held + bytes);
      if (other === undefined) throw overloaded();
      this.#coming.delete(other);
      this.release(other.holder);
      other.refuse();
    }
    holder.held += bytes;
    this.#held += bytes;
    if (holder.unidentified) this.#unidentified += bytes;
  }

  /**
   * Takes what a body becomes when it is parsed, which can be twenty times its bytes; a quarter of all at most, as it
   * would never fit otherwise.
   * @throws Problem `overloaded`
   */
  takeParsed(holder: BodyHolder, values: number): void {
    this.take(holder, Math.min(values * perValue, this.#most / 4));
  }

  /** Called before the holder says who it is. */
  identify(holder: BodyHolder): void {
    if (holder.unidentified) this.#unidentified -= holder.held;
  }

  /** Gives back what a holder has. One whose body is still coming may take more. */
  release(holder: BodyHolder): void {
    this.#held -= holder.held;
    if (holder.unidentified) this.#unidentified -= holder.held;
    holder.held = 0;
  }

  #fits({ unidentified }: BodyHolder, bytes: number): boolean {
    if (unidentified && this.#unidentified + bytes > this.#most / 2) return false;
    return this.#held + bytes <= this.#most;
  }

  #givesWayTo({ unidentified }: BodyHolder, size: number): ComingBody | undefined {
    let found: ComingBody | undefined;
    for (const coming of this.#coming) {
      const other = coming.holder;
      if (unidentified && !other.unidentified) continue;
      const replaces =
        found === undefined ||
        (other.unidentified === found.holder.unidentified
          ? other.held > found.holder.held
          : other.unidentified);
      if (replaces) found = coming;
    }
    // Of its own kind only a larger one.
    if (found === undefined) return undefined;
    return found.holder.unidentified !== unidentified || found.holder.held > size ? found : undefined;
  }
}

/** Levels of arrays and objects that a body may nest. SQLite's JSON functions stop at 1,000. */
export const maxDepth = 64;

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const decode = (bytes: Uint8Array): string => {
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    throw new Problem('invalid_text', { cause });
  }
};

/**
 * Refuses text nested deeper than `maxDepth` before a parser or walker meets it. One pass, no recursion.
 * @returns how many values it holds at most
 */
const checkDepth = (text: string): number => {
  let depth = 0;
  let values = 0;
  let inString = false;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (inString) {
      if (code === 0x5c) index++;
      else if (code === 0x22) inString = false;
    } else if (code === 0x22) inString = true;
    else if (code === 0x2c) values++;
    else if (code === 0x5b || code === 0x7b) {
      values++;
      if (++depth > maxDepth) throw new Problem('too_deep', { params: { max: maxDepth } });
    } else if (code === 0x5d || code === 0x7d) depth--;
  }
  return values;
};

/** Whether text can be kept by both databases and sent on: no NUL, no lone surrogate. */
export const isStorableText = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

/** Decodes the text of one field. @throws Problem `invalid_text` */
export const decodeText = (bytes: Uint8Array): string => {
  const text = decode(bytes);
  if (!isStorableText(text)) throw new Problem('invalid_text');
  return text;
};

const checkTexts = (value: Json): void => {
  if (typeof value === 'string') {
    if (!isStorableText(value)) throw new Problem('invalid_text');
  } else if (Array.isArray(value)) {
    for (const item of value) checkTexts(item);
  } else if (isJsonObject(value)) {
    for (const [key, item] of Object.entries(value)) {
      if (!isStorableText(key)) throw new Problem('invalid_text');
      checkTexts(item);
    }
  }
};

/**
 * Parses a body strictly: UTF-8 without a byte order mark, JSON to the letter, at most `maxDepth` levels, no text
 * with NUL or lone surrogates (only an escape can bring one in: the decoder is fatal). `expect` is told how many
 * values there will be at most, before they are made; a short text's are not worth a word.
 */
export const parseJson = (bytes: Uint8Array, expect?: (values: number) => void): Json => {
  const text = decode(bytes);
  // Fewer brackets than levels allowed cannot nest too deeply; the scan is for the rest.
  if (text.length > maxDepth) {
    const values = checkDepth(text);
    expect?.(values);
  }
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch (cause) {
    throw new Problem('malformed_json', { cause });
  }
  if (text.includes('\\u')) checkTexts(value);
  return value;
};

export const parseObject = (bytes: Uint8Array, expect?: (values: number) => void): JsonObject => {
  const value = parseJson(bytes, expect);
  if (!isJsonObject(value)) throw new Problem('not_an_object');
  return value;
};

const isMediaType = (header: string | undefined, type: string): boolean => {
  if (header === undefined) return false;
  const semicolon = header.indexOf(';');
  const name = (semicolon < 0 ? header : header.slice(0, semicolon)).trim().toLowerCase();
  if (name !== type) return false;
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)"?/i.exec(header);
  return charset === null || /^utf-?8$/i.test(charset[1] ?? '');
};

export const isJsonMediaType = (header: string | undefined): boolean =>
  isMediaType(header, 'application/json');

export const isFormMediaType = (header: string | undefined): boolean =>
  isMediaType(header, 'application/x-www-form-urlencoded');

export const isMultipartMediaType = (header: string | undefined): boolean =>
  isMediaType(header, 'multipart/form-data');
