/** Measurement of how far a replica is behind its primary server. */

import { setTimeout as delay } from 'node:timers/promises';
import type { Database, Query, Reader } from '../database.ts';
import { type ServiceNames, serviceNames } from '../service-names.ts';

const sampleIntervalMs = 100;

/** Age at which a mark is replaced, by whichever instance sees it first. */
const markIntervalMs = 200;

/** Number of marks to keep, at least ten seconds of them: a replica with a longer lag is not used. */
const maxMarks = 100;

/** Text that changes with every write to the only row of `gatewright_database`. */
const markSql = `id || ' ' || checked_at::text || ' ' || xmin::text`;

const queryOf = (sql: string): Query => ({ sql, parameters: [] });

const nowSql = 'floor(extract(epoch from clock_timestamp()) * 1000)::bigint';

const queriesOn = (table: string) => ({
  mark: queryOf(`select ${markSql} as mark from ${table}`),
  // The condition holds as well where the clock of the server was set back.
  renew: queryOf(`update ${table} set checked_at = ${nowSql}
    where checked_at not between ${nowSql} - ${markIntervalMs} and ${nowSql}`),
  replica: queryOf(`select pg_is_in_recovery() as follows, (select ${markSql} from ${table}) as mark`),
});

interface ReplicaRow {
  readonly follows: boolean;
  readonly mark: string | null;
}

export interface WatchedServers {
  /** Separate sessions on both servers, so that samples never wait for the reads that depend on them. */
  readonly primary: Pick<Database, 'get' | 'execute'>;
  readonly replica: Reader;
  /** The monotonic clock of this process, in milliseconds. */
  readonly now: () => number;
  /** Those of the service's own tables; today's unless given. */
  readonly names?: ServiceNames | undefined;
}

/** The server is no replica at the moment. */
export class NoReplicaError extends Error {}

/**
 * Measures how far a replica is behind. Instances write a mark into the first server several times a second. A replica
 * replays commits in their order, so one that shows a mark has everything that was committed before the mark was
 * written; and it has the same history as the first server, because a mark occurs in one history only. No clock but
 * that of this process is compared.
 */
export class ReplicaWatch {
  readonly #servers: WatchedServers;
  readonly #queries: ReturnType<typeof queriesOn>;
  /** For each mark a moment before it was written, the oldest mark first. */
  readonly #marks = new Map<string, number>();
  #sampledAt = Number.NEGATIVE_INFINITY;
  #freshUntil = Number.NEGATIVE_INFINITY;
  #isDoubted = false;

  constructor(servers: WatchedServers) {
    this.#servers = servers;
    this.#queries = queriesOn((servers.names ?? serviceNames()).written('gatewright_database'));
  }

  /** The moment before which everything that was committed is on the replica; -Infinity while that is unknown. */
  get freshUntil(): number {
    return this.#isDoubted ? Number.NEGATIVE_INFINITY : this.#freshUntil;
  }

  /** Milliseconds for which something committed may be missing at most; Infinity while that is unknown. */
  get age(): number {
    return this.#servers.now() - this.freshUntil;
  }

  /** Takes everything for unknown until the next sample. */
  doubt(): void {
    this.#isDoubted = true;
  }

  /** Takes samples until the signal is aborted. @throws NoReplicaError; what the replica fails with */
  async run(signal: AbortSignal, onSample: () => void): Promise<void> {
    while (!signal.aborted) {
      await this.sample();
      onSample();
      await delay(sampleIntervalMs, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  async sample(): Promise<void> {
    // While the first server does not answer there are no new marks, and the age of the replica grows.
    await this.#samplePrimary().catch(() => {});
    const row = await this.#servers.replica.get<ReplicaRow>(this.#queries.replica);
    if (row?.follows !== true) throw new NoReplicaError('it takes writes itself');
    if (row.mark === null) throw new NoReplicaError('it has no row in gatewright_database');
    this.#freshUntil = Math.max(this.#freshUntil, this.#marks.get(row.mark) ?? Number.NEGATIVE_INFINITY);
    this.#isDoubted = false;
  }

  async #samplePrimary(): Promise<void> {
    const { primary, now } = this.#servers;
    const at = now();
    await primary.execute(this.#queries.renew);
    const mark = (await primary.get<{ mark: string }>(this.#queries.mark))?.mark;
    if (mark === undefined) return;
    // The last sample has not seen a new mark, so this one was written after it; before the first sample, at any time.
    if (!this.#marks.has(mark)) this.#marks.set(mark, this.#sampledAt);
    this.#sampledAt = at;
    const [oldest] = this.#marks.keys();
    if (this.#marks.size > maxMarks && oldest !== undefined) this.#marks.delete(oldest);
  }
}
