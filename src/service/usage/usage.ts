import type { UsageRecorder } from '../../auth/ports.ts';
import type { Query } from '../../database/database.ts';
import { toQuery } from '../../database/statement.ts';
import { tablesOf } from '../../database/tables-of.ts';
import { toTimestamp } from '../../kernel/clock.ts';
import type { TableContext } from '../context.ts';
import { BatchedCounter } from './batched-counter.ts';

/**
 * Last uses of keys, applications and sessions: noted in memory, written every few seconds and at the stop. A power cut
 * takes a few seconds of last uses, nothing else. A later time is never overwritten by an earlier one, neither here nor in
 * the database: clocks are set back, and another instance may have seen the key since.
 */
export const createUsageRecorder = (
  { database }: TableContext,
  onError: (error: unknown) => void,
): Pick<UsageRecorder, 'applicationUsed'> & {
  keyUsed(id: number, now: number): void;
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

  const keys = lastUses<number>((id, at) =>
    toQuery(
      db
        .updateTable('api_keys')
        .set({ last_used_at: at })
        .where('id', '=', id)
        .where((eb) => eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<', at)])),
    ),
  );
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
    keyUsed: (id, now) => keys.add(id, now),
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
