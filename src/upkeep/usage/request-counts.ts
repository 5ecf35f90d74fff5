/** Counts of requests by hour and authentication method, and the last uses of keys, applications and sessions. */

import { plainHash, storedFormsOf } from '../../accounts/api-keys.ts';
import type { UsageRecorder } from '../../auth/ports.ts';
import type { Principal } from '../../auth/principal.ts';
import { type AuthMethodName, authMethods, verifiedAs } from '../../auth/registry.ts';
import type { Query } from '../../database/database.ts';
import { type Fragment, sql, statement, toQuery } from '../../database/statement.ts';
import { tablesOf } from '../../database/tables-of.ts';
import { toTimestamp } from '../../kernel/clock.ts';
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

/**
 * Counts of responses by authentication method and status, and of failed sign-ins. Counting is an addition in memory,
 * without reading a clock. A batch is added to the hour in which it is written, so that hours are exact to a few
 * seconds; a crash loses these seconds.
 */
export const createRequestCounts = ({ database, clock }: TableContext) => {
  const db = tablesOf(database);

  const addRequests = (hour: string, counts: readonly (readonly [number, number])[]): Query =>
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

  const countFailedSignIn = (_principal: Principal, status: number): void => {
    if (status === 401 || status === 429) counter.add(failuresKey, 1);
  };

  const countSignIn = (principal: Principal, status: number): void => {
    count(principal, status);
    countFailedSignIn(principal, status);
  };

  return {
    count,
    countSignIn,
    countFailedSignIn,
    flush: counter.flush,
    start: (onError: (error: unknown) => void) => counter.start(10_000, onError),

    /** Deletes counts that no plot shows any more; called periodically. */
    sweep: async (now = clock()): Promise<void> => {
      const oldest = hourOf(now - retentionMs);
      await database.execute(toQuery(db.deleteFrom('request_counts').where('hour', '<', oldest)));
      await database.execute(toQuery(db.deleteFrom('sign_in_failures').where('hour', '<', oldest)));
    },

    /** At most 31 days of hours, methods and statuses; an index on the hour bounds the query. */
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

/**
 * Last uses of keys, applications and sessions, written every few seconds and at the stop. A crash loses the last
 * uses of a few seconds, nothing else. An earlier time never replaces a later one, neither in memory nor in the
 * database: clocks are set back, and another process may have seen the key since.
 */
export const createUsageRecorder = (
  { database }: TableContext,
  onError: (error: unknown) => void,
): Pick<UsageRecorder, 'applicationUsed'> & {
  keyUsed(id: number, hash: string, now: number): void;
  sessionUsed(id: number, now: number): void;
  flush(): Promise<void>;
  stop(): Promise<void>;
} => {
  const db = tablesOf(database);

  const lastUses = <Id extends number | string>(queryOf: (id: Id, at: string) => Query) =>
    new BatchedCounter<Id, number>({
      maxEntries: 200_000,
      merge: (earlier = 0, used) => Math.max(earlier, used),
      write: (uses) =>
        database.write(async (transaction) => {
          for (const [id, used] of uses) await transaction.run(queryOf(id, toTimestamp(used)));
        }),
    });

  const { dialect } = database;
  const keyUse = statement<{ id: number; hash: string; at: string }>(dialect, (value) => {
    const at = dialect.cast(value('at'), 'timestamp');
    const later = (of: Fragment): Fragment => sql`case when ${of} > ${at} then ${of} else ${at} end`;
    return sql`update api_keys set last_used_at = ${later(sql`last_used_at`)},
      secret_used_at = case when key_hash in (${storedFormsOf(value('hash'))}) then ${later(sql`secret_used_at`)} else secret_used_at end
      where id = ${value('id')} returning key_hash`;
  });
  const formerUse = statement<{ hash: string; at: string }>(dialect, (value) => {
    const at = dialect.cast(value('at'), 'timestamp');
    return sql`update gatewright_former_secrets set last_used_at = ${at}
      where key_hash in (${storedFormsOf(value('hash'))}) and (last_used_at is null or last_used_at < ${at})`;
  });
  /** Uses by secret, not by key: a rotation may have replaced the secret since it was used. */
  const keys = new BatchedCounter<string, { readonly id: number; at: number }>({
    maxEntries: 200_000,
    merge: (earlier, used) => {
      if (earlier === undefined) return used;
      earlier.at = Math.max(earlier.at, used.at);
      return earlier;
    },
    write: (uses) =>
      database.write(async (transaction) => {
        // Ordered by id, so that all processes lock rows in one order: the secrets of a key share a row.
        for (const [hash, { id, at }] of uses.toSorted(([, one], [, other]) => one.id - other.id)) {
          const use = { hash, at: toTimestamp(at) };
          const key = await transaction.get<{ key_hash: string }>(keyUse({ id, ...use }));
          if (key !== undefined && plainHash(key.key_hash) !== hash) await transaction.run(formerUse(use));
        }
      }),
  });
  const sessions = lastUses<number>((id, at) =>
    toQuery(
      db
        .updateTable('sessions')
        .set({ last_used_at: at })
        .where('id', '=', id)
        .where('last_used_at', '<', at),
    ),
  );
  const applications = lastUses<string>((appId, at) =>
    toQuery(
      db
        .insertInto('application_usage')
        .values({ app_id: appId, last_used_at: at })
        .onConflict((conflict) =>
          conflict
            .column('app_id')
            .doUpdateSet({ last_used_at: at })
            .where('application_usage.last_used_at', '<', at),
        ),
    ),
  );

  const stops = [keys, sessions, applications].map((counter) => counter.start(5_000, onError));
  return {
    keyUsed: (id, hash, at) => keys.add(hash, { id, at }),
    applicationUsed: (appId, now) => applications.add(appId, now),
    sessionUsed: (id, now) => sessions.add(id, now),
    flush: async () => {
      await Promise.all([keys.flush(), sessions.flush(), applications.flush()]);
    },
    stop: async () => {
      await Promise.all(stops.map((stop) => stop()));
    },
  };
};

export type Usage = ReturnType<typeof createUsageRecorder>;
