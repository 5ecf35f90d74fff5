/**
 * The outbox of webhooks: leases of webhooks, deliveries that are claimed under them, and the outcomes of attempts. Of
 * each record only the first waiting delivery has a time from which it may be sent (`next_at`); the next one gets its
 * time in the transaction that ends the one before. A transaction that adds or ends deliveries locks the row of the
 * webhook, so that no waiting record is left without a time.
 */

import { sql as kysely } from 'kysely';
import type { Database, Transaction } from '../../database/database.ts';
import type { Dialect } from '../../database/dialect.ts';
import { recordNumber, storedRecord } from '../../database/record-column.ts';
import { timeText } from '../../database/source.ts';
import {
  type Fragment,
  identifier,
  literal,
  sql,
  statement,
  tableName,
  toQuery,
} from '../../database/statement.ts';
import { tablesOf } from '../../database/tables-of.ts';
import type { RecordId } from '../../fields/key.ts';
import { toTimestamp } from '../../kernel/clock.ts';
import type { TableContext } from '../../ledger/context.ts';
import type { RecordedEvent } from '../../ledger/event-log.ts';
import { type DisabledReason, disableWebhook, type LockedWebhook, webhookLock } from './store.ts';

/** A delivery that one sender has claimed: no other one sends it until the lease expires. */
export interface ClaimedDelivery {
  readonly id: number;
  readonly webhook: number;
  readonly claim: string;
  /** Number of the event. */
  readonly event: number;
  readonly model: string;
  readonly record: RecordId;
  readonly message: string;
  /** Number of attempts so far, including this one. */
  readonly attempts: number;
}

/** Request and response of an attempt, as they are stored. */
export interface KeptAttempt {
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly requestBody: string;
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly body: string | undefined;
  /** Milliseconds. */
  readonly duration: number;
  readonly error: string | undefined;
}

export type DeliveryOutcome =
  | { readonly state: 'delivered'; readonly attempt: KeptAttempt }
  /** Nothing is sent; only the reason is stored. */
  | { readonly state: 'skipped'; readonly error: string }
  /** The last attempt failed; the webhook is disabled. */
  | { readonly state: 'failed'; readonly attempt: KeptAttempt; readonly disable: DisabledReason }
  /** The attempt failed; the next one begins after `delay` milliseconds. */
  | { readonly state: 'waiting'; readonly attempt: KeptAttempt; readonly delay: number };

/** A finished attempt. */
export interface SettledAttempt {
  readonly delivery: ClaimedDelivery;
  readonly outcome: DeliveryOutcome;
}

/** The result of storing an outcome. */
export interface Settlement {
  readonly isStored: boolean;
  /** True if the next delivery of the record got its time. */
  readonly nextIsDue: boolean;
}

export const notSettled: Settlement = { isStored: false, nextIsDue: false };

/** A locked webhook with the changes of the current transaction. */
type HeldWebhook = { -readonly [Name in keyof LockedWebhook]: LockedWebhook[Name] };

/** Name of the service's job that sends for a webhook; its key is the webhook's id. */
export const sendingJob = 'send-webhook';

/** Characters of a request body that are stored. */
const maxStoredBodyLength = 16_384;

const table = tableName('gatewright_deliveries');
const webhooks = tableName('gatewright_webhooks');

/** A time from now on, with the type of the column for Kysely. */
const laterAt = ({ dialect }: Database, milliseconds: number) =>
  kysely<string>`${dialect.later(kysely`${milliseconds}`)}`;

/** Identifies a claim: the outcome of an attempt is stored only while its claim is valid. */
const ofClaim = ({ id, claim, attempts }: ClaimedDelivery) => ({ id, claim, attempts });

const attemptColumns = (attempt: KeptAttempt) => ({
  request_headers: JSON.stringify(attempt.requestHeaders),
  request_body: attempt.requestBody.slice(0, maxStoredBodyLength).toWellFormed(),
  response_status: attempt.status ?? null,
  response_headers: attempt.headers === undefined ? null : JSON.stringify(attempt.headers),
  response_body: attempt.body ?? null,
  duration: attempt.duration,
  error: attempt.error ?? null,
});

