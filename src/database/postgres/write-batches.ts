/** Groups of single writes that share one transaction and one wait for the disk. */

import type { QueryResult } from 'pg';
import type { Query } from '../database.ts';
import { isOutcomeUnknown } from '../problems.ts';
import { firstTableOf, type Session, type Sessions } from './sessions.ts';

/** A statement that writes, and waits to be sent. */
interface Write {
  readonly query: Query;
  readonly resolve: (result: QueryResult | Promise<QueryResult>) => void;
  readonly reject: (error: unknown) => void;
}

/** Most writes of one transaction: each waits for all of them. */
const maxBatchSize = 16;

/** How long a group waits for a lock: it keeps those of its writes waiting that need not. */
const lockTimeoutMs = 250;

const begin = `begin isolation level read committed; set local lock_timeout = ${lockTimeoutMs}`;

const orderOf = ({ query }: Write): number | string => query.order ?? 0;

const byOrder = (one: number | string, other: number | string): number => {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  const [first, second] = [String(one), String(other)];
  if (first === second) return 0;
  return first < second ? -1 : 1;
};

/** The writes of each table, in an order in which no two groups wait for each other's rows. */
const groupsOf = (writes: readonly Write[]): readonly (readonly Write[])[] =>
  [...Map.groupBy(writes, ({ query }) => firstTableOf(query.sql)).values()].flatMap((of) => {
    const ordered = of.toSorted((one, other) => byOrder(orderOf(one), orderOf(other)));
    const count = Math.ceil(ordered.length / maxBatchSize);
    const size = Math.ceil(ordered.length / count);
    return Array.from({ length: count }, (_, index) => ordered.slice(index * size, (index + 1) * size));
  });

/**
 * Commits the writes of one table that the requests of one turn ask for in one transaction: the disk is waited for
 * once, and they travel in one system call. If one of them is refused, nothing of the group stands, and each runs again
 * by itself. So does each of a group that waits for a lock for longer than a moment: only those wait that have to.
 */
export class WriteBatches {
  readonly #sessions: Sessions;
  readonly #alone: (query: Query) => Promise<QueryResult>;
  #waiting: Write[] = [];

  /** @param alone runs a statement in a transaction of its own */
  constructor(sessions: Sessions, alone: (query: Query) => Promise<QueryResult>) {
    this.#sessions = sessions;
    this.#alone = alone;
  }

  /** @throws the errors of the store */
  write(query: Query): Promise<QueryResult> {
    return new Promise((resolve, reject) => {
      // Ticks come after all promises that could resolve: by then every request has added its writes.
      if (this.#waiting.push({ query, resolve, reject }) === 1) process.nextTick(this.#send);
    });
  }

  readonly #send = (): void => {
    const all = this.#waiting;
    this.#waiting = [];
    for (const group of all.length === 1 ? [all] : groupsOf(all)) {
      const [first, second] = group;
      if (first === undefined) continue;
      if (second === undefined) this.#eachAlone(group);
      else void this.#sendGroup(group, first.query.sql);
    }
  };

  #eachAlone(writes: readonly Write[]): void {
    for (const { query, resolve } of writes) resolve(this.#alone(query));
  }

  async #sendGroup(writes: readonly Write[], sql: string): Promise<void> {
    try {
      await this.#sessions.use(sql, (session) => this.#commit(session, writes));
    } catch (error) {
      for (const { reject } of writes) reject(error);
    }
  }

  async #commit(session: Session, writes: readonly Write[]): Promise<void> {
    const { begun, written, committed } = session.corked(() => ({
      begun: session.runOnce(begin),
      written: writes.map(({ query }) => session.run(query, 'own')),
      committed: session.commit(),
    }));
    const [[beginning], results, [end]] = await Promise.all([
      Promise.allSettled([begun]),
      Promise.allSettled(written),
      Promise.allSettled([committed]),
    ]);
    // Without a transaction around them each has ended by itself.
    const each = beginning.status === 'rejected';
    if (!each && end.status === 'rejected' && !isOutcomeUnknown(end.reason)) return this.#eachAlone(writes);
    for (const [index, { resolve, reject }] of writes.entries()) {
      const result = results[index];
      if (!each && end.status === 'rejected') reject(end.reason);
      else if (result?.status === 'fulfilled') resolve(result.value);
      else reject(result?.reason);
    }
  }
}
