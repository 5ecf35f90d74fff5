import { networkOf } from '../../auth/client-network.ts';
import type { KnownUser, SecurityEvent, SecurityEvents } from '../../auth/security-events.ts';
import { toQuery } from '../../database/statement.ts';
import { tablesOf } from '../../database/tables-of.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { PassingSet } from '../../kernel/passing-map.ts';
import { toTimestamp } from '../../kernel/timestamp.ts';
import { createKeyNetworks } from '../api-keys/key-networks.ts';
import type { TableContext } from '../context.ts';
import { type Counted, EventLimit } from '../events/event-limit.ts';
import { batchesOf } from '../usage/batches.ts';
import { type AuditActor, type AuditEntry, auditQuery } from './audit.ts';

/** Milliseconds between two batches. */
const interval = 1_000;
/** Events that wait for a database that is away; the log has had them all. */
const mostPending = 5_000;
/** Milliseconds for which security events are kept. Changes, which only people with rights make, are kept for good. */
const retention = 90 * 24 * 3_600_000;

const actions: readonly SecurityEvent['action'][] = [
  ...(['sign_in', 'sign_in.failed', 'sign_in.locked', 'key.new_network', 'admin.refused'] as const),
  ...(['session.token', 'credentials.reload', 'credentials.refused'] as const),
];
const swept = [...actions, 'events.counted'];

/** A line for the log: `warn` for what was refused, else `info`. */
export type LogEvent = (level: 'info' | 'warn', line: JsonObject) => void;

const good: ReadonlySet<string> = new Set([
  ...['sign_in', 'key.new_network', 'session.token', 'credentials.reload'],
]);

type Told = Omit<SecurityEvent, 'action'> & {
  readonly action: SecurityEvent['action'] | 'events.counted';
  readonly target?: AuditEntry['target'];
};

interface Row extends Told {
  readonly at: number;
}

/** Whom an event is counted for, and from where it came last. */
interface Origin {
  readonly by: KnownUser | undefined;
  readonly address: string | null;
}

const userTarget = (user: KnownUser | undefined): AuditEntry['target'] => ({
  kind: 'user',
  id: user?.id ?? null,
  name: user?.username ?? null,
});

const targetOf = ({ action, target, account, by }: Told): AuditEntry['target'] => {
  if (target !== undefined) return target;
  const kind = action.split('.')[0] ?? '';
  if (kind === 'sign_in') return userTarget(account ?? by);
  return { kind, id: null, name: null };
};

const actorOf = ({ by, address }: Told): AuditActor & { readonly address: string | null } => {
  if (by !== undefined)
    return { actor_kind: 'user', actor_id: String(by.id), actor_name: by.username, address };
  return { actor_kind: address === null ? 'service' : 'nobody', actor_id: null, actor_name: null, address };
};

const detailOf = ({ detail = {}, action, account }: Told): JsonObject =>
  action.startsWith('sign_in.') && account === undefined ? { ...detail, account: 'unknown' } : detail;

