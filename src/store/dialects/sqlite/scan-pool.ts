import type { Query } from '../../database.ts';
import { databaseUnavailable, overloaded } from '../problems.ts';
import type { ReaderThread } from './reader-thread.ts';

/** Threads for scans. A third would only take the processor from the main thread. */
const threadLimit = 2;

/** Scans that may wait for a thread. */
const queueSize = 64;

/** How long a scan may wait and run, in milliseconds. */
const scanLimit = 30_000;

type Taker = (thread: ReaderThread) => void;

/** Runs each scan on a thread of its own, of a few that are started when they are first needed. */
export class ScanPool {
  readonly #start: (onExit: (thread: ReaderThread) => void) => ReaderThread;
  readonly #limit: number;
  readonly #threads = new Set<ReaderThread>();
  #idle: ReaderThread[] = [];
  #waiting: Taker[] = [];
  #closed = false;

  constructor(start: (onExit: (thread: ReaderThread) => void) => ReaderThread, limit = scanLimit) {
    this.#start = start;
    this.#limit = limit;
  }

  scan<Row>(query: Query): Promise<Row[]> {
    if (this.#closed) return Promise.reject(databaseUnavailable(new Error('The database is closed')));
    return new Promise((resolve, reject) => {
      let running: ReaderThread | undefined;
      const taker: Taker = (thread) => {
        running = thread;
        thread
          .ask<Row[]>({ kind: 'scan', query })
          .reply.then(resolve, reject)
          .finally(() => {
            clearTimeout(timer);
            this.#giveBack(thread);
          });
      };
      const timer = setTimeout(() => {
        reject(overloaded(new Error(`A scan took longer than ${this.#limit} ms`)));
        this.#waiting = this.#waiting.filter((waiting) => waiting !== taker);
        // SQLite cannot be interrupted from here. The thread keeps its place until it is out of the statement, so
        // that runaway scans never pile up.
        void running?.terminate();
      }, this.#limit);
      if (this.#waiting.length >= queueSize) {
        clearTimeout(timer);
        reject(overloaded(new Error('Too many scans wait')));
      } else this.#take(taker);
    });
  }

  /** Starts a thread before the first scan needs it. */
  warm(): void {
    if (!this.#closed && this.#threads.size === 0) this.#idle.push(this.#add());
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#threads].map((thread) => thread.terminate()));
  }

  #take(taker: Taker): void {
    const idle = this.#idle.pop();
    if (idle !== undefined) taker(idle);
    else if (this.#threads.size < threadLimit) taker(this.#add());
    else this.#waiting.push(taker);
  }

  #add(): ReaderThread {
    const thread = this.#start((exited) => {
      this.#threads.delete(exited);
      this.#idle = this.#idle.filter((idle) => idle !== exited);
      const taker = this.#waiting.shift();
      if (taker !== undefined) this.#take(taker);
    });
    this.#threads.add(thread);
    return thread;
  }

  #giveBack(thread: ReaderThread): void {
    if (!thread.usable) return;
    const taker = this.#waiting.shift();
    if (taker === undefined) this.#idle.push(thread);
    else taker(thread);
  }
}