const outcomeColumns = (outcome: DeliveryOutcome, now: string) => {
  if (outcome.state === 'waiting') return attemptColumns(outcome.attempt);
  const ended = { state: outcome.state, next_at: null, ended_at: now };
  return outcome.state === 'skipped'
    ? { ...ended, error: outcome.error, attempts: 0, request_headers: null, request_body: null }
    : { ...ended, ...attemptColumns(outcome.attempt) };
};

/** 1 if other deliveries of the same record wait. */
const othersWait = ({ id, webhook, model, record }: ClaimedDelivery) =>
  kysely<number>`case when exists (select 1 from ${table} o where o.webhook_id = ${webhook}
    and o.model = ${model} and o.record_id = ${record} and o.state = 'waiting'
    and o.id <> ${id}) then 1 else 0 end`;

/** Stores the outcomes of attempts. */
export class DeliverySettlement {
  readonly #context: TableContext;
  readonly #tables: ReturnType<typeof tablesOf>;
  readonly #lock: ReturnType<typeof webhookLock>;
  /** Gives the first waiting delivery of a record its time, if it has none. */
  readonly #promote;

  constructor(context: TableContext) {
    const { dialect } = context.database;
    this.#context = context;
    this.#tables = tablesOf(context.database);
    this.#lock = webhookLock(context.database);
    this.#promote = statement<{ webhook: number; model: string; record: number }>(
      dialect,
      (value) => sql`update ${table} set next_at = ${dialect.now} where next_at is null and id = (
        select id from ${table} where webhook_id = ${value('webhook')} and model = ${value('model')}
          and record_id = ${value('record')} and state = 'waiting' order by id limit 1)`,
    );
  }

  /**
   * Stores the outcomes of attempts for one webhook in one transaction. None is stored of a delivery that another
   * sender has claimed meanwhile, or of a deleted webhook.
   */
  settle(id: number, ended: readonly SettledAttempt[]): Promise<readonly Settlement[]> {
    return this.#context.database.write(async (transaction) => {
      const webhook = await transaction.get<LockedWebhook>(this.#lock({ id }));
      if (webhook === undefined) return ended.map(() => notSettled);
      const held = { ...webhook };
      const settlements: Settlement[] = [];
      for (const each of ended) settlements.push(await this.#settleOne(transaction, held, each));
      return settlements;
    });
  }

  /** Disables a webhook that cannot be sent to; returns false if it is disabled already. */
  disable(id: number, reason: DisabledReason): Promise<boolean> {
    const { database, clock } = this.#context;
    return database.write(async (transaction) => {
      const webhook = await transaction.get<LockedWebhook>(this.#lock({ id }));
      if (webhook === undefined || webhook.disabled) return false;
      await disableWebhook(transaction, database, clock(), webhook, reason);
      return true;
    });
  }

  async #settleOne(
    transaction: Transaction,
    webhook: HeldWebhook,
    { delivery, outcome }: SettledAttempt,
  ): Promise<Settlement> {
    const { database, clock } = this.#context;
    const at = clock();
    const update = this.#tables
      .updateTable('gatewright_deliveries')
      .set({ ...outcomeColumns(outcome, toTimestamp(at)), claim: null })
      .$if(outcome.state === 'waiting', (query) =>
        query.set({ next_at: laterAt(database, outcome.state === 'waiting' ? outcome.delay : 0) }),
      )
      .where((eb) => eb.and(ofClaim(delivery)))
      .returning(othersWait(delivery).as('waits'));
    const [row] = await transaction.all<{ waits: number }>(toQuery(update));
    if (row === undefined) return notSettled;
    await this.#countFailures(transaction, webhook, { delivery, outcome });
    const nextIsDue = outcome.state !== 'waiting' && Number(row.waits) === 1;
    const { model, record } = delivery;
    if (nextIsDue)
      await transaction.run(this.#promote({ webhook: webhook.id, model, record: recordNumber(record) }));
    if (outcome.state === 'failed') {
      await disableWebhook(transaction, database, at, webhook, outcome.disable);
      webhook.disabled = true;
    }
    return { isStored: true, nextIsDue };
  }

  /** Counts consecutive failures, and notes the delivery of the last one. */
  async #countFailures(
    transaction: Transaction,
    webhook: HeldWebhook,
    { delivery, outcome: { state } }: SettledAttempt,
  ): Promise<void> {
    if (state === 'skipped' || (state === 'delivered' && Number(webhook.failures) === 0)) return;
    webhook.failures = state === 'delivered' ? 0 : Number(webhook.failures) + 1;
    const update = this.#tables
      .updateTable('gatewright_webhooks')
      .set({ failures: webhook.failures, failed_delivery: state === 'delivered' ? null : delivery.id })
      .where('id', '=', webhook.id);
    await transaction.run(toQuery(update));
  }
}

