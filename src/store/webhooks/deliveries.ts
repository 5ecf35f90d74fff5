import { type Kysely, sql as kysely } from 'kysely';
import { toTimestamp } from '../../kernel/timestamp.ts';
import type { Database, Transaction } from '../database.ts';
import { dialectOf } from '../dialects/registry.ts';
import type { RecordedEvent } from '../events/event-log.ts';
import type { CoreSchema } from '../schema.ts';
import { literal, name, sql, statement, toQuery } from '../statement.ts';
import { auditQuery } from '../tables/audit.ts';
import type { TableContext } from '../tables/context.ts';
import { tablesOf } from '../tables/tables-of.ts';
import { type DisabledReason, type LockedWebhook, lockWebhook, urlInAudit } from './webhooks.ts';

/**
 * What is to be sent to webhooks, and was. Of each record only the first delivery that waits has a time from which on it
 * may be sent: the next one gets it in the transaction that ends the one before. Whoever adds deliveries and whoever ends
 * one holds the webhook's row meanwhile, so that none is left without.
 */

/** A delivery that somebody sends: until its time is over it is nobody else's. */
export interface ClaimedDelivery {
  readonly id: number;
  readonly webhook: number;
  readonly claim: string;
  /** Number of the event. */
  readonly event: number;
  readonly model: string;
  readonly record: number;
  readonly message: string;
  /** Attempts that were begun, this one included. */
  readonly attempts: number;
}

/** What is kept of an attempt. */
export interface KeptAttempt {
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly requestBody: string;
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly body: string | undefined;
  readonly duration: number;
  readonly error: string | undefined;
}

export type DeliveryOutcome =
  | { readonly state: 'delivered'; readonly attempt: KeptAttempt }
  /** Nothing is sent, and nothing kept but why. */
  | { readonly state: 'skipped'; readonly error: string }
  /** It has failed for good, and the webhook is disabled. */
  | { readonly state: 'failed'; readonly attempt: KeptAttempt; readonly disable: DisabledReason }
  /** It has failed, and is sent again in so many milliseconds. */
  | { readonly state: 'waiting'; readonly attempt: KeptAttempt; readonly delay: number };

interface ClaimedRow {
  readonly id: number;
  readonly event: number;
  readonly model: string;
  readonly record_id: number;
  readonly message_id: string;
  readonly attempts: number;
}

/** Characters of a body that was sent, as far as it is kept. */
const keptBody = 16_384;

const table = name('gatewright_deliveries');

