import type { Chunk, StreamSlots } from '../chunk-stream.ts';
import type { Caller, Query } from '../database.ts';
import { databaseUnavailable } from '../problems.ts';
import type { ReaderThread } from './reader-thread.ts';

/** All streams share one thread, taking turns chunk by chunk; scans cannot get in their way. */
export class StreamThread {
  readonly #start: () => ReaderThread;
  readonly #slots: StreamSlots;
  #thread: ReaderThread | undefined;
  #closed = false;

  constructor(start: () => ReaderThread, slots: StreamSlots) {
    this.#start = start;
    this.#slots = slots;
  }

  stream(query: Query, by: Caller | undefined): Promise<AsyncIterableIterator<string>> {
    return this.#slots.open(async () => {
      const thread = this.#usable();
      const opened = thread.ask<Chunk>({ kind: 'open', query });
      const first = await opened.reply;
      return {
        first,
        next: () => thread.ask<Chunk>({ kind: 'next', stream: opened.id }).reply,
        end: () => thread.ask<void>({ kind: 'end', stream: opened.id }).reply,
      };
    }, by);
  }

  /** Open and waiting streams. */
  get load(): StreamSlots['load'] {
    return this.#slots.load;
  }

  /** Starts the thread before the first stream needs it: it takes longer to start than a first chunk may take. */
  warm(): void {
    if (!this.#closed) this.#usable();
  }

  /** Takes nothing new, refuses what waits and what runs, and returns whether the thread has ended. */
  async close(): Promise<boolean> {
    this.#closed = true;
    this.#slots.close();
    return (await this.#thread?.refuse()) ?? true;
  }

  #usable(): ReaderThread {
    if (this.#closed) throw databaseUnavailable(new Error('The database is closed'));
    if (this.#thread?.usable !== true) this.#thread = this.#start();
    return this.#thread;
  }
}