/** Maximum number of waiting deliveries of a webhook; further events stay in the log. */
export const maxWaitingDeliveries = 10_000;

/** The number of waiting deliveries of a webhook, counted up to the maximum. */
const countWaiting = (webhook: Fragment) => sql`(select count(*) from (select 1 from ${table}
  where webhook_id = ${webhook} and state = 'waiting' limit ${literal(maxWaitingDeliveries)}) c)`;

/** A webhook with its subscription. */
export interface SubscribedWebhook extends Subscription {
  readonly id: number;
  /** The texts of its lists, by which the database compares them. */
  readonly subscription: { readonly models: string; readonly actions: string };
}

type CursorMove = {
  readonly id: number;
  readonly from: number;
  readonly to: number;
  readonly models: string;
  readonly actions: string;
  /** Empty for a webhook without a lease. */
  readonly lease: string;
};

export interface ClaimOptions {
  /** Maximum number of deliveries that are claimed. */
  readonly room: number;
  /** Milliseconds. */
  readonly leaseMs: number;
  readonly messageId: () => string;
}

/** New deliveries of a webhook. */
export interface AddedDeliveries {
  readonly claimed: readonly ClaimedDelivery[];
  /** True if others of them may be due. */
  readonly hasMore: boolean;
}

interface InsertedRow {
  readonly id: number;
  readonly event: number;
  readonly claim: string | null;
}

interface ClaimedRow {
  readonly id: number;
  readonly event: number;
  readonly model: string;
  readonly record_id: number;
  readonly message_id: string;
  readonly attempts: number;
}

/** A delivery that is to be inserted. */
interface NewDelivery {
  readonly event: RecordedEvent;
  readonly message: string;
  /** Claimed as it is inserted, unless an older delivery of its record waits. */
  readonly isClaimable: boolean;
}

/** Makes deliveries of events; those of the first `room` records are claimable. */
const newDeliveries = (
  events: readonly RecordedEvent[],
  { room, messageId }: ClaimOptions,
): readonly NewDelivery[] => {
  const records = new Set<string>();
  return events.map((event) => {
    const record = `${event.model} ${event.record}`;
    const isClaimable = records.size < room && !records.has(record);
    records.add(record);
    return { event, message: messageId(), isClaimable };
  });
};

const unclaimedColumns = { attempts: 0, claim: null, attempted_at: null, next_at: null };

