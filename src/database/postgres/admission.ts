import { Chain, type Link } from '../../kernel/chain.ts';
import { overloaded } from '../../kernel/problem.ts';
import { databaseUnavailable } from '../problems.ts';
import { topicOf } from './topic.ts';

/** Milliseconds between two looks at the sessions in use. */
const lookInterval = 125;

/** Looks without an answer after which a statement stands still: it waits for a lock, as far as anybody can tell. */
const looksToStand = 2;

/** How long a topic stays suspect after its statements last stood still, in milliseconds. */
const suspicion = 5_000;

/** How long one waits for a session, and how long where the topic is suspect, in milliseconds. */
const patience = 5_000;
const suspectPatience = 3_000;

/** Callers that may wait for a session. More than that come in faster than the server takes them. */
const queueSize = 10_000;

/** A session in use, as far as its place is concerned. */
export interface Held {
  /** Whether it may take its time: scans have limits of their own. */
  readonly patient: boolean;
  /** The statement that it is at; undefined between two. */
  readonly statement: string | undefined;
  /** What it was taken for. */
  readonly topic: string;
  /** Statements that were answered, and those of them that were not refused. */
  readonly answered: number;
  readonly succeeded: number;
  /** Told once it stands still. */
  stood(): void;
}

interface Waiter {
  readonly topic: string;
  readonly since: number;
  readonly grant: () => void;
  readonly refuse: (error: unknown) => void;
}

/** A session that has its place, and what was seen of it. */
export interface Seen<S extends Held> extends Link<Seen<S>> {
  readonly session: S;
  answered: number;
  looks: number;
}

/**
 * Who gets a session, and when. A statement that stands still waits for somebody's lock: its session does not count
 * (up to half as many again are opened), and what else is about the same table gets a quarter of the sessions only.
 * So a locked table costs those who want that table, and keeps nobody else waiting.
 */
export class Admission<S extends Held> {
  readonly #places: number;
  readonly #extra: number;
  readonly #held = new Chain<Seen<S>>();
  /** Until when, by `performance.now()`, statements about a topic are expected to stand still. */
  readonly #suspects = new Map<string, number>();
  /** Places by topic. */
  readonly #topics = new Map<string, number>();
  /** Places that were granted, also those whose session is still being connected. */
  #taken = 0;
  #standing = 0;
  #waiting: Waiter[] = [];
  #looking: NodeJS.Timeout | undefined;

  /** @param extra sessions beyond `places` that may be opened while others stand still */
  constructor(places: number, extra: number) {
    this.#places = places;
    this.#extra = extra;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  get places(): number {
    return this.#places;
  }

  /** Sessions whose statement stands still. */
  get standing(): number {
    return this.#standing;
  }

  get taken(): number {
    return this.#taken;
  }

  /** Whether statements about this are expected to stand still. Costs nothing while none is. */
  isSuspect(sql: string): boolean {
    return this.#suspects.size > 0 && this.#suspects.has(topicOf(sql));
  }

  /** Takes a place, to be given back; a promise where there is none yet. */
  enter(topic: string): Promise<void> | undefined {
    if (this.#waiting.length === 0 && this.#mayEnter(topic)) {
      this.#count(topic, 1);
      return undefined;
    }
    if (this.#waiting.length >= queueSize)
      return Promise.reject(overloaded(new Error('Too many statements wait for a session')));
    this.#look();
    return new Promise((resolve, refuse) => {
      this.#waiting.push({ topic, since: performance.now(), grant: resolve, refuse });
    });
  }

  /** Refuses everybody who waits. */
  refuse(error: unknown): void {
    for (const { refuse } of this.#waiting.splice(0)) refuse(error);
  }

  /** Sessions that have a place now. */
  get sessions(): readonly S[] {
    return [...this.#held].map(({ session }) => session);
  }

  /** The place has a session from now on. Answers what `leave` takes. */
  hold(session: S): Seen<S> {
    const { answered } = session;
    const seen: Seen<S> = { session, answered, looks: 0, older: undefined, newer: undefined };
    this.#held.add(seen);
    this.#look();
    return seen;
  }

  /** Gives the place of a session back. */
  leave(seen: Seen<S>): void {
    const { session } = seen;
    const { topic } = session;
    if (seen.looks >= looksToStand) this.#standing -= 1;
    this.#held.remove(seen);
    // What was suspect for a moment's slowness is so no longer; where others still stand, the next look tells.
    if (session.succeeded > 0 && this.#suspects.size > 0) this.#suspects.delete(topic);
    this.giveUp(topic);
  }

  /** Gives a place back that never had a session. */
  giveUp(topic: string): void {
    this.#count(topic, -1);
    this.#admit();
  }

  #count(topic: string, change: 1 | -1): void {
    this.#taken += change;
    this.#topics.set(topic, this.#placesOf(topic) + change);
  }

  #placesOf(topic: string): number {
    return this.#topics.get(topic) ?? 0;
  }

  #mayEnter(topic: string): boolean {
    if (this.#taken - Math.min(this.#standing, this.#extra) >= this.#places) return false;
    if (this.#suspects.size === 0 || !this.#suspects.has(topic)) return true;
    return this.#placesOf(topic) < Math.max(1, Math.floor(this.#places / 4));
  }

  #admit(): void {
    if (this.#waiting.length === 0) return;
    if (this.#suspects.size === 0) {
      while (this.#waiting[0] !== undefined && this.#mayEnter(this.#waiting[0].topic)) {
        const waiter = this.#waiting.shift();
        if (waiter !== undefined) this.#grant(waiter);
      }
      return;
    }
    this.#waiting = this.#waiting.filter((waiter) => {
      if (!this.#mayEnter(waiter.topic)) return true;
      this.#grant(waiter);
      return false;
    });
  }

  #grant({ topic, grant }: Waiter): void {
    this.#count(topic, 1);
    grant();
  }

  /** Looks again and again while there is something to look at. */
  #look(): void {
    // Behind the poll: what came in while the loop stood still has been read by then, and counts as answered.
    this.#looking ??= setTimeout(() => setImmediate(() => this.#examine()), lookInterval).unref();
  }

  #examine(): void {
    this.#looking = undefined;
    const now = performance.now();
    for (const [topic, until] of this.#suspects) if (until <= now) this.#suspects.delete(topic);
    for (const seen of this.#held) this.#examineSession(seen, now);
    this.#expire(now);
    this.#admit();
    if (this.#held.size > 0 || this.#waiting.length > 0) this.#look();
  }

  #examineSession(seen: Seen<S>, now: number): void {
    const { session } = seen;
    const { statement, answered, patient } = session;
    if (patient) return;
    const stood = seen.looks >= looksToStand;
    seen.looks = statement !== undefined && answered === seen.answered ? seen.looks + 1 : 0;
    seen.answered = answered;
    const stands = seen.looks >= looksToStand;
    if (stands !== stood) this.#standing += stands ? 1 : -1;
    if (!stands || statement === undefined) return;
    this.#suspects.set(topicOf(statement), now + suspicion);
    if (!stood) session.stood();
  }

  #expire(now: number): void {
    const oldest = this.#waiting[0]?.since ?? now;
    if (now - oldest < suspectPatience) return;
    this.#waiting = this.#waiting.filter(({ topic, since, refuse }) => {
      const suspect = this.#suspects.has(topic);
      if (now - since < (suspect ? suspectPatience : patience)) return true;
      refuse(databaseUnavailable(new Error('No session became free in time')));
      return false;
    });
  }
}
