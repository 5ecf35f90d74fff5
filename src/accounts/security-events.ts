/** Security events in the audit log: single lines up to a limit for each source, and counts beyond it. */

import { networkOf } from '../auth/client-network.ts';
import type { KnownUser, SecurityEvent, SecurityEvents } from '../auth/security-events.ts';
import type { Database } from '../database/database.ts';
import { toQuery } from '../database/statement.ts';
import { tablesOf } from '../database/tables-of.ts';
import { type Clock, toTimestamp } from '../kernel/clock.ts';
import type { Json, JsonObject } from '../kernel/json.ts';
import { type AuditActor, type AuditEntry, auditQuery } from '../ledger/audit.ts';
import { BatchedCounter } from '../ledger/batched-counter.ts';
import type { TableContext } from '../ledger/context.ts';
import { createKeyNetworks, type NewNetwork } from './api-keys/usage/networks.ts';

/** Length of a window in which events are counted, in milliseconds. */
const windowMs = 60_000;
/** Maximum number of events of one source that are recorded individually in a window. */
export const maxEventsOfSource = 60;
/**
 * Maximum number of individually recorded events of all unauthenticated sources in a window: with a new network for
 * each guess, an attacker would otherwise fill the disk.
 */
export const maxUnauthenticatedEvents = 1_000;
/** Maximum number of sources that are distinguished in a window. */
const maxSources = 10_000;

/** Events of one source in a window that were counted instead of recorded. */
export interface Counted<Origin> {
  /** Undefined for sources that are not distinguished. */
  readonly origin: Origin | undefined;
  /** Beginning of the window, milliseconds since the epoch. */
  readonly since: number;
  readonly actions: Readonly<Record<string, number>>;
}

interface Tally<Origin> {
  readonly origin: Origin | undefined;
  recorded: number;
  readonly more: Map<string, number>;
}

/** Limits how many events of a source are recorded individually; its size is bounded. */
export class EventLimit<Origin> {
  readonly #clock: Clock;
  #since: number;
  #sources = new Map<string, Tally<Origin>>();
  #crowd: Tally<Origin> = { origin: undefined, recorded: 0, more: new Map() };
  #ended: Counted<Origin>[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#since = clock();
  }

  /**
   * Returns whether the event is to be recorded individually; otherwise it is counted.
   * @param stranger true if no valid credential identifies the source
   */
  admits(source: string, stranger: boolean, action: string, origin: Origin): boolean {
    this.#turn();
    const known = this.#sources.get(source);
    const full = stranger && this.#crowd.recorded >= maxUnauthenticatedEvents;
    if (known === undefined && (full || this.#sources.size >= maxSources))
      return this.#count(this.#crowd, action);
    const tally = known ?? { origin, recorded: 0, more: new Map() };
    if (known === undefined) this.#sources.set(source, tally);
    if (tally.recorded >= maxEventsOfSource || full) return this.#count(tally, action);
    tally.recorded += 1;
    if (stranger) this.#crowd.recorded += 1;
    return true;
  }

  /** Returns the events that were only counted in finished windows; each is returned once. */
  ended(): readonly Counted<Origin>[] {
    this.#turn();
    return this.#ended.splice(0);
  }

  /** As `ended`, with the current window included: before the process ends. */
  close(): readonly Counted<Origin>[] {
    this.#close();
    return this.#ended.splice(0);
  }

  #count({ more }: Tally<Origin>, action: string): false {
    more.set(action, (more.get(action) ?? 0) + 1);
    return false;
  }

  #turn(): void {
    // A clock that was set back also ends the window, which would otherwise last long.
    const passed = this.#clock() - this.#since;
    if (passed < 0 || passed >= windowMs) this.#close();
  }

  #close(): void {
    for (const { origin, more } of [...this.#sources.values(), this.#crowd])
      if (more.size > 0) this.#ended.push({ origin, since: this.#since, actions: Object.fromEntries(more) });
    this.#sources = new Map();
    this.#crowd = { origin: undefined, recorded: 0, more: new Map() };
    this.#since = this.#clock();
  }
}

/** Milliseconds for which security events are kept. Changes, which only authorised people make, are kept for good. */
const retentionMs = 90 * 24 * 3_600_000;

const actions: readonly SecurityEvent['action'][] = [
  'sign_in',
  'sign_in.failed',
  'sign_in.locked',
  'sign_in.reused',
  'key.new_network',
  'admin.refused',
  'session.token',
  'credentials.reload',
  'credentials.refused',
];
const swept = [...actions, 'events.counted'];

/** Writes a line of the log: `warn` for a refusal, else `info`. */
export type LogEvent = (level: 'info' | 'warn', line: JsonObject) => void;

const good: ReadonlySet<string> = new Set([
  'sign_in',
  'key.new_network',
  'session.token',
  'credentials.reload',
]);

type StoredEvent = Omit<SecurityEvent, 'action'> & {
  readonly action: SecurityEvent['action'] | 'events.counted';
  readonly target?: AuditEntry['target'];
};

interface Row extends StoredEvent {
  readonly at: number;
}

/** The source by which an event is counted, and its last address. */
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

/** Returns the line of the log for an event. */
const logLine = (event: StoredEvent): JsonObject => {
  const { action, address, by } = event;
  const { kind, id, name } = targetOf(event);
  const line: Record<string, Json> = { event: action, address };
  if (by !== undefined) {
    line['user'] = by.id;
    line['username'] = by.username;
  }
  if (id !== null || name !== null) line[kind] = name ?? id;
  return { ...line, ...detailOf(event) };
};