const createDeliveryStatements = (dialect: Dialect) => {
  const claim = (picked: Fragment, order: Fragment) =>
    statement<{ webhook: number; claim: string; count: number; length: number }>(
      dialect,
      (value) => sql`with taken as materialized (
          select id from ${table} where webhook_id = ${value('webhook')} and ${picked}
            and next_at is not null and next_at <= ${dialect.now} and exists (
              select 1 from ${webhooks} w where w.id = ${value('webhook')}
                and w.lane = ${value('claim')} and w.disabled = false)
          order by ${order} limit ${dialect.rows(value('count'))} ${dialect.forUpdateSkipLocked}
        ) update ${table} set attempts = attempts + 1, claim = ${value('claim')},
          attempted_at = ${dialect.now}, next_at = ${dialect.later(value('length'))}
        where id in (select id from taken) returning id, event, model, record_id, message_id, attempts`,
    );
  return {
    claimDue: claim(sql`1 = 1`, sql`next_at, id`),
    claimOldest: claim(sql`state = 'waiting'`, sql`id`),

    /** Gives those of new deliveries their time that are the first of their record. */
    promoteAdded: statement<{ webhook: number; first: number; last: number }>(
      dialect,
      (value) => sql`update ${table} set next_at = ${dialect.now}
        where id >= ${value('first')} and id <= ${value('last')} and webhook_id = ${value('webhook')}
          and state = 'waiting' and next_at is null and not exists (
            select 1 from ${table} o where o.webhook_id = ${tableName('gatewright_deliveries', 'webhook_id')}
              and o.model = ${tableName('gatewright_deliveries', 'model')}
              and o.record_id = ${tableName('gatewright_deliveries', 'record_id')}
              and o.state = 'waiting' and o.id < ${tableName('gatewright_deliveries', 'id')})`,
    ),

    waiting: statement<{ webhook: number }>(
      dialect,
      (value) => sql`select ${countWaiting(value('webhook'))} as waiting`,
    ),

    /** Moves the cursor of a webhook that has this place and subscription, and locks its row. */
    moveCursor: statement<CursorMove>(
      dialect,
      (value) => sql`update ${webhooks} set cursor = ${value('to')}
        where id = ${value('id')} and cursor = ${value('from')} and disabled = false
          and cast(models as text) = ${value('models')} and cast(actions as text) = ${value('actions')}
          and (${value('lease')} = '' or lane = ${value('lease')})
        returning id`,
    ),
  };
};

/** The deliveries of webhooks: adds them for events, and claims them. */
export class Deliveries {
  readonly #context: TableContext;
  readonly #tables: ReturnType<typeof tablesOf>;
  readonly #statements: ReturnType<typeof createDeliveryStatements>;

  constructor(context: TableContext) {
    this.#context = context;
    this.#tables = tablesOf(context.database);
    this.#statements = createDeliveryStatements(context.database.dialect);
  }

  /** Tells whether a webhook has as many waiting deliveries as it may have. */
  async isFull(webhook: number): Promise<boolean> {
    const row = await this.#context.database.get<{ waiting: number }>(this.#statements.waiting({ webhook }));
    return Number(row?.waiting ?? 0) >= maxWaitingDeliveries;
  }

  /**
   * Moves the cursor of a webhook past events that were read, to none of which it subscribes; does nothing if it was
   * moved or the webhook changed meanwhile.
   */
  async skip({ id, subscription }: SubscribedWebhook, from: number, to: number): Promise<void> {
    const query = this.#statements.moveCursor({ id, from, to, ...subscription, lease: '' });
    await this.#context.database.execute(query);
  }

