import { sql as kysely } from 'kysely';
import type { Transaction } from '../../database/database.ts';
import { dialectOf } from '../../database/registry.ts';
import { identifier, literal, sql, statement, toQuery } from '../../database/statement.ts';
import { tablesOf } from '../../database/tables-of.ts';
import { toTimestamp } from '../../kernel/clock.ts';
import type { TableContext } from '../context.ts';
import type { RecordedEvent } from '../events/event-log.ts';
import { type ClaimedDelivery, createDeliverySettlement, ofClaim } from './settlement.ts';
import { type LockedWebhook, lockWebhook } from './webhooks.ts';

/**
 * Deliveries to webhooks, sent and to be sent. Of each record only the first delivery that waits has a time from which
 * on it may be sent: the next one gets it in the transaction that ends the one before. A transaction that adds
 * deliveries or ends one holds the webhook's row meanwhile, so that none is left without.
 */

interface ClaimedRow {
  readonly id: number;
  readonly event: number;
  readonly model: string;
  readonly record_id: number;
  readonly message_id: string;
  readonly attempts: number;
}

const table = identifier('gatewright_deliveries');

export const createDeliveries = ({ database, clock }: TableContext) => {
  const dialect = dialectOf(database);
  const db = tablesOf(database);
  const lock = lockWebhook(database);
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

    /** Gives a delivery back whose attempt did not come to its end here, and does not count. */
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
