import { overloaded } from './problems.ts';

/** Streams that may be open at a time: each holds a snapshot, which keeps the database from tidying up. */
export const streamLimit = 8;

/** How long a stream may lie unread before it is ended, in milliseconds. */
const idleLimit = 60_000;

/** Rows that were ready, joined by commas. */
export interface Chunk {
  readonly text: string;
  readonly done: boolean;
}

/** What a dialect gives: asked for the next chunk only after the one before. Ending it twice does no harm. */
export interface ChunkSource {
  readonly first: Chunk;
  next(): Promise<Chunk>;
  end(): Promise<void>;
}

class ChunkIterator implements AsyncIterableIterator<string> {
  readonly #source: ChunkSource;
  readonly #release: () => void;
  readonly #idle: NodeJS.Timeout;
  #ready: Chunk | undefined;
  #ended = false;
  #failure: { readonly error: unknown } | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(source: ChunkSource, release: () => void, limit: number) {
    this.#source = source;
    this.#release = release;
    this.#ready = source.first;
    this.#idle = setTimeout(() => void this.#abandon(), limit).unref();
  }

  next(): Promise<IteratorResult<string, undefined>> {
    this.#idle.refresh();
    const result = this.#turn.then(() => this.#step());
    this.#turn = result.catch(() => {});
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
      if (chunk.done) this.#close();
      return chunk.text === '' && chunk.done
        ? { value: undefined, done: true }
        : { value: chunk.text, done: false };
    } catch (error) {
      this.#close();
      throw error;
    }
  }

  async #abandon(): Promise<void> {
    this.#failure = { error: overloaded(new Error('Nobody read the stream for too long; it was ended')) };
    await this.#end();
  }

  async #end(): Promise<void> {
    if (!this.#close()) return;
    await this.#turn;
    await this.#source.end().catch(() => {});
  }

  /** False where it was closed before. */
  #close(): boolean {
    if (this.#ended) return false;
    this.#ended = true;
    clearTimeout(this.#idle);
    this.#release();
    return true;
  }
}

/** Gives out the few places for streams. */
export class StreamSlots {
  readonly #idleLimit: number;
  #taken = 0;

  constructor(limit = idleLimit) {
    this.#idleLimit = limit;
  }

  async open(source: () => Promise<ChunkSource>): Promise<AsyncIterableIterator<string>> {
    if (this.#taken >= streamLimit) throw overloaded(new Error('Too many streams are open'));
    this.#taken += 1;
    try {
      const opened = await source();
      return new ChunkIterator(opened, () => this.#free(), this.#idleLimit);
    } catch (error) {
      this.#free();
      throw error;
    }
  }

  #free(): void {
    this.#taken -= 1;
  }
}
