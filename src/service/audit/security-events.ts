import { networkOf } from '../../auth/client-network.ts';
import type { KnownUser, SecurityEvent, SecurityEvents } from '../../auth/security-events.ts';
import { toQuery } from '../../database/statement.ts';
import { tablesOf } from '../../database/tables-of.ts';
import { toTimestamp } from '../../kernel/clock.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { createKeyNetworks } from '../api-keys/key-networks.ts';
import type { TableContext } from '../context.ts';
import { type Counted, EventLimit } from '../events/event-limit.ts';
import { BatchedCounter } from '../usage/batched-counter.ts';
import { type AuditActor, type AuditEntry, auditQuery } from './audit.ts';

/** Security events are kept for so long. Changes, which only people with rights make, are kept for good. */
const retentionMs = 90 * 24 * 3_600_000;

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

type StoredEvent = Omit<SecurityEvent, 'action'> & {
  readonly action: SecurityEvent['action'] | 'events.counted';
  readonly target?: AuditEntry['target'];
};

interface Row extends StoredEvent {
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

const targetOf = ({ action, target, account, by }: StoredEvent): AuditEntry['target'] => {
  if (target !== undefined) return target;
  const kind = action.split('.')[0] ?? '';
  if (kind === 'sign_in') return userTarget(account ?? by);
  return { kind, id: null, name: null };
};

const actorOf = ({ by, address }: StoredEvent): AuditActor & { readonly address: string | null } => {
  if (by !== undefined)
    return { actor_kind: 'user', actor_id: String(by.id), actor_name: by.username, address };
  return { actor_kind: address === null ? 'service' : 'nobody', actor_id: null, actor_name: null, address };
};

const detailOf = ({ detail = {}, action, account }: StoredEvent): JsonObject =>
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
  const lookUps = new Set<Promise<void>>();
  let taken = 0;
  let dropped = 0;
  const counts = new Map(actions.map((action) => [action, 0]));

  const tell = (event: StoredEvent): void => {
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

  const take = (event: StoredEvent): void => {
    tell(event);
    // The log has had it.
    if (counter.isFull) dropped += 1;
    else counter.add(taken++, { ...event, at: clock() });
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

  const networks = createKeyNetworks(context, ({ owner: by, address, keyId, keyName }) => {
    const event = { action: 'key.new_network', address, by } as const;
    if (admits(event)) take({ ...event, target: { kind: 'api_key', id: keyId, name: keyName } });
  });

  /** Events by the order in which they came; none is merged with another. */
  const counter = new BatchedCounter<number, Row>({
    maxEntries: 5_000,
    merge: (_, added) => added,
    gather: async () => {
      await Promise.all(lookUps);
      takeCounted(limit.ended());
      await networks.flush();
      if (dropped > 0) onError(new Error(`${dropped} security events are in the log only`));
      dropped = 0;
    },
    write: (rows) =>
      database.write(async (transaction) => {
        for (const [, row] of rows) {
          const entry = { action: row.action, target: targetOf(row), detail: detailOf(row) };
          await transaction.run(auditQuery(database.dialect, row.at, actorOf(row), entry));
        }
      }),
  });

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
    log(event) {
      if (admits(event)) tell(event);
    },
  };

  return {
    ...events,

    /** How many there were since the start of the process, also of those that were only counted. */
    counts: counts as ReadonlyMap<string, number>,

    /** Called at every use of a key; it must cost next to nothing. */
    keyUsed: networks.used,

    /** Writes what has come up to now. */
    flush: counter.flush,

    /**
     * Writes a good sign-in before the response goes out: the user's next action stands behind it in the list. A list
     * that cannot be written does not stop the sign-in; the next batch tries again.
     */
    signedIn: async (by: KnownUser, address: string): Promise<void> => {
      events.record({ action: 'sign_in', address, by });
      await counter.flush().catch(() => {});
    },

    /** Begins to write batches. Returns what ends that and writes the last one. */
    start: (): (() => Promise<void>) => {
      const stop = counter.start(1_000, onError);
      return async () => {
        takeCounted(limit.close());
        await stop();
      };
    },

    /** Deletes what is kept no longer; run now and then. */
    sweep: async (now = clock()): Promise<void> => {
      const before = now - retentionMs;
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
