import type { Database } from '../database/database.ts';
import { type EventLog, eventChannel } from '../service/events/event-log.ts';

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
    this.#revision = this.#log.revision();
    const intervalMs = listen === undefined ? pollMs.alone : pollMs.listening;
    this.#pollTimer = setInterval(() => this.#poll(), intervalMs).unref();
  }

  /** Another process may have written without a notification. */
  #poll(): void {
    const revision = this.#log.revision();
    if (revision !== undefined && revision === this.#revision) return;
    this.#revision = revision;
    this.#notifyListeners();
  }

  async #end(): Promise<void> {
    clearInterval(this.#pollTimer);
    const end = this.#endListening;
    this.#endListening = undefined;
    await end?.();
  }
}

/** Wakes loops that wait for an event of this process. */
export class AsyncSignal {
  #next = Promise.withResolvers<void>();

  /** Resolves at the next `notify`. */
  next(): Promise<void> {
    return this.#next.promise;
  }

  readonly notify = (): void => {
    this.#next.resolve();
    this.#next = Promise.withResolvers();
  };
}
