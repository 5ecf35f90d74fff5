/** The last uses of keys, applications and sessions: kept in memory, written every few seconds. */

import { plainHash, storedFormsOf } from '../../accounts/api-keys.ts';
import type { UsageRecorder } from '../../auth/ports.ts';
import type { Database, Query } from '../../database/database.ts';
import { type Fragment, own, sql, statement, toQuery } from '../../database/statement.ts';
import { tablesOf } from '../../database/tables-of.ts';
import { toTimestamp } from '../../kernel/clock.ts';
import { BatchedCounter } from '../../ledger/batched-counter.ts';
import type { TableContext } from '../../ledger/context.ts';

/** Maximum number of keys, applications or sessions whose uses wait to be written. */
const maxEntries = 200_000;

/** The use of a secret of a key. */
interface SecretUse {
  readonly id: number;
  at: number;
}

/** Counts last uses by id, each written by the statement of `queryOf`. */
const lastUses = <Id extends number | string>(
  database: Database,
  queryOf: (id: Id, at: string) => Query,
): BatchedCounter<Id, number> =>
  new BatchedCounter<Id, number>({
    maxEntries,
    merge: Math.max,
    write: (uses) =>
      database.write(async (transaction) => {
        for (const [id, used] of uses) await transaction.run(queryOf(id, toTimestamp(used)));
      }),
  });

/** Last uses by secret, not by key: a rotation may have replaced the secret since it was used. */
const secretUses = (database: Database): BatchedCounter<string, SecretUse> => {
  const { dialect } = database;
  const keyUse = statement<{ id: number; hash: string; at: string }>(dialect, (value) => {
    const at = dialect.cast(value('at'), 'timestamp');
    const later = (of: Fragment): Fragment => sql`case when ${of} > ${at} then ${of} else ${at} end`;
    return sql`update ${own('api_keys')} set last_used_at = ${later(sql`last_used_at`)},
      secret_used_at = case when key_hash in (${storedFormsOf(value('hash'))}) then ${later(sql`secret_used_at`)} else secret_used_at end
      where id = ${value('id')} returning key_hash`;
  });
  const formerUse = statement<{ hash: string; at: string }>(dialect, (value) => {
    const at = dialect.cast(value('at'), 'timestamp');
    return sql`update ${own('gatewright_former_secrets')} set last_used_at = ${at}
      where key_hash in (${storedFormsOf(value('hash'))}) and (last_used_at is null or last_used_at < ${at})`;
  });
  return new BatchedCounter<string, SecretUse>({
    maxEntries,
    merge: (earlier, used) => {
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
};

const sessionUses = (database: Database): BatchedCounter<number, number> =>
  lastUses<number>(database, (id, at) =>
    toQuery(
      tablesOf(database)
        .updateTable('sessions')
        .set({ last_used_at: at })
        .where('id', '=', id)
        .where('last_used_at', '<', at),
    ),
  );

const applicationUses = (database: Database): BatchedCounter<string, number> =>
  lastUses<string>(database, (appId, at) =>
    toQuery(
      tablesOf(database)
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

/**
 * Last uses of keys, applications and sessions, written every few seconds and at the stop. A crash loses the last
 * uses of a few seconds, nothing else. An earlier time never replaces a later one, neither in memory nor in the
 * database: clocks are set back, and another process may have seen the key since.
 */
export const createUsageRecorder = ({
  database,
}: TableContext): Pick<UsageRecorder, 'applicationUsed'> & {
  readonly name: string;
  keyUsed(id: number, hash: string, now: number): void;
  sessionUsed(id: number, now: number): void;
  flush(): Promise<void>;
  start(onError: (error: unknown) => void): () => Promise<void>;
} => {
  const keys = secretUses(database);
  const sessions = sessionUses(database);
  const applications = applicationUses(database);
  return {
    name: 'last uses',
    keyUsed: (id, hash, at) => keys.add(hash, { id, at }),
    applicationUsed: (appId, now) => applications.add(appId, now),
    sessionUsed: (id, now) => sessions.add(id, now),
    flush: async () => {
      await Promise.all([keys.flush(), sessions.flush(), applications.flush()]);
    },
    start: (onError) => {
      const stops = [keys, sessions, applications].map((counter) => counter.start(5_000, onError));
      return async () => {
        await Promise.all(stops.map((stop) => stop()));
      };
    },
  };
};
