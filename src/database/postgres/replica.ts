/** Choice of the server for the reads of each request: the replica while it is close enough, else the primary. */

import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { DoublingPause } from '../../kernel/doubling-pause.ts';
import type { CommitNote, ListReader, OpenDatabase, ReplicaState, SeenCommits } from '../database.ts';
import { type ServiceNames, serviceNames } from '../service-names.ts';
import type { DatabaseOptions, ReplicaOptions } from '../target.ts';
import type { AttachedReplica } from './commit-watch.ts';
import { openPostgres } from './database.ts';
import { RecentCommits, writesTo } from './recent-commits.ts';
import { ForeignReplicaError, openLink, type ReplicaLink } from './replica-link.ts';
import { RequestReader } from './request-reader.ts';

/** The age up to which a replica is used. */
const maxAgeMs = 1_000;

/** The pause after a replica could not be used; it doubles with each failure. */
const minPauseMs = 250;
const maxPauseMs = 30_000;

/** Time for which a replica may be too old before the log says so. */
const reportDelayMs = 3_000;

const reasonOf = (error: unknown): string => {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message || cause.name : String(cause);
};

/** The name of a table in statements, without its schema. */
const inStatements =
  (names: ServiceNames) =>
  (table: string): string =>
    names.shown(table).split('.').at(-1) ?? table;

/** Keeps the link to a replica and chooses the server for the reads of each request. */
class PostgresReplica implements AttachedReplica {
  readonly #url: string;
  readonly #options: DatabaseOptions;
  readonly #given: ReplicaOptions;
  readonly #now: () => number;
  readonly #commits = new RecentCommits();
  readonly #notes = new AsyncLocalStorage<CommitNote>();
  /** True if statements write what decides which rows other callers see. */
  readonly #areDecisive: (statements: readonly string[]) => boolean;
  readonly #closing = new AbortController();
  #primary: OpenDatabase | undefined;
  #link: ReplicaLink | undefined;
  #keeping: Promise<void> | undefined;
  /** The reason that was reported; undefined while the replica is used. */
  #lossReason: string | undefined;
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
    this.#areDecisive = writesTo(given.decisive.map(inStatements(options.names ?? serviceNames())));
  }

  /** @throws ForeignReplicaError if the server is a replica of another database */
  async begin(primary: OpenDatabase): Promise<void> {
    this.#primary = primary;
    try {
      this.#link = await this.#open();
    } catch (error) {
      if (error instanceof ForeignReplicaError) throw error;
      this.#reportLoss(error);
    }
    this.#usableAt = this.#now();
    this.#keeping = this.#keep();
  }

  noting<T>(note: CommitNote, work: () => T): T {
    return this.#notes.run(note, work);
  }

  onCommit(statements: readonly string[], isUnknown: boolean): void {
    // A transaction of unknown outcome may be committed a little later.
    const at = this.#now() + (isUnknown ? maxAgeMs : 0);
    if (this.#areDecisive(statements)) this.#commits.addForAll(at);
    const note = this.#notes.getStore();
    if (note === undefined) return;
    note.hasCommitted = true;
    this.#commits.add(note.caller, at);
  }

  async readerFor(seen: SeenCommits): Promise<ListReader> {
    const primary = this.#first();
    const link = this.#link;
    if (link === undefined || link.watch.age > maxAgeMs || !(await this.#hasAll(link, seen))) {
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
      age: age > maxAgeMs ? undefined : age,
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
    if (this.#primary === undefined) throw new Error('the replica was used before it was opened');
    return this.#primary;
  }

  /** True if the replica has every commit that a request has to see. */
  async #hasAll({ watch }: ReplicaLink, { caller, hasWritten }: SeenCommits): Promise<boolean> {
    return !hasWritten && (await this.#commits.lastOf(caller)) <= watch.freshUntil;
  }

  async #open(): Promise<ReplicaLink> {
    return openLink(this.#url, this.#given.url, this.#options, this.#now);
  }

  async #keep(): Promise<void> {
    const { signal } = this.#closing;
    const pause = new DoublingPause(minPauseMs, maxPauseMs);
    while (!signal.aborted) {
      try {
        this.#link ??= await this.#open();
        await this.#link.watch.run(signal, () => {
          if (this.#assess()) pause.reset();
        });
      } catch (error) {
        if (!signal.aborted) this.#reportLoss(error);
      }
      const link = this.#link;
      this.#link = undefined;
      void link?.close();
      if (!signal.aborted) await delay(pause.next(), undefined, { signal, ref: false }).catch(() => {});
    }
  }

  /** Returns whether the replica can be used now, and reports a change. */
  #assess(): boolean {
    const now = this.#now();
    if ((this.#link?.watch.age ?? Number.POSITIVE_INFINITY) <= maxAgeMs) {
      this.#usableAt = now;
      if (this.#lossReason !== undefined) this.#given.report('back', 'the replica is used again');
      this.#lossReason = undefined;
      return true;
    }
    if (now - this.#usableAt > reportDelayMs)
      this.#reportLoss(new Error(`it is more than ${maxAgeMs / 1000} s behind`));
    return false;
  }

  /** Reports a loss once, and again if the server turns out to be no replica of this database. */
  #reportLoss(error: unknown): void {
    const reason = reasonOf(error);
    if (
      this.#lossReason === reason ||
      (this.#lossReason !== undefined && !(error instanceof ForeignReplicaError))
    )
      return;
    this.#lossReason = reason;
    this.#given.report('lost', `the replica is not used, DATABASE_URL answers every read: ${reason}`);
  }
}

/** @throws ForeignReplicaError if the server is a replica of another database; what `openPostgres` throws */
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
