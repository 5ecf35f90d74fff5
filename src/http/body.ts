import type { IncomingMessage, ServerResponse } from 'node:http';
import { isJsonObject, type Json, type JsonObject } from '../kernel/json.ts';
import { overloaded, Problem } from '../kernel/problem.ts';
import type { Connection } from './connections.ts';

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
const parseJson = (bytes: Uint8Array, expect?: (values: number) => void): Json => {
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

/** Requests that start together at most: with more, further answers would lie in memory at a time for no further gain. */
const together = 32;

/**
 * Starts the requests that one poll of the event loop has brought together, once they are all there. They go through
 * the pipeline in step from then on, as what they wait for resolves in the same order: each stage runs for all of them
 * before the next begins, and finds its code and data in the caches of the processor. Node by itself would take each
 * request from parser to socket, and meet every stage cold.
 */
export class Arrivals {
  readonly #onStart: () => void;
  #waiting: (() => void)[] = [];

  /** `onStart` is called before requests start. */
  constructor(onStart: () => void = () => {}) {
    this.#onStart = onStart;
  }

  /** Has `start` called when the events of this poll have been taken. The check phase, where it is, follows the poll. */
  join(start: () => void): void {
    if (this.#waiting.push(start) === 1) setImmediate(this.#start);
  }

  readonly #start = (): void => {
    const ready = this.#waiting;
    this.#waiting = ready.splice(together);
    this.#onStart();
    for (const start of ready) start();
    // All that one poll has brought starts before the next one: otherwise whoever sends faster than we answer would
    // fill the memory. A tick comes when no promise is left to resolve, so the first have gone as far as they can.
    if (this.#waiting.length > 0) queueMicrotask(() => process.nextTick(this.#start));
  };
}

/** Of a request that has none. */
export const noBytes: Buffer = Buffer.alloc(0);

/** Bytes that a piece of a body costs beyond its bytes: whoever sends a byte at a time would pay for it two hundredfold. */
export const perPiece = 256;

/** A request whose body is read. */
export interface BodySender extends BodyHolder {
  readonly raw: IncomingMessage;
  readonly response: ServerResponse;
  readonly connection: Connection;
}

export interface BodyReading {
  /** Bytes of one body. */
  readonly limit: number;
  readonly memory: BodyMemory;
  /** Milliseconds in which some of a long body has to come. */
  readonly patience: number;
  readonly arrivals: Arrivals;
}

/** Methods whose body is read; that of any other is left alone. */
const methodsWithBody: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/** Whether the request announces a body. */
export const bringsBody = ({ headers }: IncomingMessage): boolean => {
  const { 'content-length': length, 'transfer-encoding': encoding } = headers;
  return encoding !== undefined || (length !== undefined && length !== '0');
};

export const tooLarge = (limit: number): Problem => new Problem('body_too_large', { params: { limit } });

export const hungUp = (cause?: unknown): Problem =>
  new Problem('bad_request', {
    cause: new Error('the caller hung up before the body had arrived', { cause }),
  });

const joined = (chunks: readonly Buffer[]): Buffer => {
  const [first = noBytes] = chunks;
  return chunks.length > 1 ? Buffer.concat(chunks) : first;
};

/**
 * Reads a request's body; at once where all of it has come with the head. Its bytes count in the memory for bodies
 * until whoever holds them releases it.
 * @throws Problem `body_too_large`; `overloaded` where that memory is full; `bad_request` when the caller hangs up
 */
export const readBody = (sender: BodySender, reading: BodyReading): Buffer | Promise<Buffer> => {
  const { raw } = sender;
  const { limit, memory } = reading;
  if (!methodsWithBody.has(raw.method ?? '') || !bringsBody(raw)) return noBytes;
  if (Number(raw.headers['content-length']) > limit) throw tooLarge(limit);
  // What has happened already is not told again.
  if (raw.destroyed) throw hungUp();
  if (!raw.complete) return arriving(sender, reading);
  if (raw.readableLength > limit) throw tooLarge(limit);
  memory.take(sender, raw.readableLength);
  // Each call gives one of the chunks that have come.
  const chunks: Buffer[] = [];
  for (let chunk = raw.read(); chunk !== null; chunk = raw.read()) chunks.push(chunk as Buffer);
  return joined(chunks);
};

/** Goes on together with the requests that arrived with the last of the body. */
const arriving = async (sender: BodySender, reading: BodyReading): Promise<Buffer> => {
  const { raw, response, connection } = sender;
  if (raw.headers.expect !== undefined && raw.httpVersion === '1.1') response.writeContinue();
  const body = await collect(sender, reading);
  // Another answer went out meanwhile: it took too long to come.
  if (connection.ending) throw hungUp();
  await new Promise<void>((resolve) => reading.arrivals.join(resolve));
  return body;
};

const collect = (sender: BodySender, { limit, memory }: BodyReading): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const { raw } = sender;
    const chunks: Buffer[] = [];
    let size = 0;
    const settle = (outcome: () => void): void => {
      raw.off('data', onData).off('end', onEnd).off('error', onError).off('close', onClose);
      memory.complete(coming);
      outcome();
    };
    const refuse = (problem: unknown): void => settle(() => reject(problem));
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      try {
        if (size > limit) throw tooLarge(limit);
        memory.take(sender, chunk.length + perPiece);
        chunks.push(chunk);
      } catch (problem) {
        refuse(problem);
      }
    };
    const onEnd = (): void => settle(() => resolve(joined(chunks)));
    const onError = (error: Error): void => refuse(hungUp(error));
    const onClose = (): void => refuse(hungUp());
    const coming = memory.begin(sender, () => refuse(overloaded()));
    raw.on('data', onData).on('end', onEnd).on('error', onError).on('close', onClose);
  });
