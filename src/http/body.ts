/** Receives and parses request bodies, within the memory that all bodies of the process share. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseExact } from '../kernel/exact-json.ts';
import { isJsonObject, isStorableText, type Json, type JsonObject } from '../kernel/json.ts';
import { overloaded, Problem } from '../kernel/problem.ts';
import type { Connection } from './connections.ts';

/** Memory of a parsed value beside its text: an empty object and its slot in an array. */
const bytesPerValue = 64;

/** A request as the owner of bytes in `BodyMemory`. */
export interface BodyHolder {
  /** Bytes that count for this request; changed by `BodyMemory` alone. */
  held: number;
  /** True if the caller is anonymous, or not yet authenticated. */
  readonly unidentified: boolean;
}

/** A body that is still arriving. */
export interface ArrivingBody {
  readonly holder: BodyHolder;
  /** Called when the body has to make room for another. */
  readonly refuse: () => void;
}

/**
 * Bounds the bytes of all bodies that the process holds, from their arrival to the response. Unidentified callers share
 * half of it. When it is full, the largest arriving body makes room for a smaller one, and that of an unidentified
 * caller for any of an identified one. So large bodies that never end do not keep others out.
 */
export class BodyMemory {
  readonly #maxBytes: number;
  #held = 0;
  #unidentified = 0;
  readonly #arriving = new Set<ArrivingBody>();

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Bytes that are held now. */
  get held(): number {
    return this.#held;
  }

  /** Registers a body that is still arriving; `refuse` is called if it has to make room for another. */
  begin(holder: BodyHolder, refuse: () => void): ArrivingBody {
    const body: ArrivingBody = { holder, refuse };
    this.#arriving.add(body);
    return body;
  }

  /** Called when the body has arrived or failed: from now on it makes room for no other. */
  complete(body: ArrivingBody): void {
    this.#arriving.delete(body);
  }

  /** Takes bytes for this holder. @throws Problem `overloaded` where there is no room for them */
  take(holder: BodyHolder, bytes: number): void {
    while (!this.#fits(holder, bytes)) {
      const other = this.#findReplaceable(holder, holder.held + bytes);
      if (other === undefined) throw overloaded();
      this.#arriving.delete(other);
      this.release(other.holder);
      other.refuse();
    }
    holder.held += bytes;
    this.#held += bytes;
    if (holder.unidentified) this.#unidentified += bytes;
  }

