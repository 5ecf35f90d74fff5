/** Signals new events of the log to this process and to others, and keeps the newest ones for webhooks. */

import type { Database } from '../../database/database.ts';
import { type EventLog, eventChannel, type RecordedEvent } from '../../ledger/event-log.ts';

/** Milliseconds within which other processes are notified once, however much is written. */
const notifyIntervalMs = 20;

/** Milliseconds between two polls without notifications, and of a process that may have missed one. */
const pollMs = { alone: 1_000, listening: 5_000 } as const;

/**
 * Notifies listeners that this or another process has written to the event log, so that they read it. A write is
 * noticed within five seconds even if the notification is lost.
 */
export class EventSignal {
  readonly #database: Database;
  readonly #log: Pick<EventLog, 'revision'>;
  readonly #listeners = new Set<() => void>();
  #notifiedAt = -Infinity;
  #notifyTimer: NodeJS.Timeout | undefined;
  #pending = false;
  #pollTimer: NodeJS.Timeout | undefined;
  #endListening: (() => Promise<void>) | undefined;
  #revision: number | undefined;

  constructor(database: Database, log: Pick<EventLog, 'revision'>) {
    this.#database = database;
    this.#log = log;
  }

  /** Called after each commit of this process that writes an event. */
  readonly onCommit = (): void => {
    this.#notifyListeners();
    this.#notifyOthers();
  };

  /** Calls `listener` from now on; returns a function that ends it. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) this.#begin();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#end().catch(() => {});
    };
  }

  async close(): Promise<void> {
    this.#listeners.clear();
    clearTimeout(this.#notifyTimer);
    await this.#end();
  }

  /** Called once for all commits of a turn of the event loop. */
  #notifyListeners(): void {
    if (this.#pending || this.#listeners.size === 0) return;
    this.#pending = true;
    setImmediate(() => {
      this.#pending = false;
      if (this.#listeners.size === 0) return;
      // Before the listeners read: they see everything up to this revision.
      this.#revision = this.#currentRevision();
      for (const listener of [...this.#listeners]) listener();
    });
  }

  #notifyOthers(): void {
    const { tell } = this.#database;
    if (tell === undefined || this.#notifyTimer !== undefined) return;
    const wait = Math.max(0, this.#notifiedAt + notifyIntervalMs - performance.now());
    this.#notifyTimer = setTimeout(() => {
      this.#notifyTimer = undefined;
      this.#notifiedAt = performance.now();
      // Processes without a notification poll within seconds.
      this.#database.tell?.(eventChannel).catch(() => {});
    }, wait).unref();
  }

  #begin(): void {
    const { listen } = this.#database;
    this.#endListening = listen?.call(this.#database, eventChannel, () => this.#notifyListeners());
    this.#revision = this.#currentRevision();
    const intervalMs = listen === undefined ? pollMs.alone : pollMs.listening;
    this.#pollTimer = setInterval(() => this.#poll(), intervalMs).unref();
  }

  /** Undefined also where it cannot be read: listeners find out by themselves. */
  #currentRevision(): number | undefined {
    try {
      return this.#log.revision();
    } catch {
      return undefined;
    }
  }

  /** Another process may have written without a notification. */
  #poll(): void {
    const revision = this.#currentRevision();
    if (revision === undefined || revision !== this.#revision) this.#notifyListeners();
  }

  async #end(): Promise<void> {
    clearInterval(this.#pollTimer);
    const end = this.#endListening;
    this.#endListening = undefined;
    await end?.();
  }
}

/** Events that are read at a time. */
export const eventBatchSize = 500;

/** Milliseconds for which events are kept after they were read, so that values that `forget` removes do not stay. */
const keptMs = 1_000;

/** The events after the number `from`, up to the end of the log. */
interface LogTail {
  readonly from: number;
  readonly to: number;
  readonly events: readonly RecordedEvent[];
  /** The time of the read, by `performance.now()`. */
  readonly readAt: number;
}

const tailOf = (from: number, read: readonly RecordedEvent[]): LogTail => {
  const events = read.slice(-eventBatchSize);
  const start = read.at(-events.length - 1)?.number ?? from;
  return { from: start, to: events.at(-1)?.number ?? start, events, readAt: performance.now() };
};

const isKept = ({ readAt }: LogTail): boolean => performance.now() - readAt < keptMs;

/**
 * Reads the end of the log once for all webhooks of this process, and not at all where no event has been signalled
 * since the last read.
 */
export class RecentEvents {
  readonly #log: Pick<EventLog, 'settle' | 'after'>;
  /** Undefined until a read reaches the end of the log. */
  #tail: LogTail | undefined;
  #isFollowing = false;
  /** Number of reads that began; a read that was overtaken by another does not change the tail. */
  #reads = 0;
  /** True if there may be events after the tail. */
  #hasMore = true;
  #reading: Promise<void> | undefined;
  #next = Promise.withResolvers<void>();

  constructor(log: Pick<EventLog, 'settle' | 'after'>) {
    this.#log = log;
  }

  /**
   * Follows a signal, and calls `listener` after each; returns a function that ends it. Without a signal to follow,
   * each call of `after` reads the log.
   */
  follow(signal: EventSignal, listener: () => void): () => void {
    const end = signal.listen(() => {
      this.#hasMore = true;
      this.#next.resolve();
      this.#next = Promise.withResolvers();
      listener();
    });
    this.#isFollowing = true;
    this.#hasMore = true;
    return () => {
      this.#isFollowing = false;
      end();
    };
  }

  /** Resolves at the next signal. */
  next(): Promise<void> {
    return this.#next.promise;
  }

  /** Returns events after a number, at most `eventBatchSize`, in the order of their commits. */
  async after(number: number): Promise<readonly RecordedEvent[]> {
    await this.#update();
    const tail = this.#tail;
    if (tail !== undefined && number >= tail.to) return [];
    if (tail !== undefined && number >= tail.from && isKept(tail))
      return tail.events.filter((event) => event.number > number);
    const reads = this.#reads;
    const events = await this.#log.after(number, eventBatchSize);
    if (events.length < eventBatchSize && reads === this.#reads) this.#tail = tailOf(number, events);
    return events;
  }

  /** Reads what was committed before the call, one read at a time. */
  async #update(): Promise<void> {
    while (this.#reading !== undefined) await this.#reading.catch(() => {});
    if (this.#isFollowing && !this.#hasMore) return;
    this.#reading = this.#read();
    try {
      await this.#reading;
    } finally {
      this.#reading = undefined;
    }
  }

  async #read(): Promise<void> {
    this.#reads += 1;
    this.#hasMore = false;
    try {
      await this.#log.settle();
      const tail = this.#tail;
      if (tail === undefined) return;
      const added = await this.#log.after(tail.to, eventBatchSize);
      if (added.length === eventBatchSize) this.#tail = undefined;
      else this.#tail = isKept(tail) ? tailOf(tail.from, [...tail.events, ...added]) : tailOf(tail.to, added);
    } catch (error) {
      this.#hasMore = true;
      throw error;
    }
  }
}
