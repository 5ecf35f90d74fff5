import type { Principal } from '../../auth/principal.ts';
import { type AuthMethodName, authMethods, verifiedAs } from '../../auth/registry.ts';
import type { Query } from '../../database/database.ts';
import { toQuery } from '../../database/statement.ts';
import { tablesOf } from '../../database/tables-of.ts';
import { toTimestamp } from '../../kernel/clock.ts';
import type { TableContext } from '../context.ts';
import { BatchedCounter } from './batched-counter.ts';

/** Counts are kept for a day more than the longest plot shows. */
const retentionMs = 31 * 24 * 3_600_000;

const slots = ['none', ...authMethods.map(({ name }) => name)] as const;

/** Two names of one verification are one line in the plot. */
const slotOf = Object.fromEntries(
  authMethods.map(({ name }) => [name, slots.indexOf(verifiedAs(name))]),
) as Readonly<Record<AuthMethodName, number>>;

/** Requests are counted by slot and status, which runs to 599; failed sign-ins behind them. */
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

/** A period in steps: hours (13 characters of a timestamp) or days (10). */
export interface Period {
  readonly step: 'hour' | 'day';
  /** First hour, `YYYY-MM-DDTHH`. */
  readonly from: string;
}

/**
 * Responses counted by authentication method and status, and failed sign-ins. Counting is an addition in memory: no clock
 * is read for a request. A batch is added to the hour in which it is written, so that an hour's edge is a few seconds
 * blurred; a power cut takes those seconds.
 */
export const createRequestCounts = ({ database, clock }: TableContext) => {
  const db = tablesOf(database);

  const addRequests = (hour: string, counts: readonly (readonly [number, number])[]): Query =>
    toQuery(
      db
        .insertInto('request_counts')
        .values(
          counts.map(([key, requests]) => ({
            ...{ hour, authentication: slots[Math.floor(key / statuses)] ?? 'none' },
            ...{ status: key % statuses, requests },
          })),
        )
        .onConflict((conflict) =>
          conflict.columns(['hour', 'authentication', 'status']).doUpdateSet((eb) => ({
            requests: eb('request_counts.requests', '+', eb.ref('excluded.requests')),
          })),
        ),
    );

  const addFailures = (hour: string, failures: number): Query =>
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

  const counter = new BatchedCounter<number, number>({
    maxEntries: failuresKey + 1,
    merge: (earlier = 0, added) => earlier + added,
    write: (counted) =>
      database.write(async (transaction) => {
        const hour = hourOf(clock());
        const requests = counted.filter(([key]) => key !== failuresKey);
        if (requests.length > 0) await transaction.run(addRequests(hour, requests));
        for (const [key, failures] of counted)
          if (key === failuresKey) await transaction.run(addFailures(hour, failures));
      }),
  });

  const count = (principal: Principal, status: number): void => {
    const slot = principal.kind === 'nobody' ? 0 : slotOf[principal.method];
    counter.add(slot * statuses + status, 1);
  };

  const countSignIn = (principal: Principal, status: number): void => {
    count(principal, status);
    if (status === 401 || status === 429) counter.add(failuresKey, 1);
  };

  return {
    count,
    countSignIn,
    flush: counter.flush,
    start: (onError: (error: unknown) => void) => counter.start(10_000, onError),

    /** Deletes what no plot shows any more; run now and then. */
    sweep: async (now = clock()): Promise<void> => {
      const oldest = hourOf(now - retentionMs);
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
