import type { Database } from '../database/database.ts';
import { type EventLog, eventChannel } from '../service/events/event-log.ts';

/** Milliseconds in which other processes are told once, however much is written. */
const tellInterval = 20;

/** Milliseconds between two looks of who is told nothing, and of who may have missed what was told. */
const lookInterval = { untold: 1_000, told: 5_000 } as const;

/**
 * Says that something was written to the event log, here or by another process. Whoever hears it looks at the log; that
 * something was written is never missed for longer than five seconds.
 */
export class EventSignal {
  readonly #database: Database;
  readonly #log: Pick<EventLog, 'revision'>;
  readonly #hearers = new Set<() => void>();
  #told = -Infinity;
  #telling: NodeJS.Timeout | undefined;
  #pending = false;
  #looking: NodeJS.Timeout | undefined;
  #endListening: (() => Promise<void>) | undefined;
  #revision: number | undefined;

  constructor(database: Database, log: Pick<EventLog, 'revision'>) {
    this.#database = database;
    this.#log = log;
  }

  /** Something was committed by this process. */
  readonly committed = (): void => {
    this.#hear();
    this.#tell();
  };

  /** Calls `heard` from now on; answers what ends that. */
  listen(heard: () => void): () => void {
    this.#hearers.add(heard);
    if (this.#hearers.size === 1) this.#begin();
    return () => {
      this.#hearers.delete(heard);
      if (this.#hearers.size === 0) this.#end().catch(() => {});
    };
  }

  async close(): Promise<void> {
    this.#hearers.clear();
    clearTimeout(this.#telling);
    await this.#end();
  }

  /** Once for all that one turn of the event loop commits. */
  #hear(): void {
    if (this.#pending || this.#hearers.size === 0) return;
    this.#pending = true;
    setImmediate(() => {
      this.#pending = false;
      for (const heard of [...this.#hearers]) heard();
    });
  }

  #tell(): void {
    const { tell } = this.#database;
    if (tell === undefined || this.#telling !== undefined) return;
    const wait = Math.max(0, this.#told + tellInterval - performance.now());
    this.#telling = setTimeout(() => {
      this.#telling = undefined;
      this.#told = performance.now();
      // Who is not told looks within seconds.
      this.#database.tell?.(eventChannel).catch(() => {});
    }, wait).unref();
  }

  #begin(): void {
    const { listen } = this.#database;
    this.#endListening = listen?.call(this.#database, eventChannel, () => this.#hear());
    this.#revision = this.#log.revision();
    const every = listen === undefined ? lookInterval.untold : lookInterval.told;
    this.#looking = setInterval(() => this.#look(), every).unref();
  }

  /** Another process may have written without saying so. */
  #look(): void {
    const revision = this.#log.revision();
    if (revision !== undefined && revision === this.#revision) return;
    this.#revision = revision;
    this.#hear();
  }

  async #end(): Promise<void> {
    clearInterval(this.#looking);
    const end = this.#endListening;
    this.#endListening = undefined;
    await end?.();
  }
}