  /**
   * Moves the cursor of a webhook past events that were read, and adds deliveries for those that it gets. Up to `room`
   * of them are claimed at once, one for each record that has no older one. Writes nothing and returns undefined if the
   * cursor was moved meanwhile, the webhook was deleted or disabled, its lease was lost, or it no longer has the
   * subscription by which the events were chosen.
   */
  add(
    webhook: LeasedWebhook,
    from: number,
    to: number,
    events: readonly RecordedEvent[],
    options: ClaimOptions,
  ): Promise<AddedDeliveries | undefined> {
    const { id, subscription, lease } = webhook;
    const move = this.#statements.moveCursor({ id, from, to, ...subscription, lease });
    return this.#context.database.write(async (transaction) => {
      const [moved] = await transaction.all(move);
      if (moved === undefined) return undefined;
      if (events.length === 0) return { claimed: [], hasMore: false };
      return this.#insert(transaction, webhook, newDeliveries(events, options), options);
    });
  }

  /**
   * Claims up to `limit` due deliveries for `leaseMs` milliseconds each, and none once the webhook's lease was lost.
   * @param oldest claims in the order of addition instead of the order in which deliveries were due
   */
  async claim(
    webhook: number,
    lease: string,
    limit: number,
    leaseMs: number,
    oldest: boolean,
  ): Promise<readonly ClaimedDelivery[]> {
    const { claimOldest, claimDue } = this.#statements;
    const claim = oldest ? claimOldest : claimDue;
    const query = claim({ webhook, claim: lease, count: limit, length: leaseMs });
    const rows = await this.#context.database.execute<ClaimedRow>(query);
    return rows.map((row) => ({
      id: Number(row.id),
      webhook,
      claim: lease,
      event: Number(row.event),
      model: row.model,
      record: storedRecord(row.record_id),
      message: row.message_id,
      attempts: Number(row.attempts),
    }));
  }

  /** Releases a delivery whose attempt was interrupted; the attempt is not counted. */
  async release(delivery: ClaimedDelivery): Promise<void> {
    const { database } = this.#context;
    const update = this.#tables
      .updateTable('gatewright_deliveries')
      .set({
        claim: null,
        next_at: kysely<string>`${database.dialect.now}`,
        attempts: delivery.attempts - 1,
      })
      .where((eb) => eb.and(ofClaim(delivery)));
    await database.execute(toQuery(update));
  }

  async #insert(
    transaction: Transaction,
    { id: webhook, lease }: LeasedWebhook,
    added: readonly NewDelivery[],
    { room, leaseMs }: ClaimOptions,
  ): Promise<AddedDeliveries> {
    const { clock } = this.#context;
    const created = toTimestamp(clock());
    const claimColumns = (event: RecordedEvent, isClaimable: boolean) =>
      isClaimable ? this.#claimedColumns(webhook, event, lease, leaseMs) : unclaimedColumns;
    const rows = added.map(({ event, message, isClaimable }) => ({
      webhook_id: webhook,
      event: event.number,
      model: event.model,
      record_id: recordNumber(event.record),
      action: event.action,
      version: event.version,
      message_id: message,
      state: 'waiting' as const,
      created_at: created,
      ...claimColumns(event, isClaimable),
    }));
    const insert = this.#tables
      .insertInto('gatewright_deliveries')
      .values(rows)
      .returning(['id', 'event', 'claim']);
    const inserted = await transaction.all<InsertedRow>(toQuery(insert));
    const records = new Set(added.map(({ event }) => `${event.model} ${event.record}`));
    const hasMore = records.size > room;
    if (hasMore) {
      const ids = inserted.map(({ id }) => Number(id));
      const range = { first: Math.min(...ids), last: Math.max(...ids) };
      await transaction.run(this.#statements.promoteAdded({ webhook, ...range }));
    }
    const claims = new Map(
      inserted.filter(({ claim }) => claim !== null).map(({ id, event }) => [Number(event), Number(id)]),
    );
    const claimed = added.flatMap(({ event: { number, model, record }, message }): ClaimedDelivery[] => {
      const id = claims.get(number);
      if (id === undefined) return [];
      return [{ id, webhook, claim: lease, event: number, model, record, message, attempts: 1 }];
    });
    return { claimed, hasMore };
  }

  /** Columns of a delivery that is claimed as it is inserted, unless an older one of its record waits. */
  #claimedColumns(webhook: number, { model, record }: RecordedEvent, lease: string, leaseMs: number) {
    const { database } = this.#context;
    const isFirst = kysely<boolean>`not exists (select 1 from ${table} where webhook_id = ${webhook}
      and model = ${model} and record_id = ${recordNumber(record)} and state = 'waiting')`;
    return {
      attempts: kysely<number>`case when ${isFirst} then 1 else 0 end`,
      claim: kysely<string | null>`case when ${isFirst} then cast(${lease} as text) end`,
      attempted_at: kysely<string | null>`case when ${isFirst} then ${database.dialect.now} end`,
      next_at: kysely<string | null>`case when ${isFirst} then ${laterAt(database, leaseMs)} end`,
    };
  }
}

/**
 * A webhook whose lease this process holds (columns `lane` and `lane_until`). One process at a time sends to a webhook,
 * so that a slow receiver delays no other; once a lease expires, another process may take it.
 */
