import type { Position } from './position.ts';

/** How many callers are remembered one by one; beyond that, everybody waits for the last commit of any. */
const room = 10_000;

interface Commit {
  /** Undefined where nobody knows where it is. */
  readonly position: Position | undefined;
  /** By `performance.now()`. */
  readonly at: number;
}

/** A commit is over for everybody who was answered before it: one that is known covers an earlier one that is not. */
const later = (a: Commit | undefined, b: Commit): Commit =>
  a?.position !== undefined && b.position?.timeline === a.position.timeline && a.position.lsn > b.position.lsn
    ? { position: a.position, at: b.at }
    : b;

/**
 * The last commit of each caller by this process, and of anybody where it decides what others may see. A replica that is
 * used at all has what is older than `bound`: that much is remembered, and nothing before.
 */
export class KnownCommits {
  readonly #bound: number;
  readonly #now: () => number;
  readonly #callers = new Map<string, Commit>();
  #everybody: Commit | undefined;

  /** @param bound milliseconds */
  constructor(bound: number, now: () => number) {
    this.#bound = bound;
    this.#now = now;
  }

  /** @param caller undefined where it concerns everybody */
  add(caller: string | undefined, position: Position | undefined): void {
    const commit = { position, at: this.#now() };
    if (caller === undefined) {
      this.#everybody = later(this.#everybody, commit);
      return;
    }
    if (this.#callers.size >= room && !this.#callers.has(caller)) this.#makeRoom();
    const last = later(this.#callers.get(caller), commit);
    // Behind all others: the first are the oldest.
    this.#callers.delete(caller);
    this.#callers.set(caller, last);
  }

  /** Whether nothing is known of any caller of their own. */
  get isEmpty(): boolean {
    return this.#callers.size === 0;
  }

  /** Where the commits are over that a caller has to see; undefined in it where nobody knows. */
  of(caller: string): readonly (Position | undefined)[] {
    const positions: (Position | undefined)[] = [];
    for (const commit of [this.#everybody, this.#callers.get(caller)])
      if (commit !== undefined && this.#holds(commit)) positions.push(commit.position);
    return positions;
  }

  #holds({ at }: Commit): boolean {
    return this.#now() - at <= this.#bound;
  }

  /** What no longer says anything goes; where that is not enough, all count for everybody. */
  #makeRoom(): void {
    for (const [caller, commit] of this.#callers) {
      if (this.#holds(commit)) break;
      this.#callers.delete(caller);
    }
    if (this.#callers.size < room) return;
    for (const commit of this.#callers.values()) this.#everybody = later(this.#everybody, commit);
    this.#callers.clear();
  }
}
