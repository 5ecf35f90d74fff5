/** Few threads that run scans, started when they are first needed. */

import { overloaded } from '../../kernel/problem.ts';
import type { Caller, Query } from '../database.ts';
import { databaseUnavailable } from '../problems.ts';
import { Shares, scanQueue } from '../shares.ts';
import type { Scanned } from './protocol.ts';
import type { ReaderThread } from './reader-thread.ts';

/** Threads for scans. A third would only take the processor from the main thread. */
const threadLimit = 2;

/** How long a scan may wait and run, in milliseconds. */
const scanLimit = 30_000;

/** Runs each scan on a thread of its own, of a few that are started when they are first needed. */
export class ScanPool {
  readonly #start: (onExit: (thread: ReaderThread) => void) => ReaderThread;
  readonly #limit: number;
  readonly #shares: Shares;
  readonly #threads = new Set<ReaderThread>();
  #idle: ReaderThread[] = [];
  #closed = false;

  constructor(start: (onExit: (thread: ReaderThread) => void) => ReaderThread, limit = scanLimit) {
    this.#start = start;
    this.#limit = limit;
    this.#shares = new Shares({
      what: 'statements that no index bounds',
      total: threadLimit,
      each: 1,
      strangers: threadLimit - 1,
      queue: scanQueue,
      wait: limit,
    });
  }

  async scan<Row>(query: Query, by: Caller | undefined): Promise<Scanned<Row>> {
    const until = performance.now() + this.#limit;
    const release = await this.#shares.take(by);
    return this.#run<Row>(this.#thread(release), query, until - performance.now(), release);
  }

  /** Running and waiting scans. */
  get load(): Pick<Shares, 'taken' | 'waiting'> {
    return this.#shares;
  }

  /** Starts a thread before the first scan needs it. */
  warm(): void {
    if (!this.#closed && this.#threads.size === 0) this.#idle.push(this.#add());
  }

  /** Takes nothing new, refuses what waits and what runs, and returns whether every thread has ended. */
  async close(): Promise<boolean> {
    this.#closed = true;
    this.#shares.close();
    const ended = await Promise.all([...this.#threads].map((thread) => thread.refuse()));
    return !ended.includes(false);
  }

  #run<Row>(thread: ReaderThread, query: Query, left: number, release: () => void): Promise<Scanned<Row>> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(overloaded(new Error(`A scan took longer than ${this.#limit} ms`)));
        // SQLite cannot be interrupted from here. The thread keeps its place until it is out of the statement, so
        // that runaway scans never pile up.
        void thread.terminate();
      }, left);
      thread
        .ask<Scanned<Row>>({ kind: 'scan', query })
        .reply.then(resolve, reject)
        .finally(() => {
          clearTimeout(timer);
          if (thread.usable) this.#idle.push(thread);
          release();
        });
    });
  }

  /** An idle thread or a new one: there is one for each place. */
  #thread(release: () => void): ReaderThread {
    try {
      return this.#idle.pop() ?? this.#add();
    } catch (error) {
      release();
      throw databaseUnavailable(error);
    }
  }

  #add(): ReaderThread {
    const thread = this.#start((exited) => {
      this.#threads.delete(exited);
      this.#idle = this.#idle.filter((idle) => idle !== exited);
    });
    this.#threads.add(thread);
    return thread;
  }
}
