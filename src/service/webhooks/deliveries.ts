import { sql as kysely } from 'kysely';
import type { Database, Transaction } from '../../database/database.ts';
import { timeText } from '../../database/source.ts';
import { type Fragment, identifier, literal, sql, statement, toQuery } from '../../database/statement.ts';
import { tablesOf } from '../../database/tables-of.ts';
import { toTimestamp } from '../../kernel/clock.ts';
import type { TableContext } from '../context.ts';
import type { RecordedEvent } from '../events/event-log.ts';
import { type DisabledReason, disableWebhook, type LockedWebhook, webhookLock } from './webhooks.ts';

/**
 * The outbox of webhooks: leases of webhooks, deliveries that are claimed under them, and the outcomes of attempts. Of
 * each record only the first waiting delivery has a time from which it may be sent (`next_at`); the next one gets its
 * time in the transaction that ends the one before. A transaction that adds or ends deliveries locks the row of the
 * webhook, so that no waiting record is left without a time.
 */

/** A delivery that one sender has claimed: no other one sends it until the lease expires. */
export interface ClaimedDelivery {
  readonly id: number;
  readonly webhook: number;
  readonly claim: string;
  /** Number of the event. */
  readonly event: number;
  readonly model: string;
  readonly record: number;
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

/** A locked webhook with the changes of the current transaction. */
type HeldWebhook = { -readonly [Name in keyof LockedWebhook]: LockedWebhook[Name] };

/** Name of the service's job that sends for a webhook; its key is the webhook's id. */
export const sendingJob = 'send-webhook';

/** Characters of a request body that are stored. */
const maxStoredBodyLength = 16_384;

const table = identifier('gatewright_deliveries');

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

const createDeliverySettlement = ({ database, clock }: TableContext) => {
  const { dialect } = database;
  const db = tablesOf(database);
  const lock = webhookLock(database);
  const later = (milliseconds: number) => kysely<string>`${dialect.later(kysely`${milliseconds}`)}`;

  /** Gives the first waiting delivery of a record its time, if it has none. */
  const promote = statement<{ webhook: number; model: string; record: number }>(
    dialect,
    (value) => sql`update ${table} set next_at = ${dialect.now} where next_at is null and id = (
        select id from ${table} where webhook_id = ${value('webhook')} and model = ${value('model')}
          and record_id = ${value('record')} and state = 'waiting' order by id limit 1)`,
  );
  /** Counts consecutive failures, and notes the delivery of the last one. */
  const countFailures = async (
    transaction: Transaction,
    webhook: HeldWebhook,
    { delivery, outcome: { state } }: SettledAttempt,
  ): Promise<void> => {
    if (state === 'skipped' || (state === 'delivered' && Number(webhook.failures) === 0)) return;
    webhook.failures = state === 'delivered' ? 0 : Number(webhook.failures) + 1;
    const update = db
      .updateTable('gatewright_webhooks')
      .set({ failures: webhook.failures, failed_delivery: state === 'delivered' ? null : delivery.id })
      .where('id', '=', webhook.id);
    await transaction.run(toQuery(update));
  };

  const settleOne = async (
    transaction: Transaction,
    webhook: HeldWebhook,
    { delivery, outcome }: SettledAttempt,
  ): Promise<boolean> => {
    const at = clock();
    const update = db
      .updateTable('gatewright_deliveries')
      .set({ ...outcomeColumns(outcome, toTimestamp(at)), claim: null })
      .$if(outcome.state === 'waiting', (query) =>
        query.set({ next_at: later(outcome.state === 'waiting' ? outcome.delay : 0) }),
      )
      .where((eb) => eb.and(ofClaim(delivery)));
    if ((await transaction.run(toQuery(update))) === 0) return false;
    await countFailures(transaction, webhook, { delivery, outcome });
    const { model, record } = delivery;
    if (outcome.state !== 'waiting') await transaction.run(promote({ webhook: webhook.id, model, record }));
    if (outcome.state === 'failed') {
      await disableWebhook(transaction, database, at, webhook, outcome.disable);
      webhook.disabled = true;
    }
    return true;
  };

  return {
    /**
     * Stores the outcomes of attempts for one webhook in one transaction. Returns false for each that another sender
     * has claimed meanwhile, and for all of them if the webhook was deleted.
     */
    settle: (id: number, ended: readonly SettledAttempt[]): Promise<readonly boolean[]> =>
      database.write(async (transaction) => {
        const webhook = await transaction.get<LockedWebhook>(lock({ id }));
        if (webhook === undefined) return ended.map(() => false);
        const held = { ...webhook };
        const stored: boolean[] = [];
        for (const each of ended) stored.push(await settleOne(transaction, held, each));
        return stored;
      }),

    /** Disables a webhook that cannot be sent to; returns false if it is disabled already. */
    disable: (id: number, reason: DisabledReason): Promise<boolean> =>
      database.write(async (transaction) => {
        const webhook = await transaction.get<LockedWebhook>(lock({ id }));
        if (webhook === undefined || webhook.disabled) return false;
        await disableWebhook(transaction, database, clock(), webhook, reason);
        return true;
      }),
  };
};

const isSameList = (stored: string, list: readonly string[]): boolean =>
  JSON.stringify(JSON.parse(stored)) === JSON.stringify(list);

interface ClaimedRow {
  readonly id: number;
  readonly event: number;
  readonly model: string;
  readonly record_id: number;
  readonly message_id: string;
  readonly attempts: number;
}

export const createDeliveries = ({ database, clock }: TableContext) => {
  const { dialect } = database;
  const db = tablesOf(database);
  const lock = webhookLock(database);
  const now = kysely<string>`${dialect.now}`;

  const claim = (picked: ReturnType<typeof sql>, order: ReturnType<typeof sql>) =>
    statement<{ webhook: number; claim: string; count: number; length: number }>(
      dialect,
      (value) => sql`with taken as materialized (
          select id from ${table} where webhook_id = ${value('webhook')} and ${picked}
            and next_at is not null and next_at <= ${dialect.now} and exists (
              select 1 from ${identifier('gatewright_webhooks')} w where w.id = ${value('webhook')}
                and w.lane = ${value('claim')} and w.disabled = false)
          order by ${order} limit ${dialect.rows(value('count'))} ${dialect.forUpdateSkipLocked}
        ) update ${table} set attempts = attempts + 1, claim = ${value('claim')},
          attempted_at = ${dialect.now}, next_at = ${dialect.later(value('length'))}
        where id in (select id from taken) returning id, event, model, record_id, message_id, attempts`,
    );
  const claimDue = claim(sql`1 = 1`, sql`next_at, id`);
  const claimOldest = claim(sql`state = 'waiting'`, sql`id`);

  const promoteAdded = statement<{ webhook: number; first: number; last: number }>(
    dialect,
    (value) => sql`update ${table} set next_at = ${dialect.now}
      where id >= ${value('first')} and id <= ${value('last')} and webhook_id = ${value('webhook')}
        and state = 'waiting' and not exists (
          select 1 from ${table} o where o.webhook_id = ${identifier('gatewright_deliveries', 'webhook_id')}
            and o.model = ${identifier('gatewright_deliveries', 'model')}
            and o.record_id = ${identifier('gatewright_deliveries', 'record_id')}
            and o.state = 'waiting' and o.id < ${identifier('gatewright_deliveries', 'id')})`,
  );
  const count = (most: number) =>
    statement<{ webhook: number }>(
      dialect,
      (value) => sql`select count(*) as waiting from (select 1 from ${table}
        where webhook_id = ${value('webhook')} and state = 'waiting' limit ${literal(most)}) c`,
    );

  const addRows = async (
    transaction: Transaction,
    webhook: number,
    events: readonly RecordedEvent[],
    messageId: () => string,
  ): Promise<void> => {
    if (events.length === 0) return;
    const created = toTimestamp(clock());
    const insert = db
      .insertInto('gatewright_deliveries')
      .values(
        events.map(({ number, model, record, action, version }) => ({
          ...{ webhook_id: webhook, event: number, model, record_id: record, action, version },
          ...{ message_id: messageId(), state: 'waiting' as const, created_at: created },
        })),
      )
      .returning('id');
    const ids = (await transaction.all<{ id: number }>(toQuery(insert))).map(({ id }) => Number(id));
    const first = Math.min(...ids);
    const last = Math.max(...ids);
    await transaction.run(promoteAdded({ webhook, first, last }));
  };

  return {
    ...createDeliverySettlement({ database, clock }),

    /** The number of waiting deliveries, counted up to `most`. */
    waiting: async (webhook: number, most: number): Promise<number> => {
      const row = await database.get<{ waiting: number }>(count(most)({ webhook }));
      return Number(row?.waiting ?? 0);
    },

    /**
     * Moves the cursor of a webhook past events that were read, and adds deliveries for those it subscribes to. Writes
     * nothing and returns false if the cursor was moved meanwhile, the webhook was deleted or disabled, or it no longer
     * has the subscription by which the events were chosen.
     */
    add: (
      { id: webhook, models, actions }: Subscription & { readonly id: number },
      from: number,
      to: number,
      events: readonly RecordedEvent[],
      messageId: () => string,
    ): Promise<boolean> =>
      database.write(async (transaction) => {
        const row = await transaction.get<LockedWebhook>(lock({ id: webhook }));
        if (row === undefined || row.disabled || Number(row.cursor) !== from) return false;
        if (!isSameList(row.models, models) || !isSameList(row.actions, actions)) return false;
        await addRows(transaction, webhook, events, messageId);
        const update = db.updateTable('gatewright_webhooks').set({ cursor: to }).where('id', '=', webhook);
        await transaction.run(toQuery(update));
        return true;
      }),

    /** Number of the last event that was read for a webhook; undefined if the webhook was deleted. */
    cursor: async (webhook: number): Promise<number | undefined> => {
      const query = db.selectFrom('gatewright_webhooks').select('cursor').where('id', '=', webhook);
      const row = await database.get<{ cursor: number }>(toQuery(query));
      return row && Number(row.cursor);
    },

    /**
     * Claims up to `limit` due deliveries for `leaseMs` milliseconds each, and none once the webhook's lease was lost.
     * @param oldest claims those that were added first instead of those that were due first
     */
    claim: async (
      webhook: number,
      lease: string,
      limit: number,
      leaseMs: number,
      oldest: boolean,
    ): Promise<readonly ClaimedDelivery[]> => {
      const query = (oldest ? claimOldest : claimDue)({
        webhook,
        claim: lease,
        count: limit,
        length: leaseMs,
      });
      const rows = await database.execute<ClaimedRow>(query);
      return rows.map((row) => ({
        id: Number(row.id),
        webhook,
        claim: lease,
        event: Number(row.event),
        model: row.model,
        record: Number(row.record_id),
        message: row.message_id,
        attempts: Number(row.attempts),
      }));
    },

    /** Releases a delivery whose attempt was interrupted; the attempt is not counted. */
    release: async (delivery: ClaimedDelivery): Promise<void> => {
      const update = db
        .updateTable('gatewright_deliveries')
        .set({ claim: null, next_at: now, attempts: delivery.attempts - 1 })
        .where((eb) => eb.and(ofClaim(delivery)));
      await database.execute(toQuery(update));
    },
  };
};

export type Deliveries = ReturnType<typeof createDeliveries>;

/**
 * A webhook whose lease this process holds (columns `lane` and `lane_until`). One process at a time sends to a webhook, so
 * that a slow receiver delays no other; once a lease expires, another process may take it.
 */
export interface LeasedWebhook {
  readonly id: number;
  /** Identifies the holder. */
  readonly lease: string;
  readonly url: string;
  readonly models: readonly string[];
  readonly actions: readonly string[];
  readonly userId: number | null;
  /** Whether it sends only of the records that this user manages. */
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
export interface EnabledWebhook extends Subscription {
  readonly id: number;
  readonly cursor: number;
  /** The user who made it for the records that they manage; undefined for one of administrators. */
  readonly owner: number | undefined;
  /** Whether its last attempts failed. */
  readonly failing: boolean;
  /** Whether a process sends for it, or a job to do so waits. */
  readonly busy: boolean;
  /** Whether a process may send for it: it is not busy and does not rest after failures. */
  readonly free: boolean;
  /** Whether a delivery is due. */
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
  readonly user_id: number | null;
  readonly managed: boolean | number;
  readonly secret: string;
  readonly previous_secret: string | null;
  readonly previous_until: string | null;
  readonly failures: number;
}

const webhooks = identifier('gatewright_webhooks');

export const createWebhookLeases = (database: Database) => {
  const { dialect } = database;
  const { now } = dialect;
  const time = (of: string) => timeText(dialect, identifier(of));
  const text = (of: string) => sql`cast(${identifier(of)} as text) as ${identifier(of)}`;
  const free = sql`disabled = false and (lane_until is null or lane_until <= ${now})`;

  const take = statement<{ id: number; lease: string; leaseMs: number }>(
    dialect,
    (
      value,
    ) => sql`update ${webhooks} set lane = ${value('lease')}, lane_until = ${dialect.later(value('leaseMs'))}
      where id = ${value('id')} and ${free}
      returning id, url, ${text('models')}, ${text('actions')}, user_id, managed, secret, previous_secret,
        ${time('previous_until')} as previous_until, failures`,
  );
  const extend = statement<{ id: number; lease: string; leaseMs: number }>(
    dialect,
    (value) => sql`update ${webhooks} set lane_until = ${dialect.later(value('leaseMs'))}
      where id = ${value('id')} and lane = ${value('lease')} and disabled = false returning id`,
  );
  const extendDeliveries = statement<{ id: number; lease: string; leaseMs: number }>(
    dialect,
    (value) => sql`update ${table} set next_at = ${dialect.later(value('leaseMs'))}
      where webhook_id = ${value('id')} and claim = ${value('lease')} and next_at is not null`,
  );
  const release = statement<{ id: number; lease: string; restMs: number }>(
    dialect,
    (value) => sql`update ${webhooks} set lane = null, lane_until = ${dialect.later(value('restMs'))}
      where id = ${value('id')} and lane = ${value('lease')} returning id`,
  );
  const ofWebhook = identifier('gatewright_webhooks', 'id');
  const isLeased = sql`lane is not null and lane_until > ${now}`;
  const hasJob = sql`exists (select 1 from ${identifier('gatewright_jobs')} j
    where j.name = ${literal(sendingJob)} and j.key = cast(${ofWebhook} as text) and j.state = 'waiting')`;
  const isDue = sql`exists (select 1 from ${table} d
    where d.webhook_id = ${ofWebhook} and d.next_at is not null and d.next_at <= ${now})`;
  const whether = (condition: Fragment) => sql`case when ${condition} then 1 else 0 end`;
  const enabled = statement(
    dialect,
    () => sql`select id, ${text('models')}, ${text('actions')}, cursor, user_id, managed, failures,
        ${whether(sql`(${isLeased}) or ${hasJob}`)} as busy, ${whether(free)} as free, ${whether(isDue)} as due
      from ${webhooks} where disabled = false
      order by case when lane_until is null then 0 else 1 end, lane_until, id`,
  );

  return {
    /**
     * Takes the lease of a webhook for `leaseMs` milliseconds; undefined if another process holds it, or the webhook is
     * disabled or deleted.
     */
    take: async (id: number, lease: string, leaseMs: number): Promise<LeasedWebhook | undefined> => {
      const [row] = await database.execute<TakenRow>(take({ id, lease, leaseMs }));
      return row === undefined
        ? undefined
        : {
            id: Number(row.id),
            lease,
            url: row.url,
            models: JSON.parse(row.models),
            actions: JSON.parse(row.actions),
            userId: row.user_id === null ? null : Number(row.user_id),
            managed: Boolean(row.managed),
            secret: row.secret,
            previousSecret: row.previous_secret,
            previousUntil: row.previous_until,
            failures: Number(row.failures),
          };
    },

    /**
     * Extends the lease, and the claims of deliveries that are being sent, to `leaseMs` milliseconds from now. Returns
     * false if the lease was lost or the webhook disabled.
     */
    extend: ({ id, lease }: LeasedWebhook, leaseMs: number): Promise<boolean> =>
      database.write(async (transaction) => {
        const extended = await transaction.all(extend({ id, lease, leaseMs }));
        await transaction.run(extendDeliveries({ id, lease, leaseMs }));
        return extended.length > 0;
      }),

    /** Releases the lease; no process can take it for `restMs` milliseconds. */
    release: async ({ id, lease }: LeasedWebhook, restMs: number): Promise<void> => {
      await database.execute(release({ id, lease, restMs }));
    },

    /** Enabled webhooks, the one first whose last turn ended longest ago. */
    enabled: async (): Promise<readonly EnabledWebhook[]> => {
      const rows = await database.all<EnabledRow>(enabled({}));
      return rows.map(
        ({ id, models, actions, cursor, user_id: user, managed, failures, busy, free, due }) => ({
          id: Number(id),
          models: JSON.parse(models),
          actions: JSON.parse(actions),
          cursor: Number(cursor),
          owner: managed && user !== null ? Number(user) : undefined,
          failing: Number(failures) > 0,
          busy: Number(busy) === 1,
          free: Number(free) === 1 && Number(busy) === 0,
          due: Number(due) === 1,
        }),
      );
    },
  };
};

export type WebhookLeases = ReturnType<typeof createWebhookLeases>;
