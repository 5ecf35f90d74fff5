import type { UsageRecorder } from '../../auth/ports.ts';
import type { Query } from '../../database/database.ts';
import { toQuery } from '../../database/statement.ts';
import { tablesOf } from '../../database/tables-of.ts';
import { toTimestamp } from '../../kernel/timestamp.ts';
import type { TableContext } from '../context.ts';

/** Milliseconds between two batches. */
const interval = 5_000;

/**
 * Last uses of keys, applications and sessions: noted in memory, written in one transaction every few seconds and at
 * the stop. What a power cut takes is a few seconds of last uses, nothing else; what could not be written stays for the
 * next batch. A later time is never overwritten by an earlier one, neither here nor in the database: clocks are set
 * back, and another instance may have seen the key since.
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
  const later = <Id>(uses: Map<Id, number>, id: Id, now: number): void => {
    const known = uses.get(id);
    if (known === undefined || known < now) uses.set(id, now);
  };
  let keys = new Map<number, number>();
  let applications = new Map<string, number>();
  let sessions = new Map<number, number>();

  const keyQuery = ([id, used]: readonly [number, number]): Query => {
    const at = toTimestamp(used);
    return toQuery(
      db
        .updateTable('api_keys')
        .set({ last_used_at: at })
        .where('id', '=', id)
        .where((eb) => eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<', at)])),
    );
  };
  const sessionQuery = ([id, used]: readonly [number, number]): Query => {
    const at = toTimestamp(used);
    return toQuery(
      db
        .updateTable('sessions')
        .set({ last_used_at: at })
        .where('id', '=', id)
        .where('last_used_at', '<', at),
    );
  };
  const applicationQuery = ([appId, used]: readonly [string, number]): Query => {
    const at = toTimestamp(used);
    return toQuery(
      db
        .insertInto('application_usage')
        .values({ app_id: appId, last_used_at: at })
        .onConflict((conflict) =>
          conflict
            .column('app_id')
            .doUpdateSet({ last_used_at: at })
            .where('application_usage.last_used_at', '<', at),
        ),
    );
  };

  const flush = async (): Promise<void> => {
    const [usedKeys, usedApplications, usedSessions] = [keys, applications, sessions];
    // In the order of their ids, so that two instances never wait for each other's rows crosswise.
    const queries = [
      ...[...keys].sort(([a], [b]) => a - b).map(keyQuery),
      ...[...sessions].sort(([a], [b]) => a - b).map(sessionQuery),
      ...[...applications].sort(([a], [b]) => (a < b ? -1 : 1)).map(applicationQuery),
    ];
    keys = new Map();
    applications = new Map();
    sessions = new Map();
    if (queries.length === 0) return;
    try {
      await database.write(async (transaction) => {
        for (const query of queries) await transaction.run(query);
      });
    } catch (error) {
      for (const [id, at] of usedKeys) later(keys, id, at);
      for (const [appId, at] of usedApplications) later(applications, appId, at);
      for (const [id, at] of usedSessions) later(sessions, id, at);
      throw error;
    }
  };

  const timer = setInterval(() => flush().catch(onError), interval);
  timer.unref();
  return {
    keyUsed: (id, now) => later(keys, id, now),
    applicationUsed: (appId, now) => later(applications, appId, now),
    sessionUsed: (id, now) => later(sessions, id, now),
    flush,
    stop: async () => {
      clearInterval(timer);
      await flush().catch(onError);
    },
  };
};

export type Usage = ReturnType<typeof createUsageRecorder>;