  /**
   * Takes the memory of the parsed values, which can be twenty times the bytes of their text; at most a quarter of all
   * memory, as a body with many values would never fit otherwise.
   * @throws Problem `overloaded`
   */
  takeParsed(holder: BodyHolder, values: number): void {
    this.take(holder, Math.min(values * bytesPerValue, this.#maxBytes / 4));
  }

  /** Called right before the holder becomes identified. */
  identify(holder: BodyHolder): void {
    if (holder.unidentified) this.#unidentified -= holder.held;
  }

  /** Releases all bytes of a holder. One whose body is still arriving may take more. */
  release(holder: BodyHolder): void {
    this.#held -= holder.held;
    if (holder.unidentified) this.#unidentified -= holder.held;
    holder.held = 0;
  }

  #fits({ unidentified }: BodyHolder, bytes: number): boolean {
    if (unidentified && this.#unidentified + bytes > this.#maxBytes / 2) return false;
    return this.#held + bytes <= this.#maxBytes;
  }

  #findReplaceable({ unidentified }: BodyHolder, size: number): ArrivingBody | undefined {
    let found: ArrivingBody | undefined;
    for (const body of this.#arriving) {
      const other = body.holder;
      if (unidentified && !other.unidentified) continue;
      const replaces =
        found === undefined ||
        (other.unidentified === found.holder.unidentified
          ? other.held > found.holder.held
          : other.unidentified);
      if (replaces) found = body;
    }
    // One of the same kind has to be larger.
    if (found === undefined) return undefined;
    return found.holder.unidentified !== unidentified || found.holder.held > size ? found : undefined;
  }
}

/**
 * Levels of arrays and objects that a body may nest. SQLite's JSON functions stop at 1,000.
 * @limit Bodies | nesting of a JSON body | count | 400 `too_deep`
 */
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
 * Refuses text that nests deeper than `maxDepth` before it is parsed. One pass, no recursion.
 * @throws Problem `too_deep`
 * @returns an upper bound of the number of values
 */
export const checkDepth = (text: string): number => {
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
 * Parses a body strictly: UTF-8 without a byte order mark, standard JSON, at most `maxDepth` levels, no text with NUL
 * or lone surrogates (as the decoder is fatal, only an escape can contain one). Numbers that no double has are
 * `ExactNumber`s. `expect` is called with an upper bound of the number of values before a long text is parsed.
 */
const parseJson = (bytes: Uint8Array, expect?: (values: number) => void): Json => {
  const text = decode(bytes);
  // A text of at most `maxDepth` characters cannot nest too deeply.
  if (text.length > maxDepth) {
    const values = checkDepth(text);
    expect?.(values);
  }
  let value: Json;
  try {
    value = parseExact(text) as Json;
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

/** Requests that start in one batch. Larger batches hold more responses in memory, and gain no more throughput. */
const maxBatchSize = 32;

/**
 * Starts the requests of one poll of the event loop as a batch. They then pass the pipeline in step, as their promises
 * resolve in the same order: each stage runs for all of them before the next stage begins, and finds its code and data
 * in the caches of the processor. Node alone would take each request from the parser to the socket, and find no stage
 * there.
 */
export class Arrivals {
  readonly #onStart: () => void;
  #waiting: (() => void)[] = [];

  /** `onStart` is called before each batch. */
  constructor(onStart: () => void = () => {}) {
    this.#onStart = onStart;
  }

  /** Calls `start` in the check phase, after all events of this poll. */
  join(start: () => void): void {
    if (this.#waiting.push(start) === 1) setImmediate(this.#start);
  }

  readonly #start = (): void => {
    const ready = this.#waiting;
    this.#waiting = ready.splice(maxBatchSize);
    this.#onStart();
    for (const start of ready) start();
    // All requests of one poll start before the next poll: otherwise clients that send faster than the service responds
    // would fill the memory. A tick runs when no promise is left to resolve, so the first batch is as far as it can be.
    if (this.#waiting.length > 0) queueMicrotask(() => process.nextTick(this.#start));
  };
}

/** The bytes of an empty body. */
export const noBytes: Buffer = Buffer.alloc(0);

/** Memory of a chunk beside its bytes. It counts because a caller may send a body in chunks of one byte. */
export const bytesPerChunk = 256;

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
  /** The interval in which a long body has to make progress. */
  readonly stallTimeoutMs: number;
  readonly arrivals: Arrivals;
}

/** Methods whose body is read; that of any other method is ignored. */
const methodsWithBody: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/** Tells whether the request announces a body. */
export const bringsBody = ({ headers }: IncomingMessage): boolean => {
  const { 'content-length': length, 'transfer-encoding': encoding } = headers;
  return encoding !== undefined || (length !== undefined && length !== '0');
};

export const tooLarge = (limit: number): Problem => new Problem('body_too_large', { params: { limit } });

export const hungUp = (cause?: unknown): Problem =>
  new Problem('bad_request', {
    cause: new Error('the caller hung up before the body had arrived', { cause }),
  });

const concat = (chunks: readonly Buffer[]): Buffer => {
  const [first = noBytes] = chunks;
  return chunks.length > 1 ? Buffer.concat(chunks) : first;
};

/**
 * Reads the body of a request; synchronously where all of it has arrived with the head. Its bytes count in the memory
 * for bodies until the sender releases them.
 * @throws Problem `body_too_large`; `overloaded` where that memory is full; `bad_request` when the caller hangs up
 */
export const readBody = (sender: BodySender, reading: BodyReading): Buffer | Promise<Buffer> => {
  const { raw } = sender;
  const { limit, memory } = reading;
  if (!methodsWithBody.has(raw.method ?? '') || !bringsBody(raw)) return noBytes;
  if (Number(raw.headers['content-length']) > limit) throw tooLarge(limit);
  // The events of a destroyed request have already been emitted.
  if (raw.destroyed) throw hungUp();
  if (!raw.complete) return readArriving(sender, reading);
  if (raw.readableLength > limit) throw tooLarge(limit);
  memory.take(sender, raw.readableLength);
  // Each call returns one chunk.
  const chunks: Buffer[] = [];
  for (let chunk = raw.read(); chunk !== null; chunk = raw.read()) chunks.push(chunk as Buffer);
  return concat(chunks);
};

/** Reads a body that is still arriving, and continues in the batch of requests that its last chunk arrived with. */
const readArriving = async (sender: BodySender, reading: BodyReading): Promise<Buffer> => {
  const { raw, response, connection } = sender;
  if (raw.headers.expect !== undefined && raw.httpVersion === '1.1') response.writeContinue();
  const body = await collect(sender, reading);
  // The body took too long, and the connection was refused meanwhile.
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
      memory.complete(body);
      outcome();
    };
    const refuse = (problem: unknown): void => settle(() => reject(problem));
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      try {
        if (size > limit) throw tooLarge(limit);
        memory.take(sender, chunk.length + bytesPerChunk);
        chunks.push(chunk);
      } catch (problem) {
        refuse(problem);
      }
    };
    const onEnd = (): void => settle(() => resolve(concat(chunks)));
    const onError = (error: Error): void => refuse(hungUp(error));
    const onClose = (): void => refuse(hungUp());
    const body = memory.begin(sender, () => refuse(overloaded()));
    raw.on('data', onData).on('end', onEnd).on('error', onError).on('close', onClose);
  });
