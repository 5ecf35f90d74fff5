/** Places that callers share fairly, for scans and streams, with their load as figures. */

import { FairQueue, type QueueRefusal } from '../kernel/fair-queue.ts';
import { type Figure, figure } from '../kernel/figure.ts';
import { overloaded } from '../kernel/problem.ts';
import { databaseUnavailable } from './problems.ts';

/** A holder of places: a caller, or another key by which places are counted. */
export interface Sharer {
  readonly caller: string;
  readonly signal?: AbortSignal;
}

export interface ShareLimits {
  /** The subject, as in a log line. */
  readonly what: string;
  /** Places in all. */
  readonly total: number;
  /** Places of one caller. */
  readonly each: number;
  /** Places of all strangers in sum: callers who are not authenticated. */
  readonly strangers: number;
  /** Most waiting requests of authenticated callers, and the same number of strangers; a quarter for one caller. */
  readonly queue: number;
  /** Longest time in the queue, in milliseconds. */
  readonly wait: number;
  /** Makes the problem for a refused caller; `overloaded` by default. */
  readonly refuse?: (cause: Error) => unknown;
}

/**
 * Most waiting scans. A quarter, the limit for one caller, is more than an application with one key usually has open.
 * Places are scarce and are given to callers in turn; waiting costs only the memory of a request.
 */
export const scanQueue = 1024;

/** The key of the service itself, which needs few places. */
const service = '';

const isStranger = (key: string): boolean => key.startsWith('net:');

const refusals: Readonly<Record<QueueRefusal, string>> = {
  full: 'Too many wait',
  late: 'No place in time',
  gone: 'The caller hung up',
};

/**
 * Places that callers share, so that no caller can take all: a limit for each caller, authenticated callers before
 * strangers, and among these one caller after the other, whatever the number of their requests.
 */
export class Shares {
  readonly #limits: ShareLimits;
  readonly #held = new Map<string, number>();
  readonly #ofService: FairQueue;
  readonly #authenticated: FairQueue;
  readonly #ofStrangers: FairQueue;
  #taken = 0;
  #strangers = 0;
  #isClosed = false;

  constructor(limits: ShareLimits) {
    this.#limits = limits;
    const refuse = (why: QueueRefusal): unknown =>
      (limits.refuse ?? overloaded)(new Error(`${refusals[why]}: ${limits.what}`));
    const queue = { maxWaiting: limits.queue, refuse };
    const shared = { ...queue, maxWaitingPerKey: Math.ceil(limits.queue / 4) };
    this.#ofService = new FairQueue(queue);
    this.#authenticated = new FairQueue(shared);
    this.#ofStrangers = new FairQueue(shared);
  }

  get taken(): number {
    return this.#taken;
  }

  get waiting(): number {
    return this.#queues.reduce((sum, { size }) => sum + size, 0);
  }

  /**
   * Takes a place and returns the function that releases it. @throws Problem `overloaded` if none is free in time, or
   * too many wait; `database_unavailable` after `close`
   */
  async take(by: Sharer | undefined): Promise<() => void> {
    const key = by?.caller ?? service;
    if (this.#isClosed) throw closed();
    if (this.#mayHold(key)) this.#add(key);
    else await this.#queueOf(key).wait(key, { signal: by?.signal, timeoutMs: this.#limits.wait });
    return this.#release(key);
  }

  /** True if a waiting caller would get a place that this caller releases. */
  wouldHelp(by: Sharer | undefined): boolean {
    const key = by?.caller ?? service;
    for (const waiting of this.#queues.flatMap((queue) => [...queue.keys()])) {
      if (waiting === key) return true;
      if (this.#heldBy(waiting) >= this.#mostOf(waiting)) continue;
      const full = this.#taken >= this.#limits.total;
      if (full && (!this.#strangersFull(waiting) || isStranger(key))) return true;
      if (this.#strangersFull(waiting) && isStranger(key)) return true;
    }
    return false;
  }

  /** Refuses all waiting callers. */
  rejectWaiting(error: unknown): void {
    for (const queue of this.#queues) queue.rejectAll(error);
  }

  /** Refuses all waiting callers and new ones. */
  close(): void {
    this.#isClosed = true;
    this.rejectWaiting(closed());
  }

  /** The queues in the order in which they get free places. */
  get #queues(): readonly FairQueue[] {
    return [this.#ofService, this.#authenticated, this.#ofStrangers];
  }

  #queueOf(key: string): FairQueue {
    if (key === service) return this.#ofService;
    return isStranger(key) ? this.#ofStrangers : this.#authenticated;
  }

  #add(key: string): void {
    this.#held.set(key, this.#heldBy(key) + 1);
    this.#taken += 1;
    if (isStranger(key)) this.#strangers += 1;
  }

  #release(key: string): () => void {
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      const left = this.#heldBy(key) - 1;
      if (left === 0) this.#held.delete(key);
      else this.#held.set(key, left);
      this.#taken -= 1;
      if (isStranger(key)) this.#strangers -= 1;
      for (const queue of this.#queues) this.#grant(queue);
    };
  }

  #grant(queue: FairQueue): void {
    for (;;) {
      const key = queue.next((waiting) => this.#mayHold(waiting));
      if (key === undefined) return;
      this.#add(key);
    }
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
}

const closed = (): unknown => databaseUnavailable(new Error('The database is closed'));

type Load = Pick<Shares, 'taken' | 'waiting'>;

export const sumOfLoads = (one: Load, other: Load): Load => ({
  taken: one.taken + other.taken,
  waiting: one.waiting + other.waiting,
});

/** Figures of the places for scans and streams. */
export const figuresOfShares = (scans: Load, streams: Load): readonly Figure[] => [
  figure('gauge', 'database_scans', 'Running statements that no index bounds.', scans.taken),
  figure('gauge', 'database_scans_waiting', 'Such statements waiting for a slot.', scans.waiting),
  figure('gauge', 'database_streams', 'Whole lists being streamed.', streams.taken),
  figure('gauge', 'database_streams_waiting', 'Whole lists waiting for a slot.', streams.waiting),
];