export interface LeasedWebhook extends SubscribedWebhook {
  /** Identifies the holder. */
  readonly lease: string;
  readonly url: string;
  /** Number of the last event that was read for it. */
  readonly cursor: number;
  /** Number of waiting deliveries, counted up to the maximum. */
  readonly waiting: number;
  /** True if a delivery is due. */
  readonly due: boolean;
  readonly userId: number | null;
  /** True if it sends only events about records that this user manages. */
  readonly managed: boolean;
  /** Encrypted, as is the previous one. */
  readonly secret: string;
  readonly previousSecret: string | null;
  readonly previousUntil: string | null;
  /** Consecutive failures. */
  readonly failures: number;
}

/** The models and actions to which a webhook subscribes. */
export interface Subscription {
  readonly models: readonly string[];
  readonly actions: readonly string[];
}

/** An enabled webhook, and what it does. */
export interface EnabledWebhook extends SubscribedWebhook {
  readonly cursor: number;
  /** The user who made it for the records that they manage; undefined for one of administrators. */
  readonly owner: number | undefined;
  /** True if its last attempts failed. */
  readonly failing: boolean;
  /** True if a process sends for it, or a job to do so waits. */
  readonly busy: boolean;
  /** True if a process may send for it: it is not busy and does not pause after failures. */
  readonly free: boolean;
  /** True if a delivery is due. */
  readonly due: boolean;
}

interface EnabledRow {
  readonly id: number;
  readonly models: string;
  readonly actions: string;
  readonly cursor: number;
  readonly user_id: number | null;
  readonly managed: boolean | number;
  readonly failures: number;
  readonly busy: number;
  readonly free: number;
  readonly due: number;
}

interface TakenRow {
  readonly id: number;
  readonly url: string;
  readonly models: string;
  readonly actions: string;
  readonly cursor: number;
  readonly waiting: number;
  readonly due: number;
  readonly user_id: number | null;
  readonly managed: boolean | number;
  readonly secret: string;
  readonly previous_secret: string | null;
  readonly previous_until: string | null;
  readonly failures: number;
}

const subscribed = (row: { readonly models: string; readonly actions: string }) => ({
  models: JSON.parse(row.models) as string[],
  actions: JSON.parse(row.actions) as string[],
  subscription: { models: row.models, actions: row.actions },
});

const leased = (row: TakenRow, lease: string): LeasedWebhook => ({
  id: Number(row.id),
  lease,
  url: row.url,
  ...subscribed(row),
  cursor: Number(row.cursor),
  waiting: Number(row.waiting),
  due: Number(row.due) === 1,
  userId: row.user_id === null ? null : Number(row.user_id),
  managed: Boolean(row.managed),
  secret: row.secret,
  previousSecret: row.previous_secret,
  previousUntil: row.previous_until,
  failures: Number(row.failures),
});

const enabledWebhook = (row: EnabledRow): EnabledWebhook => ({
  id: Number(row.id),
  ...subscribed(row),
  cursor: Number(row.cursor),
  owner: row.managed && row.user_id !== null ? Number(row.user_id) : undefined,
  failing: Number(row.failures) > 0,
  busy: Number(row.busy) === 1,
  free: Number(row.free) === 1 && Number(row.busy) === 0,
  due: Number(row.due) === 1,
});

type LeaseArguments = { readonly id: number; readonly lease: string; readonly leaseMs: number };

