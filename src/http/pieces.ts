import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';

/** A part of a body: text goes as UTF-8. */
export type Piece = string | Uint8Array;

/** Where the pieces of a long body come from. */
export type PieceSource = Readable | ReadableStream | AsyncIterable<Piece>;

export const isPieceSource = (value: unknown): value is PieceSource =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;

/** An iterator over a source, and what ends the source at once, also while a piece is waited for. */
interface Opened {
  next(): Promise<IteratorResult<unknown, unknown>>;
  end(): void;
}

const ignore = (): void => {};

const openReadable = (source: Readable): Opened => {
  // It may fail before it is read, which its iterator tells then, or when nobody reads it any more.
  source.on('error', ignore);
  const iterator: AsyncIterator<unknown> = source[Symbol.asyncIterator]();
  return { next: () => iterator.next(), end: () => void source.destroy() };
};

const openWebStream = (source: ReadableStream): Opened => {
  const reader = source.getReader();
  return {
    next: async () => {
      const { done, value } = await reader.read();
      return done ? { done, value: undefined } : { done: false, value };
    },
    end: () => void reader.cancel().catch(ignore),
  };
};

const openIterable = (source: AsyncIterable<unknown>): Opened => {
  const iterator = source[Symbol.asyncIterator]();
  return {
    next: () => iterator.next(),
    // A generator that waits for something ends when that has come.
    end: () => void Promise.resolve(iterator.return?.()).catch(ignore),
  };
};

/**
 * By its global name, which loads it when the first such source comes. What that name stands for is another type where an
 * application knows those of browsers.
 */
const isWebStream = (source: PieceSource): source is ReadableStream =>
  source instanceof globalThis.ReadableStream;

const open = (source: PieceSource): Opened => {
  if (source instanceof Readable) return openReadable(source);
  return isWebStream(source) ? openWebStream(source) : openIterable(source);
};

/**
 * The pieces of a source of the application's, each held to be one. It is ended as soon as nobody wants more of it:
 * `return` waits for nothing.
 */
export class Pieces implements AsyncIterableIterator<Piece> {
  readonly #source: Opened;
  /** Bytes that are still to come; undefined where nobody has said how many. */
  #left: number | undefined;
  #first: IteratorResult<Piece, undefined> | undefined;
  #refuse: (error: Error) => void = ignore;
  #over = false;

  /** `length` in bytes: more or fewer are an error. @throws TypeError where somebody reads the source already */
  constructor(source: PieceSource, length?: number) {
    this.#source = open(source);
    this.#left = length;
  }

  /** Takes the first piece before anything is answered, so that a failure to begin can still be told. */
  async begin(): Promise<void> {
    this.#first = await this.#take();
  }

  next(): Promise<IteratorResult<Piece, undefined>> {
    const first = this.#first;
    this.#first = undefined;
    return first === undefined ? this.#take() : Promise.resolve(first);
  }

  return(): Promise<IteratorResult<Piece, undefined>> {
    if (!this.#over) {
      this.#over = true;
      this.#source.end();
      this.#refuse(new Error('nobody reads it any more'));
    }
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #take(): Promise<IteratorResult<Piece, undefined>> {
    if (this.#over) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve, reject) => {
      this.#refuse = reject;
      this.#source
        .next()
        .then((taken) => resolve(this.#checked(taken)))
        .catch(reject);
    });
  }

  #checked({ done, value }: IteratorResult<unknown, unknown>): IteratorResult<Piece, undefined> {
    if (done === true) {
      this.#over = true;
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
