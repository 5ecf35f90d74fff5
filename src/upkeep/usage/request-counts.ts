/** Counts of requests by hour, method of authentication and status, and of failed sign-ins, for plots. */

import type { Principal } from '../../auth/principal.ts';
import { type AuthMethodName, authMethods, verifiedAs } from '../../auth/registry.ts';
import type { Database, Query } from '../../database/database.ts';
import { toQuery } from '../../database/statement.ts';
import { tablesOf } from '../../database/tables-of.ts';
import { type Clock, toTimestamp } from '../../kernel/clock.ts';
import { BatchedCounter } from '../../ledger/batched-counter.ts';
import type { TableContext } from '../../ledger/context.ts';

/** Counts are kept for one day more than the longest plot shows. */
const retentionMs = 31 * 24 * 3_600_000;

const slots = ['none', ...authMethods.map(({ name }) => name)] as const;

/** Methods with the same verification share a line in the plot. */
const slotOf = Object.fromEntries(
  authMethods.map(({ name }) => [name, slots.indexOf(verifiedAs(name))]),
) as Readonly<Record<AuthMethodName, number>>;

/** Keys of the counter: slot × `statuses` + status (at most 599) for requests, and one for failed sign-ins. */
const statuses = 600;
const failuresKey = slots.length * statuses;

/** `YYYY-MM-DDTHH`, UTC. */
export const hourOf = (time: number): string => toTimestamp(time).slice(0, 13);

export interface CountedRequests {
  /** `YYYY-MM-DDTHH` or `YYYY-MM-DD`, UTC. */
  readonly at: string;
  readonly authentication: string;
  readonly status: number;
  readonly requests: number;
}

export interface CountedFailures {
  readonly at: string;
  readonly failures: number;
}

/** A period in steps of hours (13 characters of a timestamp) or days (10). */
export interface Period {
  readonly step: 'hour' | 'day';
  /** First hour, `YYYY-MM-DDTHH`. */
  readonly from: string;
}

type OwnTables = ReturnType<typeof tablesOf>;

const addRequests = (
  db: OwnTables,
  hour: string,
  counts: readonly (readonly [key: number, requests: number])[],
): Query =>
  toQuery(
    db
      .insertInto('request_counts')
      .values(
        counts.map(([key, requests]) => ({
          hour,
          authentication: slots[Math.floor(key / statuses)] ?? 'none',
          status: key % statuses,
          requests,
        })),
      )
      .onConflict((conflict) =>
        conflict.columns(['hour', 'authentication', 'status']).doUpdateSet((eb) => ({
          requests: eb('request_counts.requests', '+', eb.ref('excluded.requests')),
        })),
      ),
  );

const addFailures = (db: OwnTables, hour: string, failures: number): Query =>
  toQuery(
    db
      .insertInto('sign_in_failures')
      .values({ hour, failures })
      .onConflict((conflict) =>
        conflict.column('hour').doUpdateSet((eb) => ({
          failures: eb('sign_in_failures.failures', '+', eb.ref('excluded.failures')),
        })),
      ),
  );

/** Length of the timestamp that names a step of a plot. */
const lengthOf = (step: Period['step']): number => (step === 'hour' ? 13 : 10);

const requestsIn = (db: OwnTables, { step, from }: Period): Query =>
  toQuery(
    db
      .selectFrom('request_counts')
      .select((eb) => [
        eb.fn<string>('substr', ['hour', eb.lit(1), eb.lit(lengthOf(step))]).as('at'),
        'authentication',
        'status',
        eb.cast<number>(eb.fn.sum('requests'), 'bigint').as('requests'),
      ])
      .where('hour', '>=', from)
      .groupBy(['at', 'authentication', 'status'])
      .orderBy('at'),
  );

const failuresIn = (db: OwnTables, { step, from }: Period): Query =>
  toQuery(
    db
      .selectFrom('sign_in_failures')
      .select((eb) => [
        eb.fn<string>('substr', ['hour', eb.lit(1), eb.lit(lengthOf(step))]).as('at'),
        eb.cast<number>(eb.fn.sum('failures'), 'bigint').as('failures'),
      ])
      .where('hour', '>=', from)
      .groupBy('at')
      .orderBy('at'),
  );

/**
 * Counts of responses by authentication method and status, and of failed sign-ins. Counting is an addition in memory,
 * without reading a clock. A batch is added to the hour in which it is written, so that hours are exact to a few
 * seconds; a crash loses these seconds.
 */
export class RequestCounts {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #db: OwnTables;
  readonly #counter = new BatchedCounter<number, number>({
    maxEntries: failuresKey + 1,
    merge: (earlier = 0, added) => earlier + added,
    write: (counted) => this.#write(counted),
  });

  constructor({ database, clock }: TableContext) {
    this.#database = database;
    this.#clock = clock;
    this.#db = tablesOf(database);
  }

  readonly count = (principal: Principal, status: number): void => {
    const slot = principal.kind === 'nobody' ? 0 : slotOf[principal.method];
    this.#counter.add(slot * statuses + status, 1);
  };

  readonly countFailedSignIn = (_principal: Principal, status: number): void => {
    if (status === 401 || status === 429) this.#counter.add(failuresKey, 1);
  };

  readonly countSignIn = (principal: Principal, status: number): void => {
    this.count(principal, status);
    this.countFailedSignIn(principal, status);
  };

  flush(): Promise<void> {
    return this.#counter.flush();
  }

  start(onError: (error: unknown) => void): () => Promise<void> {
    return this.#counter.start(10_000, onError);
  }

  /** Deletes counts that no plot shows any more; called periodically. */
  async sweep(now = this.#clock()): Promise<void> {
    const oldest = hourOf(now - retentionMs);
    await this.#database.execute(toQuery(this.#db.deleteFrom('request_counts').where('hour', '<', oldest)));
    await this.#database.execute(toQuery(this.#db.deleteFrom('sign_in_failures').where('hour', '<', oldest)));
  }

  /** At most 31 days of hours, methods and statuses; an index on the hour bounds the query. */
  requests(period: Period): Promise<CountedRequests[]> {
    return this.#database.all(requestsIn(this.#db, period));
  }

  failures(period: Period): Promise<CountedFailures[]> {
    return this.#database.all(failuresIn(this.#db, period));
  }

  #write(counted: readonly (readonly [key: number, count: number])[]): Promise<void> {
    return this.#database.write(async (transaction) => {
      const hour = hourOf(this.#clock());
      const requests = counted.filter(([key]) => key !== failuresKey);
      if (requests.length > 0) await transaction.run(addRequests(this.#db, hour, requests));
      for (const [key, failures] of counted)
        if (key === failuresKey) await transaction.run(addFailures(this.#db, hour, failures));
    });
  }
}

export const createRequestCounts = (context: TableContext): RequestCounts => new RequestCounts(context);
