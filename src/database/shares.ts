import { PassingMap } from '../kernel/passing-map.ts';
import { overloaded } from '../kernel/problem.ts';
import type { Caller } from './database.ts';
import { databaseUnavailable } from './problems.ts';

export interface ShareLimits {
  /** What this is about, in the words of a log line. */
  readonly what: string;
  /** Places in all. */
  readonly total: number;
  /** Places of one caller. */
  readonly each: number;
  /** Places of all callers whom nobody has authenticated, together. */
  readonly strangers: number;
  /** Those who may wait: so many authenticated, and so many strangers. One caller may have a quarter of them. */
  readonly queue: number;
  /** How long one waits, in milliseconds. */
  readonly wait: number;
}

interface Waiter {
  readonly grant: () => void;
  readonly refuse: (error: unknown) => void;
}

/**
 * Scans that may wait: a quarter of them, which one caller may have, is more than an application behind one key keeps
 * open at once. The places are what is scarce, and callers take turns for them; who waits costs a request's memory.
 */
export const scanQueue = 1024;

/** The service itself: it asks for little, and no caller stands behind it. */
const service = '';

const isStranger = (key: string): boolean => key.startsWith('net:');

/** Those who wait, by caller, in the order in which callers get their turn. */
type Line = PassingMap<string, Waiter[]>;

const sizeOf = (line: Line): number => {
  let size = 0;
  for (const waiters of line.values()) size += waiters.length;
  return size;
};

/**
 * Places that callers share, so that none of them can have them all: a bound for each, the authenticated before
 * strangers, and among these each caller in turn, however many requests one of them has sent.
 */
export class Shares {
  readonly #limits: ShareLimits;
  readonly #held = new PassingMap<string, number>();
  readonly #known: Line = new PassingMap();
  readonly #strange: Line = new PassingMap();
  #taken = 0;
  #strangers = 0;
  #closed = false;

  constructor(limits: ShareLimits) {
    this.#limits = limits;
  }

  get taken(): number {
    return this.#taken;
  }

  get waiting(): number {
    return sizeOf(this.#known) + sizeOf(this.#strange);
  }

  /**
   * Answers what gives the place back. @throws `overloaded` where none is free in time, or too many wait;
   * `database_unavailable` behind `close`
   */
  take(by: Caller | undefined): Promise<() => void> {
    const key = by?.caller ?? service;
    if (this.#closed) return Promise.reject(this.#over());
    if (this.#mayHold(key)) return Promise.resolve(this.#hold(key));
    const line = isStranger(key) ? this.#strange : this.#known;
    const own = line.get(key)?.length ?? 0;
    const most = key === service ? this.#limits.queue : Math.ceil(this.#limits.queue / 4);
    if (own >= most || sizeOf(line) >= this.#limits.queue)
      return Promise.reject(this.#refusal('Too many wait'));
    return this.#wait(line, key, by?.signal);
  }

  /** Whether somebody who waits would get a place that this caller gives back. */
  wouldHelp(by: Caller | undefined): boolean {
    const key = by?.caller ?? service;
    for (const waiting of [...this.#known.keys(), ...this.#strange.keys()]) {
      if (waiting === key) return true;
      if (this.#heldBy(waiting) >= this.#mostOf(waiting)) continue;
      const full = this.#taken >= this.#limits.total;
      if (full && (!this.#strangersFull(waiting) || isStranger(key))) return true;
      if (this.#strangersFull(waiting) && isStranger(key)) return true;
    }
    return false;
  }

  /** Refuses those who wait and those who come. */
  close(): void {
    this.#closed = true;
    for (const line of [this.#known, this.#strange])
      for (const waiters of line.values()) for (const { refuse } of [...waiters]) refuse(this.#over());
  }

  #wait(line: Line, key: string, signal: AbortSignal | undefined): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', gone);
        const rest = line.get(key)?.filter((each) => each !== waiter) ?? [];
        line.delete(key);
        // Whoever has had a turn goes to the end of the line.
        if (rest.length > 0) line.set(key, rest);
      };
      const refuse = (error: unknown): void => {
        leave();
        reject(error);
      };
      const gone = (): void => refuse(this.#refusal('The caller hung up'));
      const waiter: Waiter = {
        grant: () => {
          leave();
          resolve(this.#hold(key));
        },
        refuse,
      };
      const timer = setTimeout(() => refuse(this.#refusal('No place in time')), this.#limits.wait);
      line.set(key, [...(line.get(key) ?? []), waiter]);
      signal?.addEventListener('abort', gone);
      if (signal?.aborted === true) gone();
    });
  }

  #hold(key: string): () => void {
    const stranger = isStranger(key) ? 1 : 0;
    this.#held.set(key, this.#heldBy(key) + 1);
    this.#taken += 1;
    this.#strangers += stranger;
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      const left = this.#heldBy(key) - 1;
      if (left === 0) this.#held.delete(key);
      else this.#held.set(key, left);
      this.#taken -= 1;
      this.#strangers -= stranger;
      this.#grant();
    };
  }

  /** Gives the places that are free to those whose turn it is. */
  #grant(): void {
    for (const line of [this.#known, this.#strange])
      for (const [key, [first]] of line.entries()) if (this.#mayHold(key)) first?.grant();
  }

  #mayHold(key: string): boolean {
    return (
      this.#taken < this.#limits.total && this.#heldBy(key) < this.#mostOf(key) && !this.#strangersFull(key)
    );
  }

  #mostOf(key: string): number {
    return key === service ? this.#limits.total : this.#limits.each;
  }

  #heldBy(key: string): number {
    return this.#held.get(key) ?? 0;
  }

  #strangersFull(key: string): boolean {
    return isStranger(key) && this.#strangers >= this.#limits.strangers;
  }

  #refusal(why: string): unknown {
    return overloaded(new Error(`${why}: ${this.#limits.what}`));
  }

  #over(): unknown {
    return databaseUnavailable(new Error('The database is closed'));
  }
}
