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

/** The result of storing an outcome. */
export interface Settlement {
  readonly isStored: boolean;
  /** Whether the next delivery of the record got its time. */
  readonly nextIsDue: boolean;
}

export const notSettled: Settlement = { isStored: false, nextIsDue: false };

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
  ): Promise<Settlement> => {
    const at = clock();
    const update = db
      .updateTable('gatewright_deliveries')
      .set({ ...outcomeColumns(outcome, toTimestamp(at)), claim: null })
      .$if(outcome.state === 'waiting', (query) =>
        query.set({ next_at: later(outcome.state === 'waiting' ? outcome.delay : 0) }),
      )
      .where((eb) => eb.and(ofClaim(delivery)));
    const { model, record } = delivery;
    const waits = kysely<number>`case when exists (select 1 from ${table} o where o.webhook_id = ${webhook.id}
      and o.model = ${model} and o.record_id = ${record} and o.state = 'waiting'
      and o.id <> ${delivery.id}) then 1 else 0 end`;
    const returning = update.returning(waits.as('waits'));
    const [row] = await transaction.all<{ waits: number }>(toQuery(returning));
    if (row === undefined) return notSettled;
    await countFailures(transaction, webhook, { delivery, outcome });
    const nextIsDue = outcome.state !== 'waiting' && Number(row.waits) === 1;
    if (nextIsDue) await transaction.run(promote({ webhook: webhook.id, model, record }));
    if (outcome.state === 'failed') {
      await disableWebhook(transaction, database, at, webhook, outcome.disable);
      webhook.disabled = true;
    }
    return { isStored: true, nextIsDue };
  };

  return {
    /**
     * Stores the outcomes of attempts for one webhook in one transaction. None is stored of a delivery that another sender
     * has claimed meanwhile, or of a deleted webhook.
     */
    settle: (id: number, ended: readonly SettledAttempt[]): Promise<readonly Settlement[]> =>
      database.write(async (transaction) => {
        const webhook = await transaction.get<LockedWebhook>(lock({ id }));
        if (webhook === undefined) return ended.map(() => notSettled);
        const held = { ...webhook };
        const settlements: Settlement[] = [];
        for (const each of ended) settlements.push(await settleOne(transaction, held, each));
        return settlements;
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
  /** Whether others of them may be due. */
  readonly hasMore: boolean;
}

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
  const now = kysely<string>`${dialect.now}`;
  const later = (milliseconds: number) => kysely<string>`${dialect.later(kysely`${milliseconds}`)}`;

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
        and state = 'waiting' and next_at is null and not exists (
          select 1 from ${table} o where o.webhook_id = ${identifier('gatewright_deliveries', 'webhook_id')}
            and o.model = ${identifier('gatewright_deliveries', 'model')}
            and o.record_id = ${identifier('gatewright_deliveries', 'record_id')}
            and o.state = 'waiting' and o.id < ${identifier('gatewright_deliveries', 'id')})`,
  );
  const waiting = statement<{ webhook: number }>(
    dialect,
    (value) => sql`select ${countWaiting(value('webhook'))} as waiting`,
  );

  /** Moves the cursor of a webhook that has this place and subscription; the row is locked by it. */
  const moveCursor = statement<CursorMove>(
    dialect,
    (value) => sql`update ${identifier('gatewright_webhooks')} set cursor = ${value('to')}
      where id = ${value('id')} and cursor = ${value('from')} and disabled = false
        and cast(models as text) = ${value('models')} and cast(actions as text) = ${value('actions')}
        and (${value('lease')} = '' or lane = ${value('lease')})
      returning id`,
  );
  const move = ({ id, subscription }: SubscribedWebhook, from: number, to: number, lease = '') =>
    moveCursor({ id, from, to, ...subscription, lease });

  /** Values of a delivery that is claimed as it is inserted, unless an older one of its record waits. */
  const claimedValues = (
    webhook: number,
    { model, record }: RecordedEvent,
    lease: string,
    leaseMs: number,
  ) => {
    const isFirst = kysely<boolean>`not exists (select 1 from ${table} where webhook_id = ${webhook}
      and model = ${model} and record_id = ${record} and state = 'waiting')`;
    return {
      attempts: kysely<number>`case when ${isFirst} then 1 else 0 end`,
      claim: kysely<string | null>`case when ${isFirst} then cast(${lease} as text) end`,
      attempted_at: kysely<string | null>`case when ${isFirst} then ${now} end`,
      next_at: kysely<string | null>`case when ${isFirst} then ${later(leaseMs)} end`,
    };
  };
  const unclaimedValues = { attempts: 0, claim: null, attempted_at: null, next_at: null };

  const addRows = async (
    transaction: Transaction,
    { id: webhook, lease }: LeasedWebhook,
    events: readonly RecordedEvent[],
    { room, leaseMs, messageId }: ClaimOptions,
  ): Promise<AddedDeliveries> => {
    if (events.length === 0) return { claimed: [], hasMore: false };
    const created = toTimestamp(clock());
    const records = new Set<string>();
    const deliveries = events.map((event) => {
      const { model, record } = event;
      const isClaimable = records.size < room && !records.has(`${model} ${record}`);
      records.add(`${model} ${record}`);
      return { event, message: messageId(), isClaimable };
    });
    const insert = db
      .insertInto('gatewright_deliveries')
      .values(
        deliveries.map(({ event, message, isClaimable }) => ({
          webhook_id: webhook,
          event: event.number,
          model: event.model,
          record_id: event.record,
          action: event.action,
          version: event.version,
          message_id: message,
          state: 'waiting' as const,
          created_at: created,
          ...(isClaimable ? claimedValues(webhook, event, lease, leaseMs) : unclaimedValues),
        })),
      )
      .returning(['id', 'event', 'claim']);
    const rows = await transaction.all<{ id: number; event: number; claim: string | null }>(toQuery(insert));
    const ids = rows.map(({ id }) => Number(id));
    const hasMore = records.size > room;
    if (hasMore)
      await transaction.run(promoteAdded({ webhook, first: Math.min(...ids), last: Math.max(...ids) }));
    const claims = new Map(rows.filter(({ claim }) => claim !== null).map((row) => [Number(row.event), row]));
    const claimed = deliveries.flatMap(({ event, message }): ClaimedDelivery[] => {
      const row = claims.get(event.number);
      if (row === undefined) return [];
      const { number, model, record } = event;
      return [
        { id: Number(row.id), webhook, claim: lease, event: number, model, record, message, attempts: 1 },
      ];
    });
    return { claimed, hasMore };
  };

  return {
    ...createDeliverySettlement({ database, clock }),

    /** Whether a webhook has as many waiting deliveries as it may have. */
    isFull: async (webhook: number): Promise<boolean> => {
      const row = await database.get<{ waiting: number }>(waiting({ webhook }));
      return Number(row?.waiting ?? 0) >= maxWaitingDeliveries;
    },

    /**
     * Moves the cursor of a webhook past events that were read, to none of which it subscribes; does nothing if it was moved
     * or the webhook changed meanwhile.
     */
    skip: async (webhook: SubscribedWebhook, from: number, to: number): Promise<void> => {
      await database.execute(move(webhook, from, to));
    },

    /**
     * Moves the cursor of a webhook past events that were read, and adds deliveries for those that it gets. Up to `room`
     * of them are claimed at once, one for each record that has no older one. Writes nothing and returns undefined if the
     * cursor was moved meanwhile, the webhook was deleted or disabled, its lease was lost, or it no longer has the
     * subscription by which the events were chosen.
     */
    add: (
      webhook: LeasedWebhook,
      from: number,
      to: number,
      events: readonly RecordedEvent[],
      options: ClaimOptions,
    ): Promise<AddedDeliveries | undefined> =>
      database.write(async (transaction) => {
        const [moved] = await transaction.all(move(webhook, from, to, webhook.lease));
        return moved === undefined ? undefined : addRows(transaction, webhook, events, options);
      }),

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
export interface LeasedWebhook extends SubscribedWebhook {
  /** Identifies the holder. */
  readonly lease: string;
  readonly url: string;
  /** Number of the last event that was read for it. */
  readonly cursor: number;
  /** Number of waiting deliveries, counted up to the maximum. */
  readonly waiting: number;
  /** Whether a delivery is due. */
  readonly due: boolean;
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
export interface EnabledWebhook extends SubscribedWebhook {
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

const webhooks = identifier('gatewright_webhooks');

const subscribed = (row: { readonly models: string; readonly actions: string }) => ({
  models: JSON.parse(row.models) as string[],
  actions: JSON.parse(row.actions) as string[],
  subscription: { models: row.models, actions: row.actions },
});

export const createWebhookLeases = (database: Database) => {
  const { dialect } = database;
  const { now } = dialect;
  const time = (of: string) => timeText(dialect, identifier(of));
  const text = (of: string) => sql`cast(${identifier(of)} as text) as ${identifier(of)}`;
  const free = sql`disabled = false and (lane_until is null or lane_until <= ${now})`;
  const isDue = (webhook: Fragment) => sql`exists (select 1 from ${table}
    where webhook_id = ${webhook} and next_at is not null and next_at <= ${now})`;
  const flag = (condition: Fragment) => sql`case when ${condition} then 1 else 0 end`;

  const take = statement<{ id: number; lease: string; leaseMs: number }>(
    dialect,
    (
      value,
    ) => sql`update ${webhooks} set lane = ${value('lease')}, lane_until = ${dialect.later(value('leaseMs'))}
      where id = ${value('id')} and ${free}
      returning id, url, ${text('models')}, ${text('actions')}, cursor, user_id, managed, secret, previous_secret,
        ${time('previous_until')} as previous_until, failures, ${flag(isDue(value('id')))} as due,
        ${countWaiting(value('id'))} as waiting`,
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
      where id = ${value('id')} and lane = ${value('lease')} returning ${flag(isDue(value('id')))} as due`,
  );
  const ofWebhook = identifier('gatewright_webhooks', 'id');
  const isLeased = sql`lane is not null and lane_until > ${now}`;
  const hasJob = sql`exists (select 1 from ${identifier('gatewright_jobs')} j
    where j.name = ${literal(sendingJob)} and j.key = cast(${ofWebhook} as text) and j.state = 'waiting')`;
  const enabled = statement(
    dialect,
    () => sql`select id, ${text('models')}, ${text('actions')}, cursor, user_id, managed, failures,
        ${flag(sql`(${isLeased}) or ${hasJob}`)} as busy, ${flag(free)} as free, ${flag(isDue(ofWebhook))} as due
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

    /**
     * Releases the lease; no process can take it for `restMs` milliseconds. Returns whether a delivery is due, false if the
     * lease was lost.
     */
    release: async ({ id, lease }: LeasedWebhook, restMs: number): Promise<boolean> => {
      const [row] = await database.execute<{ due: number }>(release({ id, lease, restMs }));
      return Number(row?.due) === 1;
    },

    /** Enabled webhooks, the one first whose last turn ended longest ago. */
    enabled: async (): Promise<readonly EnabledWebhook[]> => {
      const rows = await database.all<EnabledRow>(enabled({}));
      return rows.map(
        ({ id, models, actions, cursor, user_id: user, managed, failures, busy, free, due }) => ({
          id: Number(id),
          ...subscribed({ models, actions }),
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
