import { overloaded } from '../kernel/problem.ts';
import type { Caller } from './database.ts';
import { Shares } from './shares.ts';

/** Streams that may be open at a time: each holds a snapshot, which keeps the database from tidying up. */
export const streamLimit = 8;

/** Times of streams, in milliseconds. */
export interface StreamTimes {
  /** How long one may lie unread before it is ended. */
  readonly idle: number;
  /** How long its reader may take for `slowBytes` before it is cut, where another waits. */
  readonly slow: number;
  /** How long another waits. */
  readonly wait: number;
}

const usualTimes: StreamTimes = { idle: 60_000, slow: 5_000, wait: 10_000 };

/** The least that a reader takes, in UTF-16 units of the text, to go on while another waits. */
const slowLength = 32 * 1024;

/** Milliseconds between two looks at the readers while somebody waits. */
const lookInterval = 250;

/** Rows that were ready, joined by commas. */
export interface Chunk {
  readonly text: string;
  readonly done: boolean;
}

/** The stream of a dialect: asked for the next chunk only after the one before. Ending it twice does no harm. */
export interface ChunkSource {
  readonly first: Chunk;
  next(): Promise<Chunk>;
  end(): Promise<void>;
}

/** How long a reader has had what was given: the time in which it waits for more is not its own. */
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

  /** Whether the reader took too little for too long. */
  get slow(): boolean {
    return this.#pace.slow;
  }

  /** Ends the stream for its reader with an error, and cuts the connection. */
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

  /** False where it was closed before. */
  #close(): boolean {
    if (this.#ended) return false;
    this.#ended = true;
    clearTimeout(this.#idle);
    this.#release(this);
    return true;
  }
}

/**
 * Gives out the few places for streams: two for a caller, and two of all that no strangers get. A reader who takes
 * next to nothing loses its place to the one who waits.
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

  /** Streams that are open, and those that wait for a place. */
  get load(): Pick<Shares, 'taken' | 'waiting'> {
    return this.#shares;
  }

  close(): void {
    clearTimeout(this.#looking);
    this.#shares.close();
  }

  /** Cuts readers who are too slow, as long as somebody waits whom that helps. The longest open goes first. */
  #look(): void {
    clearTimeout(this.#looking);
    for (const stream of [...this.#open])
      if (stream.slow && this.#shares.wouldHelp(stream.by))
        stream.cut('Too little of the stream was read while another one waited');
    if (this.#shares.waiting > 0) this.#looking = setTimeout(() => this.#look(), lookInterval).unref();
  }
}
