/**
 * Streams of long responses: the few places for them, and the pace at which a reader has to take its chunks to keep
 * one.
 */

import { overloaded } from '../kernel/problem.ts';
import type { Caller } from './database.ts';
import { Shares } from './shares.ts';

/** Most open streams: each has a snapshot open, which keeps the database from removing old row versions. */
export const streamLimit = 8;

/** Times of streams, in milliseconds. */
export interface StreamTimes {
  /** Time after which an unread stream is ended. */
  readonly idle: number;
  /** Longest time in which a reader must take `slowLength`, or is disconnected while another caller waits. */
  readonly slow: number;
  /** Longest wait for a place. */
  readonly wait: number;
}

const usualTimes: StreamTimes = { idle: 60_000, slow: 5_000, wait: 10_000 };

/** Least text that a reader must take, in UTF-16 units, to keep its place while another caller waits. */
const slowLength = 32 * 1024;

/** Interval of checks of the readers while a caller waits. */
const checkIntervalMs = 250;

/** Texts of rows, joined by commas. */
export interface Chunk {
  readonly text: string;
  readonly done: boolean;
}

/** The stream of a database. The next chunk is read only after the last one. It may be ended more than once. */
export interface ChunkSource {
  readonly first: Chunk;
  next(): Promise<Chunk>;
  end(): Promise<void>;
}

/** Measures how long a reader takes for its chunks, without the time in which it waits for the database. */
class Pace {
  readonly #limit: number;
  #left: number;
  #taken = 0;
  /** Undefined while the reader waits. */
  #since: number | undefined = performance.now();

  constructor(limit: number) {
    this.#limit = limit;
    this.#left = limit;
  }

  asks(): void {
    if (this.#since !== undefined) this.#left -= performance.now() - this.#since;
    this.#since = undefined;
  }

  gets(length: number): void {
    this.#since = performance.now();
    this.#taken += length;
    if (this.#taken < slowLength) return;
    this.#taken = 0;
    this.#left = this.#limit;
  }

  get slow(): boolean {
    return this.#since !== undefined && performance.now() - this.#since >= this.#left;
  }
}

class ChunkIterator implements AsyncIterableIterator<string> {
  readonly by: Caller | undefined;
  readonly #source: ChunkSource;
  readonly #release: (stream: ChunkIterator) => void;
  readonly #idle: NodeJS.Timeout;
  readonly #pace: Pace;
  #ready: Chunk | undefined;
  #ended = false;
  #failure: { readonly error: unknown } | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    source: ChunkSource,
    by: Caller | undefined,
    times: StreamTimes,
    release: (stream: ChunkIterator) => void,
  ) {
    this.by = by;
    this.#source = source;
    this.#release = release;
    this.#ready = source.first;
    this.#pace = new Pace(times.slow);
    this.#idle = setTimeout(() => this.cut('The stream was not read for too long'), times.idle).unref();
  }

  /** True if the reader took too little for too long. */
  get slow(): boolean {
    return this.#pace.slow;
  }

  /** Ends the stream with an error, and disconnects its reader. */
  cut(why: string): void {
    const error = new Error(`${why}; it was ended`);
    this.#failure = { error: overloaded(error) };
    void this.#end();
    this.by?.cut(error);
  }

  next(): Promise<IteratorResult<string, undefined>> {
    this.#idle.refresh();
    this.#pace.asks();
    const result = this.#last.then(() => this.#step());
    this.#last = result.catch(() => {});
    return result;
  }

  async return(): Promise<IteratorResult<string, undefined>> {
    await this.#end();
    return { value: undefined, done: true };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async #step(): Promise<IteratorResult<string, undefined>> {
    if (this.#failure !== undefined) throw this.#failure.error;
    if (this.#ended) return { value: undefined, done: true };
    try {
      const chunk = this.#ready ?? (await this.#source.next());
      this.#ready = undefined;
      this.#pace.gets(chunk.text.length);
      if (chunk.done) this.#close();
      return chunk.text === '' && chunk.done
        ? { value: undefined, done: true }
        : { value: chunk.text, done: false };
    } catch (error) {
      this.#close();
      throw error;
    }
  }

  async #end(): Promise<void> {
    if (!this.#close()) return;
    await this.#last;
    await this.#source.end().catch(() => {});
  }

  /** Returns false if it was closed before. */
  #close(): boolean {
    if (this.#ended) return false;
    this.#ended = true;
    clearTimeout(this.#idle);
    this.#release(this);
    return true;
  }
}

/**
 * Assigns the few places for streams: two for each caller, and two that strangers never get. A reader that takes almost
 * nothing loses its place to a waiting caller.
 */
export class StreamSlots {
  readonly #times: StreamTimes;
  readonly #shares: Shares;
  readonly #open = new Set<ChunkIterator>();
  #looking: NodeJS.Timeout | undefined;

  constructor(times: Partial<StreamTimes> = {}) {
    this.#times = { ...usualTimes, ...times };
    this.#shares = new Shares({
      what: 'whole lists that are streamed',
      total: streamLimit,
      each: 2,
      strangers: streamLimit - 2,
      queue: 256,
      wait: this.#times.wait,
    });
  }

  async open(
    source: () => Promise<ChunkSource>,
    by: Caller | undefined,
  ): Promise<AsyncIterableIterator<string>> {
    const place = this.#shares.take(by);
    if (this.#shares.waiting > 0) this.#look();
    const release = await place;
    try {
      const stream = new ChunkIterator(await source(), by, this.#times, (closed) => {
        this.#open.delete(closed);
        release();
      });
      this.#open.add(stream);
      return stream;
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Numbers of open streams, and of callers that wait for a place. */
  get load(): Pick<Shares, 'taken' | 'waiting'> {
    return this.#shares;
  }

  close(): void {
    clearTimeout(this.#looking);
    this.#shares.close();
  }

  /** Disconnects slow readers while that helps a waiting caller, the oldest stream first. */
  #look(): void {
    clearTimeout(this.#looking);
    for (const stream of [...this.#open])
      if (stream.slow && this.#shares.wouldHelp(stream.by))
        stream.cut('Too little of the stream was read while another one waited');
    if (this.#shares.waiting > 0) this.#looking = setTimeout(() => this.#look(), checkIntervalMs).unref();
  }
}