/**
 * Implements `SecurityEvents`. Events are written in batches, so that the requests that cause them do not wait for
 * the database.
 */
export class SecurityEventStore implements SecurityEvents {
  readonly name = 'security events';
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #log: LogEvent;
  readonly #onError: (error: unknown) => void;
  readonly #limit: EventLimit<Origin>;
  readonly #networks: ReturnType<typeof createKeyNetworks>;
  /** Events in the order in which they occurred; they are never merged. */
  readonly #counter: BatchedCounter<number, Row>;
  readonly #lookUps = new Set<Promise<void>>();
  readonly #counts = new Map(actions.map((action) => [action, 0]));
  #taken = 0;
  #dropped = 0;

  constructor(context: TableContext, log: LogEvent, onError: (error: unknown) => void) {
    this.#database = context.database;
    this.#clock = context.clock;
    this.#log = log;
    this.#onError = onError;
    this.#limit = new EventLimit(context.clock);
    this.#networks = createKeyNetworks(context, (network) => this.#reportNetwork(network));
    this.#counter = new BatchedCounter({
      maxEntries: 5_000,
      merge: (_, added) => added,
      gather: () => this.#gather(),
      write: (rows) => this.#write(rows),
    });
  }

  /** Numbers of recorded and counted events since the start of the process. */
  get counts(): ReadonlyMap<string, number> {
    return this.#counts;
  }

  record(event: SecurityEvent, account?: () => Promise<KnownUser | undefined>): void {
    if (!this.#admits(event)) return;
    if (account === undefined) {
      this.#take(event);
      return;
    }
    const lookUp = account()
      .catch(() => undefined)
      .then((found) => this.#take({ ...event, account: found }))
      .finally(() => this.#lookUps.delete(lookUp));
    this.#lookUps.add(lookUp);
  }

  log(event: SecurityEvent): void {
    if (this.#admits(event)) this.#tell(event);
  }

  /** Called at every use of a key, so it must be cheap. */
  keyUsed(keyId: number, address: string, at: number): void {
    this.#networks.used(keyId, address, at);
  }

  /** Writes the pending events. */
  flush(): Promise<void> {
    return this.#counter.flush();
  }

  /**
   * Writes a successful sign-in before the response is sent, so that the user's next action follows it in the audit
   * log. If the write fails, the sign-in succeeds nevertheless, and the next batch repeats the write.
   */
  async signedIn(by: KnownUser, address: string): Promise<void> {
    this.record({ action: 'sign_in', address, by });
    await this.#counter.flush().catch(() => {});
  }

  /** Starts writing batches. Returns a function that stops it and writes the last batch. */
  start(): () => Promise<void> {
    const stop = this.#counter.start(1_000, this.#onError);
    return async () => {
      this.#takeCounted(this.#limit.close());
      await stop();
    };
  }

  /** Deletes expired events; called periodically. */
  async sweep(now = this.#clock()): Promise<void> {
    const before = now - retentionMs;
    const old = tablesOf(this.#database)
      .deleteFrom('audit')
      .where('created_at', '<', toTimestamp(before))
      .where('action', 'in', swept);
    await this.#database.execute(toQuery(old));
    await this.#networks.sweep(before);
  }

  /** Counts an event. Returns whether it is to be recorded individually. */
  #admits({ action, address, by }: SecurityEvent): boolean {
    this.#counts.set(action, (this.#counts.get(action) ?? 0) + 1);
    const stranger = by === undefined && address !== null;
    const source = by === undefined ? networkOf(address ?? '') : `user ${by.id}`;
    return this.#limit.admits(source, stranger, action, { by, address });
  }

  /** Writes an event to the log, and adds it to the next batch. */
  #take(event: StoredEvent): void {
    this.#tell(event);
    // The log has this event already.
    if (this.#counter.isFull) this.#dropped += 1;
    else this.#counter.add(this.#taken++, { ...event, at: this.#clock() });
  }

  #tell(event: StoredEvent): void {
    this.#log(good.has(event.action) ? 'info' : 'warn', logLine(event));
  }

  #takeCounted(counted: readonly Counted<Origin>[]): void {
    for (const { origin, since, actions } of counted)
      this.#take({
        action: 'events.counted',
        address: origin?.address ?? null,
        by: origin?.by,
        detail: { since: toTimestamp(since), more: { ...actions } },
      });
  }

  #reportNetwork({ owner: by, address, keyId, keyName }: NewNetwork): void {
    const event = { action: 'key.new_network', address, by } as const;
    if (this.#admits(event)) this.#take({ ...event, target: { kind: 'api_key', id: keyId, name: keyName } });
  }

  async #gather(): Promise<void> {
    await Promise.all(this.#lookUps);
    this.#takeCounted(this.#limit.ended());
    await this.#networks.flush();
    if (this.#dropped > 0) this.#onError(new Error(`${this.#dropped} security events are in the log only`));
    this.#dropped = 0;
  }

  #write(rows: readonly (readonly [number, Row])[]): Promise<void> {
    return this.#database.write(async (transaction) => {
      for (const [, row] of rows) {
        const entry = { action: row.action, target: targetOf(row), detail: detailOf(row) };
        await transaction.run(auditQuery(this.#database.dialect, row.at, actorOf(row), entry));
      }
    });
  }
}

export const createSecurityEvents = (
  context: TableContext,
  log: LogEvent,
  onError: (error: unknown) => void,
): SecurityEventStore => new SecurityEventStore(context, log, onError);
