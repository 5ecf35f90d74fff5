import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import type { CommitNote, ListReader, OpenDatabase, ReplicaState, SeenCommits } from '../database.ts';
import type { DatabaseOptions, ReplicaOptions } from '../target.ts';
import type { AttachedReplica } from './attached-replica.ts';
import { openPostgres } from './database.ts';
import { KnownCommits } from './known-commits.ts';
import {
  formatPosition,
  lsnOf,
  type Position,
  type PositionRow,
  parsePosition,
  unknownPosition,
} from './position.ts';
import { ForeignReplicaError, openLink, type ReplicaLink } from './replica-link.ts';
import { RequestReader } from './request-reader.ts';
import { writesTo } from './written-tables.ts';

/** How old a replica may be that is asked, in milliseconds. */
const bound = 1_000;

/** How long a read waits for the replica to come to a place, in milliseconds. */
const patience = 50;

/** Nobody waits for a replica that is this old, in milliseconds: it stands still, as far as anybody can tell. */
const waitable = 300;

/** How long a replica is left alone that could not be used: at first, and at most, in milliseconds. */
const firstPause = 250;
const longestPause = 30_000;

/** How long it may be too old before the log says so, in milliseconds. */
const quietly = 3_000;

const reasonOf = (error: unknown): string => {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message || cause.name : String(cause);
};

/** Keeps the link to a replica, and says which request may be answered from there. */
class PostgresReplica implements AttachedReplica {
  readonly #url: string;
  readonly #options: DatabaseOptions;
  readonly #given: ReplicaOptions;
  readonly #now: () => number;
  readonly #commits: KnownCommits;
  readonly #notes = new AsyncLocalStorage<CommitNote>();
  readonly #decides: (statements: readonly string[]) => boolean;
  readonly #closing = new AbortController();
  #primary: OpenDatabase | undefined;
  #link: ReplicaLink | undefined;
  #keeping: Promise<void> | undefined;
  /** What the log was told; undefined while the replica is used. */
  #lost: string | undefined;
  #usableAt = 0;
  #used = 0;
  #passed = 0;
  #failed = 0;

  constructor(url: string, options: DatabaseOptions, given: ReplicaOptions) {
    const { now = () => performance.now() } = given;
    this.#url = url;
    this.#options = options;
    this.#given = given;
    this.#now = now;
    this.#commits = new KnownCommits(bound, now);
    this.#decides = writesTo(given.decisive);
  }

  /** @throws ForeignReplicaError where what was named is no replica of this database */
  async begin(primary: OpenDatabase): Promise<void> {
    this.#primary = primary;
    try {
      this.#link = await this.#open();
    } catch (error) {
      if (error instanceof ForeignReplicaError) throw error;
      this.#sayLost(error);
    }
    this.#usableAt = this.#now();
    this.#keeping = this.#keep();
  }

  noting<T>(note: CommitNote, work: () => T): T {
    return this.#notes.run(note, work);
  }

  committed(statements: readonly string[], row: PositionRow | undefined): void {
    const position = row && { timeline: row.timeline, lsn: lsnOf(row.lsn) };
    if (this.#decides(statements)) this.#commits.add(undefined, position);
    const note = this.#notes.getStore();
    if (note === undefined) return;
    note.position = position === undefined ? unknownPosition : formatPosition(position);
    this.#commits.add(note.caller, position);
  }

  async readerFor(seen: SeenCommits): Promise<ListReader> {
    const primary = this.#first();
    const link = this.#link;
    if (link === undefined || link.watch.age > bound || !(await this.#shows(link, seen))) {
      this.#passed += 1;
      return primary;
    }
    this.#used += 1;
    return new RequestReader(link.database, primary, () => {
      this.#failed += 1;
      link.watch.doubt();
    });
  }

  state(): ReplicaState {
    const age = this.#link?.watch.age ?? Number.POSITIVE_INFINITY;
    return {
      age: age > bound ? undefined : age,
      used: this.#used,
      passed: this.#passed,
      failed: this.#failed,
    };
  }

  interrupt(): void {
    this.#link?.database.interrupt();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#link?.close();
    await this.#keeping;
  }

  #first(): OpenDatabase {
    if (this.#primary === undefined) throw new Error('the replica was asked before it began');
    return this.#primary;
  }

  /** Whether everything that is to be seen is there, or comes soon. */
  async #shows({ watch }: ReplicaLink, { caller, positions }: SeenCommits): Promise<boolean> {
    const known = this.#commits.of(this.#commits.isEmpty ? '' : await caller());
    const brought = positions.map(parsePosition);
    const asked: readonly (Position | undefined)[] = known.length === 0 ? brought : [...known, ...brought];
    let lsn = 0;
    for (const position of asked) {
      if (position === undefined || position.timeline !== watch.timeline) return false;
      lsn = Math.max(lsn, position.lsn);
    }
    if (lsn <= watch.replayed) return true;
    if (watch.age > waitable) return false;
    return watch.comesTo(lsn, patience).catch(() => false);
  }

  async #open(): Promise<ReplicaLink> {
    return openLink(this.#url, this.#given.url, this.#options, this.#now);
  }

  async #keep(): Promise<void> {
    const { signal } = this.#closing;
    let pause = firstPause;
    while (!signal.aborted) {
      try {
        this.#link ??= await this.#open();
        await this.#link.watch.run(signal, () => {
          if (this.#assess()) pause = firstPause;
        });
      } catch (error) {
        if (!signal.aborted) this.#sayLost(error);
      }
      const link = this.#link;
      this.#link = undefined;
      void link?.close();
      if (!signal.aborted) await delay(pause, undefined, { signal, ref: false }).catch(() => {});
      pause = Math.min(pause * 2, longestPause);
    }
  }

  /** Whether the replica can be used now; tells when that has changed. */
  #assess(): boolean {
    const now = this.#now();
    if ((this.#link?.watch.age ?? Number.POSITIVE_INFINITY) <= bound) {
      this.#usableAt = now;
      if (this.#lost !== undefined) this.#given.report('back', 'the replica is used again');
      this.#lost = undefined;
      return true;
    }
    if (now - this.#usableAt > quietly) this.#sayLost(new Error(`it is more than ${bound / 1000} s behind`));
    return false;
  }

  /** Once; and once more where it turns out to be none at all. */
  #sayLost(error: unknown): void {
    const reason = reasonOf(error);
    if (this.#lost === reason || (this.#lost !== undefined && !(error instanceof ForeignReplicaError)))
      return;
    this.#lost = reason;
    this.#given.report('lost', `the replica is not used, DATABASE_URL answers every read: ${reason}`);
  }
}

/** @throws ForeignReplicaError where what was named is no replica of this database; what `openPostgres` throws */
export const openWithReplica = async (
  url: string,
  options: DatabaseOptions,
  given: ReplicaOptions,
): Promise<OpenDatabase> => {
  const { replica: _, ...own } = options;
  const replica = new PostgresReplica(url, own, given);
  const database = await openPostgres(url, own, replica);
  try {
    await replica.begin(database);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
};