/** See `SecurityEvents`. Batches keep the requests that cause events, and strangers, from waiting for the database. */
export const createSecurityEvents = (
  context: TableContext,
  log: LogEvent,
  onError: (error: unknown) => void,
) => {
  const { database, clock } = context;
  const db = tablesOf(database);
  const limit = new EventLimit<Origin>(clock);
  const networks = createKeyNetworks(context);
  const lookUps = new PassingSet<Promise<void>>();
  let pending: Row[] = [];
  let dropped = 0;
  const counts = new Map(actions.map((action) => [action, 0]));

  const tell = (event: Told): void => {
    const { action, address, by } = event;
    const { kind, id, name } = targetOf(event);
    log(good.has(action) ? 'info' : 'warn', {
      event: action,
      address,
      ...(by === undefined ? {} : { user: by.id, username: by.username }),
      ...(id === null && name === null ? {} : { [kind]: name ?? id }),
      ...detailOf(event),
    });
  };

  const take = (event: Told): void => {
    tell(event);
    if (pending.length < mostPending) pending.push({ ...event, at: clock() });
    else dropped += 1;
  };

  const admits = ({ action, address, by }: SecurityEvent): boolean => {
    counts.set(action, (counts.get(action) ?? 0) + 1);
    const stranger = by === undefined && address !== null;
    const source = by === undefined ? networkOf(address ?? '') : `user ${by.id}`;
    return limit.admits(source, stranger, action, { by, address });
  };

  const takeCounted = (counted: readonly Counted<Origin>[]): void => {
    for (const { origin, since, actions } of counted)
      take({
        action: 'events.counted',
        address: origin?.address ?? null,
        by: origin?.by,
        detail: { since: toTimestamp(since), more: { ...actions } },
      });
  };

  const takeNetworks = async (): Promise<void> => {
    for (const { owner: by, address, keyId, keyName } of await networks.flush()) {
      const event = { action: 'key.new_network', address, by } as const;
      if (admits(event)) take({ ...event, target: { kind: 'api_key', id: keyId, name: keyName } });
    }
  };

  const write = async (): Promise<void> => {
    if (dropped > 0) onError(new Error(`${dropped} security events are in the log only`));
    dropped = 0;
    const rows = pending;
    if (rows.length === 0) return;
    pending = [];
    const queries = rows.map((row) => {
      const entry = { action: row.action, target: targetOf(row), detail: detailOf(row) };
      return auditQuery(database.dialect, row.at, actorOf(row), entry);
    });
    try {
      await database.write(async (transaction) => {
        for (const query of queries) await transaction.run(query);
      });
    } catch (error) {
      pending = [...rows, ...pending].slice(0, mostPending);
      throw error;
    }
  };

  const { flush } = batchesOf(async () => {
    await Promise.all(lookUps.values());
    takeCounted(limit.ended());
    await takeNetworks();
    await write();
  }, interval);

  const events: SecurityEvents = {
    record(event, account) {
      if (!admits(event)) return;
      if (account === undefined) return take(event);
      const lookUp = account()
        .catch(() => undefined)
        .then((found) => take({ ...event, account: found }))
        .finally(() => lookUps.delete(lookUp));
      lookUps.add(lookUp);
    },
    logged(event) {
      if (admits(event)) tell(event);
    },
  };

  return {
    ...events,

    /** How many there were since the start of the process, also of those that were only counted. */
    counts: counts as ReadonlyMap<string, number>,

    /** Told of every use of a key; it must cost next to nothing. */
    keyUsed: networks.used,

    /** Writes what has come up to now. */
    flush,

    /**
     * A good sign-in, written before it is answered: what its user does next stands behind it in the list. A list that
     * cannot be written keeps nobody out; the next batch tries again.
     */
    signedIn: async (by: KnownUser, address: string): Promise<void> => {
      events.record({ action: 'sign_in', address, by });
      await flush().catch(() => {});
    },

    /** Begins to write batches. The answer ends that and writes the last one. */
    start: (): (() => Promise<void>) => {
      let failing = false;
      const attempt = (): Promise<void> =>
        flush().then(
          () => {
            failing = false;
          },
          (error: unknown) => {
            if (!failing) onError(error);
            failing = true;
          },
        );
      const timer = setInterval(attempt, interval);
      timer.unref();
      return async () => {
        clearInterval(timer);
        takeCounted(limit.close());
        await attempt();
      };
    },

    /** Deletes what is kept no longer; run now and then. */
    sweep: async (now = clock()): Promise<void> => {
      const before = now - retention;
      const old = db
        .deleteFrom('audit')
        .where('created_at', '<', toTimestamp(before))
        .where('action', 'in', swept);
      await database.execute(toQuery(old));
      await networks.sweep(before);
    },
  };
};

export type SecurityEventStore = ReturnType<typeof createSecurityEvents>;