const attemptColumns = (attempt: KeptAttempt) => ({
  request_headers: JSON.stringify(attempt.requestHeaders),
  request_body: attempt.requestBody.slice(0, keptBody).toWellFormed(),
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

/** Disables a webhook, with a line of the audit list. */
export const disableWebhook = async (
  transaction: Transaction,
  db: Kysely<CoreSchema>,
  { dialect }: Pick<Database, 'dialect'>,
  now: number,
  webhook: Pick<LockedWebhook, 'id' | 'url' | 'disabled'>,
  reason: DisabledReason,
): Promise<void> => {
  if (webhook.disabled) return;
  const at = toTimestamp(now);
  const update = db
    .updateTable('gatewright_webhooks')
    .set({ disabled: true, disabled_reason: reason, disabled_at: at, updated_at: at })
    .where('id', '=', webhook.id);
  await transaction.run(toQuery(update));
  const actor = { actor_kind: 'service', actor_id: null, actor_name: null, address: null };
  await transaction.run(
    auditQuery(dialect, now, actor, {
      action: 'webhook.disable',
      target: { kind: 'webhook', id: webhook.id, name: urlInAudit(webhook.url) },
      detail: { reason },
    }),
  );
};

export const createDeliveries = ({ database, clock }: TableContext) => {
  const dialect = dialectOf(database);
  const db = tablesOf(database);
  const lock = lockWebhook(database);
  const now = kysely<string>`${dialect.now}`;
  const later = (milliseconds: number) => kysely<string>`${dialect.later(kysely`${milliseconds}`)}`;

  const claim = (picked: ReturnType<typeof sql>, order: ReturnType<typeof sql>) =>
    statement<{ webhook: number; claim: string; count: number; length: number }>(
      dialect,
      (value) => sql`with taken as materialized (
          select id from ${table} where webhook_id = ${value('webhook')} and ${picked}
            and next_at is not null and next_at <= ${dialect.now} and exists (
              select 1 from ${name('gatewright_webhooks')} w where w.id = ${value('webhook')}
                and w.lane = ${value('claim')} and w.disabled = false)
          order by ${order} limit ${dialect.rows(value('count'))} ${dialect.takingFree}
        ) update ${table} set attempts = attempts + 1, claim = ${value('claim')},
          attempted_at = ${dialect.now}, next_at = ${dialect.later(value('length'))}
        where id in (select id from taken) returning id, event, model, record_id, message_id, attempts`,
    );
  const claimDue = claim(sql`1 = 1`, sql`next_at, id`);
  const claimOldest = claim(sql`state = 'waiting'`, sql`id`);

  /** Gives the first delivery of a record that waits its time, where it has none. */
  const promote = statement<{ webhook: number; model: string; record: number }>(
    dialect,
    (value) => sql`update ${table} set next_at = ${dialect.now} where next_at is null and id = (
        select id from ${table} where webhook_id = ${value('webhook')} and model = ${value('model')}
          and record_id = ${value('record')} and state = 'waiting' order by id limit 1)`,
  );
  const promoteAdded = statement<{ webhook: number; first: number; last: number }>(
    dialect,
    (value) => sql`update ${table} set next_at = ${dialect.now}
      where id >= ${value('first')} and id <= ${value('last')} and webhook_id = ${value('webhook')}
        and state = 'waiting' and not exists (
          select 1 from ${table} o where o.webhook_id = ${name('gatewright_deliveries', 'webhook_id')}
            and o.model = ${name('gatewright_deliveries', 'model')}
            and o.record_id = ${name('gatewright_deliveries', 'record_id')}
            and o.state = 'waiting' and o.id < ${name('gatewright_deliveries', 'id')})`,
  );
  const count = (most: number) =>
    statement<{ webhook: number }>(
      dialect,
      (value) => sql`select count(*) as waiting from (select 1 from ${table}
        where webhook_id = ${value('webhook')} and state = 'waiting' limit ${literal(most)}) c`,
    );

  const ofClaim = ({ id, claim: token, attempts }: ClaimedDelivery) => ({ id, claim: token, attempts });

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
    const [first, last] = [Math.min(...ids), Math.max(...ids)];
    await transaction.run(promoteAdded({ webhook, first, last }));
  };

  /** Counts attempts that fail one after the other. */
  const countFailures = async (
    transaction: Transaction,
    webhook: LockedWebhook,
    { state }: DeliveryOutcome,
  ): Promise<void> => {
    if (state === 'skipped') return;
    const update = db.updateTable('gatewright_webhooks').where('id', '=', webhook.id);
    const set =
      state === 'delivered'
        ? update.set({ failures: 0 }).where('failures', '>', 0)
        : update.set((eb) => ({ failures: eb('failures', '+', 1) }));
    await transaction.run(toQuery(set));
  };

  return {
    /** How many wait, up to `most`. */
    waiting: async (webhook: number, most: number): Promise<number> => {
      const row = await database.get<{ waiting: number }>(count(most)({ webhook }));
      return Number(row?.waiting ?? 0);
    },

    /**
     * Moves the cursor of a webhook over events that were looked at, and adds deliveries for those that concern it.
     * False where somebody else has moved it, or it is gone or disabled: nothing is written.
     */
    add: (
      webhook: number,
      from: number,
      to: number,
      events: readonly RecordedEvent[],
      messageId: () => string,
    ): Promise<boolean> =>
      database.write(async (transaction) => {
        const row = await transaction.get<LockedWebhook>(lock({ id: webhook }));
        if (row === undefined || row.disabled || Number(row.cursor) !== from) return false;
        await addRows(transaction, webhook, events, messageId);
        const update = db.updateTable('gatewright_webhooks').set({ cursor: to }).where('id', '=', webhook);
        await transaction.run(toQuery(update));
        return true;
      }),

    /** Number of the last event that was looked at; undefined where the webhook is gone. */
    cursor: async (webhook: number): Promise<number | undefined> => {
      const query = db.selectFrom('gatewright_webhooks').select('cursor').where('id', '=', webhook);
      const row = await database.get<{ cursor: number }>(toQuery(query));
      return row && Number(row.cursor);
    },

    /**
     * Takes up to so many deliveries that are due, for `length` milliseconds each; none where `token` does not name the
     * lane of the webhook any more. `oldest`: those that came first, rather than those that were due first.
     */
    claim: async (
      webhook: number,
      token: string,
      limit: number,
      length: number,
      oldest: boolean,
    ): Promise<readonly ClaimedDelivery[]> => {
      const query = (oldest ? claimOldest : claimDue)({ webhook, claim: token, count: limit, length });
      const rows = await database.execute<ClaimedRow>(query);
      return rows.map((row) => ({
        id: Number(row.id),
        webhook,
        claim: token,
        event: Number(row.event),
        model: row.model,
        record: Number(row.record_id),
        message: row.message_id,
        attempts: Number(row.attempts),
      }));
    },

    /** Stores what became of an attempt. False where it was taken over meanwhile, or its webhook is gone. */
    settle: (delivery: ClaimedDelivery, outcome: DeliveryOutcome): Promise<boolean> =>
      database.write(async (transaction) => {
        const { webhook: id, model, record } = delivery;
        const webhook = await transaction.get<LockedWebhook>(lock({ id }));
        if (webhook === undefined) return false;
        const at = clock();
        const update = db
          .updateTable('gatewright_deliveries')
          .set({ ...outcomeColumns(outcome, toTimestamp(at)), claim: null })
          .$if(outcome.state === 'waiting', (query) =>
            query.set({ next_at: later(outcome.state === 'waiting' ? outcome.delay : 0) }),
          )
          .where((eb) => eb.and(ofClaim(delivery)));
        if ((await transaction.run(toQuery(update))) === 0) return false;
        await countFailures(transaction, webhook, outcome);
        if (outcome.state !== 'waiting') await transaction.run(promote({ webhook: id, model, record }));
        if (outcome.state === 'failed')
          await disableWebhook(transaction, db, database, at, webhook, outcome.disable);
        return true;
      }),

    /** Gives a delivery back whose attempt did not come to its end here, and does not count. */
    release: async (delivery: ClaimedDelivery): Promise<void> => {
      const update = db
        .updateTable('gatewright_deliveries')
        .set({ claim: null, next_at: now, attempts: delivery.attempts - 1 })
        .where((eb) => eb.and(ofClaim(delivery)));
      await database.execute(toQuery(update));
    },

    /** Disables a webhook for which nothing can be sent; false where it is already. */
    disable: (id: number, reason: DisabledReason): Promise<boolean> =>
      database.write(async (transaction) => {
        const webhook = await transaction.get<LockedWebhook>(lock({ id }));
        if (webhook === undefined || webhook.disabled) return false;
        await disableWebhook(transaction, db, database, clock(), webhook, reason);
        return true;
      }),
  };
};

export type Deliveries = ReturnType<typeof createDeliveries>;
