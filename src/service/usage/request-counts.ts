import type { Principal } from '../../auth/principal.ts';
import { type AuthMethodName, authMethods, verifiedAs } from '../../auth/registry.ts';
import type { Query } from '../../database/database.ts';
import { toQuery } from '../../database/statement.ts';
import { tablesOf } from '../../database/tables-of.ts';
import { toTimestamp } from '../../kernel/timestamp.ts';
import type { TableContext } from '../context.ts';
import { batchesOf } from './batches.ts';

/** Milliseconds between two batches. */
const interval = 10_000;

/** Milliseconds for which counts are kept: a day more than the longest plot. */
const retention = 31 * 24 * 3_600_000;

const slots = ['none', ...authMethods.map(({ name }) => name)] as const;
type Slot = (typeof slots)[number];

/** Two names of one verification are one line in the plot. */
const slotOf = Object.fromEntries(
  authMethods.map(({ name }) => [name, slots.indexOf(verifiedAs(name))]),
) as Readonly<Record<AuthMethodName, number>>;

/** Statuses run to 599. */
const width = 600;

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

/** A period in steps: hours (13 characters of a timestamp) or days (10). */
export interface Period {
  readonly step: 'hour' | 'day';
  /** First hour, `YYYY-MM-DDTHH`. */
  readonly from: string;
}

/**
 * Answers counted by authentication method and status, and failed sign-ins. Counting is an addition in an array: no
 * clock is read and nothing is allocated for a request. A batch is added to the hour in which it is written, so that
 * an hour's edge is a few seconds blurred; a power cut takes those seconds.
 */
export const createRequestCounts = ({ database, clock }: TableContext) => {
  const db = tablesOf(database);
  let counts = new Float64Array(slots.length * width);
  let failures = 0;

  const count = (principal: Principal, status: number): void => {
    const slot = principal.kind === 'nobody' ? 0 : slotOf[principal.method];
    const index = slot * width + status;
    counts[index] = (counts[index] ?? 0) + 1;
  };

  const countSignIn = (principal: Principal, status: number): void => {
    count(principal, status);
    if (status === 401 || status === 429) failures += 1;
  };

  const addRequests = (hour: string, authentication: Slot, status: number, requests: number): Query =>
    toQuery(
      db
        .insertInto('request_counts')
        .values({ hour, authentication, status, requests })
        .onConflict((conflict) =>
          conflict.columns(['hour', 'authentication', 'status']).doUpdateSet((eb) => ({
            requests: eb('request_counts.requests', '+', eb.ref('excluded.requests')),
          })),
        ),
    );

  const addFailures = (hour: string, added: number): Query =>
    toQuery(
      db
        .insertInto('sign_in_failures')
        .values({ hour, failures: added })
        .onConflict((conflict) =>
          conflict.column('hour').doUpdateSet((eb) => ({
            failures: eb('sign_in_failures.failures', '+', eb.ref('excluded.failures')),
          })),
        ),
    );

  /** The order is the same on every instance, so that two never wait for each other's rows crosswise. */
  const write = async (): Promise<void> => {
    const hour = hourOf(clock());
    const queries: Query[] = [];
    const [counted, failed] = [counts, failures];
    for (const [index, requests] of counted.entries()) {
      const slot = slots[Math.floor(index / width)];
      if (requests > 0 && slot !== undefined) queries.push(addRequests(hour, slot, index % width, requests));
    }
    if (failed > 0) queries.push(addFailures(hour, failed));
    if (queries.length === 0) return;
    counts = new Float64Array(slots.length * width);
    failures = 0;
    try {
      await database.write(async (transaction) => {
        for (const query of queries) await transaction.run(query);
      });
    } catch (error) {
      // Nothing was written: it stays for the next batch.
      for (const [index, requests] of counted.entries()) counts[index] = (counts[index] ?? 0) + requests;
      failures += failed;
      throw error;
    }
  };

  return {
    count,
    countSignIn,
    ...batchesOf(write, interval),

    /** Deletes what no plot shows any more; run now and then. */
    sweep: async (now = clock()): Promise<void> => {
      const oldest = hourOf(now - retention);
      await database.execute(toQuery(db.deleteFrom('request_counts').where('hour', '<', oldest)));
      await database.execute(toQuery(db.deleteFrom('sign_in_failures').where('hour', '<', oldest)));
    },

    /** At most 31 days of hours, methods and statuses: an index over the hour bounds it. */
    requests: ({ step, from }: Period): Promise<CountedRequests[]> =>
      database.all<CountedRequests>(
        toQuery(
          db
            .selectFrom('request_counts')
            .select((eb) => [
              eb.fn<string>('substr', ['hour', eb.lit(1), eb.lit(step === 'hour' ? 13 : 10)]).as('at'),
              'authentication',
              'status',
              eb.cast<number>(eb.fn.sum('requests'), 'bigint').as('requests'),
            ])
            .where('hour', '>=', from)
            .groupBy(['at', 'authentication', 'status'])
            .orderBy('at'),
        ),
      ),

    failures: ({ step, from }: Period): Promise<CountedFailures[]> =>
      database.all<CountedFailures>(
        toQuery(
          db
            .selectFrom('sign_in_failures')
            .select((eb) => [
              eb.fn<string>('substr', ['hour', eb.lit(1), eb.lit(step === 'hour' ? 13 : 10)]).as('at'),
              eb.cast<number>(eb.fn.sum('failures'), 'bigint').as('failures'),
            ])
            .where('hour', '>=', from)
            .groupBy('at')
            .orderBy('at'),
        ),
      ),
  };
};

export type RequestCounts = ReturnType<typeof createRequestCounts>;