const createLeaseStatements = (dialect: Dialect) => {
  const { now } = dialect;
  const text = (of: string) => sql`cast(${identifier(of)} as text) as ${identifier(of)}`;
  const free = sql`disabled = false and (lane_until is null or lane_until <= ${now})`;
  const isDue = (webhook: Fragment) => sql`exists (select 1 from ${table}
    where webhook_id = ${webhook} and next_at is not null and next_at <= ${now})`;
  const flag = (condition: Fragment) => sql`case when ${condition} then 1 else 0 end`;
  const id = tableName('gatewright_webhooks', 'id');
  const isLeased = sql`lane is not null and lane_until > ${now}`;
  const hasJob = sql`exists (select 1 from ${tableName('gatewright_jobs')} j
    where j.name = ${literal(sendingJob)} and j.key = cast(${id} as text) and j.state = 'waiting')`;
  return {
    take: statement<LeaseArguments>(
      dialect,
      (value) => sql`update ${webhooks}
        set lane = ${value('lease')}, lane_until = ${dialect.later(value('leaseMs'))}
        where id = ${value('id')} and ${free}
        returning id, url, ${text('models')}, ${text('actions')}, cursor, user_id, managed, secret, previous_secret,
          ${timeText(dialect, identifier('previous_until'))} as previous_until, failures,
          ${flag(isDue(value('id')))} as due, ${countWaiting(value('id'))} as waiting`,
    ),
    extend: statement<LeaseArguments>(
      dialect,
      (value) => sql`update ${webhooks} set lane_until = ${dialect.later(value('leaseMs'))}
        where id = ${value('id')} and lane = ${value('lease')} and disabled = false returning id`,
    ),
    extendDeliveries: statement<LeaseArguments>(
      dialect,
      (value) => sql`update ${table} set next_at = ${dialect.later(value('leaseMs'))}
        where webhook_id = ${value('id')} and claim = ${value('lease')} and next_at is not null`,
    ),
    release: statement<{ id: number; lease: string; restMs: number }>(
      dialect,
      (value) => sql`update ${webhooks} set lane = null, lane_until = ${dialect.later(value('restMs'))}
        where id = ${value('id')} and lane = ${value('lease')} returning ${flag(isDue(value('id')))} as due`,
    ),
    enabled: statement(
      dialect,
      () => sql`select id, ${text('models')}, ${text('actions')}, cursor, user_id, managed, failures,
          ${flag(sql`(${isLeased}) or ${hasJob}`)} as busy, ${flag(free)} as free, ${flag(isDue(id))} as due
        from ${webhooks} where disabled = false
        order by case when lane_until is null then 0 else 1 end, lane_until, id`,
    ),
  };
};

/** Leases of webhooks: a process sends to a webhook while it holds its lease. */
export class WebhookLeases {
  readonly #database: Database;
  readonly #statements: ReturnType<typeof createLeaseStatements>;

  constructor(database: Database) {
    this.#database = database;
    this.#statements = createLeaseStatements(database.dialect);
  }

  /**
   * Takes the lease of a webhook for `leaseMs` milliseconds; undefined if another process holds it, or the webhook is
   * disabled or deleted.
   */
  async take(id: number, lease: string, leaseMs: number): Promise<LeasedWebhook | undefined> {
    const [row] = await this.#database.execute<TakenRow>(this.#statements.take({ id, lease, leaseMs }));
    return row && leased(row, lease);
  }

  /**
   * Extends the lease, and the claims of deliveries that are being sent, to `leaseMs` milliseconds from now. Returns
   * false if the lease was lost or the webhook disabled.
   */
  extend({ id, lease }: LeasedWebhook, leaseMs: number): Promise<boolean> {
    const { extend, extendDeliveries } = this.#statements;
    return this.#database.write(async (transaction) => {
      const extended = await transaction.all(extend({ id, lease, leaseMs }));
      await transaction.run(extendDeliveries({ id, lease, leaseMs }));
      return extended.length > 0;
    });
  }

  /**
   * Releases the lease; no process can take it for `restMs` milliseconds. Returns whether a delivery is due, false if
   * the lease was lost.
   */
  async release({ id, lease }: LeasedWebhook, restMs: number): Promise<boolean> {
    const query = this.#statements.release({ id, lease, restMs });
    const [row] = await this.#database.execute<{ due: number }>(query);
    return Number(row?.due) === 1;
  }

  /** Enabled webhooks, the one first whose last turn ended longest ago. */
  async enabled(): Promise<readonly EnabledWebhook[]> {
    const rows = await this.#database.all<EnabledRow>(this.#statements.enabled({}));
    return rows.map(enabledWebhook);
  }
}
