/** Sources of long response bodies, read piece by piece and ended early when the client disconnects. */

import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';

/** A part of a body; text is sent as UTF-8. */
export type Piece = string | Uint8Array;

/** A source of the pieces of a long body. */
export type PieceSource = Readable | ReadableStream | AsyncIterable<Piece>;

export const isPieceSource = (value: unknown): value is PieceSource =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;

/** An iterator over a source. `end` ends the source at once, also while `next` is pending. */
interface SourceReader {
  next(): Promise<IteratorResult<unknown, unknown>>;
  end(): void;
}

const ignore = (): void => {};

const openReadable = (source: Readable): SourceReader => {
  // The iterator throws an error from before the first read; one after the last read is of no interest.
  source.on('error', ignore);
  const iterator: AsyncIterator<unknown> = source[Symbol.asyncIterator]();
  return { next: () => iterator.next(), end: () => void source.destroy() };
};

const openWebStream = (source: ReadableStream): SourceReader => {
  const reader = source.getReader();
  return {
    next: async () => {
      const { done, value } = await reader.read();
      return done ? { done, value: undefined } : { done: false, value };
    },
    end: () => void reader.cancel().catch(ignore),
  };
};

const openIterable = (source: AsyncIterable<unknown>): SourceReader => {
  const iterator = source[Symbol.asyncIterator]();
  return {
    next: () => iterator.next(),
    // A generator that awaits a promise ends when the promise settles.
    end: () => void Promise.resolve(iterator.return?.()).catch(ignore),
  };
};

/**
 * Tells whether a source is a web stream. The global name loads the class with the first such source; a type guard is
 * needed because the name has another type in applications that include the types of browsers.
 */
const isWebStream = (source: PieceSource): source is ReadableStream =>
  source instanceof globalThis.ReadableStream;

const open = (source: PieceSource): SourceReader => {
  if (source instanceof Readable) return openReadable(source);
  return isWebStream(source) ? openWebStream(source) : openIterable(source);
};

/**
 * The pieces of a source of the application, each checked for its type. `return` ends the source at once, without
 * waiting for a pending piece.
 */
export class Pieces implements AsyncIterableIterator<Piece> {
  readonly #source: SourceReader;
  /** Bytes that remain; undefined without a declared length. */
  #left: number | undefined;
  #first: IteratorResult<Piece, undefined> | undefined;
  #rejectPending: (error: Error) => void = ignore;
  #hasEnded = false;

  /** `length` in bytes: more or fewer are an error. @throws TypeError where the source is already being read */
  constructor(source: PieceSource, length?: number) {
    this.#source = open(source);
    this.#left = length;
  }

  /** Reads the first piece before the response begins, so that its failure can still become an error response. */
  async begin(): Promise<void> {
    this.#first = await this.#take();
  }

  next(): Promise<IteratorResult<Piece, undefined>> {
    const first = this.#first;
    this.#first = undefined;
    return first === undefined ? this.#take() : Promise.resolve(first);
  }

  return(): Promise<IteratorResult<Piece, undefined>> {
    if (!this.#hasEnded) {
      this.#hasEnded = true;
      this.#source.end();
      this.#rejectPending(new Error('the body is no longer read'));
    }
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #take(): Promise<IteratorResult<Piece, undefined>> {
    if (this.#hasEnded) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve, reject) => {
      this.#rejectPending = reject;
      this.#source
        .next()
        .then((result) => resolve(this.#check(result)))
        .catch(reject);
    });
  }

  #check({ done, value }: IteratorResult<unknown, unknown>): IteratorResult<Piece, undefined> {
    if (done === true) {
      this.#hasEnded = true;
      if ((this.#left ?? 0) > 0)
        throw new Error(`the body ended ${this.#left} bytes before its Content-Length`);
      return { done, value: undefined };
    }
    if (typeof value !== 'string' && !(value instanceof Uint8Array))
      throw new TypeError('a piece of a body must be a text or bytes');
    if (this.#left !== undefined) {
      this.#left -= Buffer.byteLength(value);
      if (this.#left < 0) throw new Error('the body is longer than its Content-Length');
    }
    return { done: false, value };
  }
}
