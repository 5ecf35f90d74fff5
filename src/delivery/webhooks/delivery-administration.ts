/** Commands on deliveries, and their removal when they are no longer needed. */

import { sql as kysely } from 'kysely';
import type { Database, Transaction } from '../../database/database.ts';
import { recordNumber } from '../../database/record-column.ts';
import { sql, statement, tableName, toQuery } from '../../database/statement.ts';
import { tablesOf } from '../../database/tables-of.ts';
import type { RecordId } from '../../fields/key.ts';
import { defaultKey } from '../../fields/keys.ts';
import { toTimestamp } from '../../kernel/clock.ts';
import { Problem } from '../../kernel/problem.ts';
import { defineEntityCommand } from '../../ledger/command.ts';
import type { Change, TableContext } from '../../ledger/context.ts';
import { lockWebhook, webhookAudit } from './store.ts';

/**
 * Days for which deliveries are kept.
 * @limit Events, webhooks and jobs | deliveries are kept for | days | -
 */
export const deliveryDays = 30;

/** Number of deliveries that one statement removes, so that no write waits long for it. */
const step = 1_000;

const table = tableName('gatewright_deliveries');

interface DeliveryRow {
  readonly event: number;
  readonly model: string;
  readonly record_id: number;
  readonly state: string;
  readonly next_at: string | null;
  readonly claim: string | null;
}

/**
 * Removes the stored requests and responses about a record, for `gatewright forget`. Returns the number of
 * deliveries.
 */
export const forgetDelivered = (
  transaction: Transaction,
  database: Pick<Database, 'dialect'>,
  model: string,
  record: RecordId,
): Promise<number> =>
  transaction.run(
    toQuery(
      tablesOf(database)
        .updateTable('gatewright_deliveries')
        .set({ request_body: null, response_headers: null, response_body: null })
        .where('model', '=', model)
        .where('record_id', '=', recordNumber(record))
        .where((eb) =>
          eb.or([
            eb('request_body', 'is not', null),
            // A receiver may return what it received, also in headers.
            eb('response_headers', 'is not', null),
            eb('response_body', 'is not', null),
          ]),
        ),
    ),
  );

/** Takes the time from other waiting deliveries of the record; returns false if one is being sent. */
const makeRoom = async (
  { transaction, tables, dialect }: Change,
  webhook: number,
  row: DeliveryRow,
): Promise<boolean> => {
  const now = kysely<string>`${dialect.now}`;
  const others = () =>
    tables
      .selectFrom('gatewright_deliveries')
      .select('id')
      .where('webhook_id', '=', webhook)
      .where('model', '=', row.model)
      .where('record_id', '=', row.record_id)
      .where('state', '=', 'waiting')
      .where('next_at', 'is not', null);
  const sent = others().where('claim', 'is not', null).where('next_at', '>', now);
  if ((await transaction.get(toQuery(sent))) !== undefined) return false;
  const update = tables
    .updateTable('gatewright_deliveries')
    .set({ next_at: null, claim: null })
    .where('id', 'in', others());
  await transaction.run(toQuery(update));
  return true;
};

/**
 * Command that sends a delivery again. A waiting one is sent now; those behind it keep waiting.
 * @param look sends due deliveries
 */
export const resendDelivery = (look: () => Promise<void>, operation = 'resendDelivery') =>
  defineEntityCommand({
    verb: 'resend',
    path: '/:id/deliveries/:delivery/resend',
    operation,
    summary: { 'zh-CN': '重新发送', en: 'Send a delivery again' },
    description: {
      'zh-CN': '以相同的 `webhook-id` 发送，尝试次数重新计算。',
      en: 'With the same `webhook-id`; the attempts are counted from the start.',
    },
    problems: ['record_not_found', 'conflict'],
    run: async (call) => {
      const { transaction, tables, dialect, id: webhook, params } = call;
      const id = defaultKey.parse(params['delivery'] ?? '');
      if (id === undefined) throw new Problem('record_not_found');
      const held = await lockWebhook(call, webhook, call.grant);
      const now = kysely<string>`${dialect.now}`;
      const query = tables
        .selectFrom('gatewright_deliveries')
        .select(['event', 'model', 'record_id', 'state', 'claim'])
        .select((eb) => eb.case().when('next_at', '>', now).then('later').end().as('next_at'))
        .where('id', '=', id)
        .where('webhook_id', '=', webhook);
      const row = await transaction.get<DeliveryRow>(toQuery(query));
      if (row === undefined) throw new Problem('record_not_found');
      if (row.claim !== null && row.next_at !== null) throw new Problem('conflict');
      const isFirst = await makeRoom(call, webhook, row);
      const update = tables
        .updateTable('gatewright_deliveries')
        .set({ state: 'waiting', attempts: 0, claim: null, ended_at: null, next_at: isFirst ? now : null })
        .where('id', '=', id);
      await transaction.run(toQuery(update));
      return { audit: webhookAudit('resend', held, { delivery: id, event: Number(row.event) }) };
    },
    after: look,
  });

/**
 * Command that ends the pause of a failing webhook, and sends its oldest waiting delivery at once.
 * @param look sends due deliveries
 */
export const tryWebhook = (look: () => Promise<void>, operation: string) =>
  defineEntityCommand({
    verb: 'try',
    operation,
    summary: { 'zh-CN': '立即重试', en: 'Try a webhook at once' },
    description: {
      'zh-CN': '结束失败后的暂停，并立即发送最早等待的一条。已停用的 Webhook 返回 409。',
      en: 'Ends the pause after failures and sends the oldest waiting delivery at once. 409 for a disabled webhook.',
    },
    problems: ['record_not_found', 'conflict'],
    run: async (call) => {
      const { transaction, tables, dialect, id: webhook } = call;
      const held = await lockWebhook(call, webhook, call.grant);
      if (held.disabled) throw new Problem('conflict');
      // A process that sends keeps its lease: it sends what is due in the same turn.
      const pause = tables
        .updateTable('gatewright_webhooks')
        .set({ lane_until: null })
        .where('id', '=', webhook)
        .where('lane', 'is', null);
      await transaction.run(toQuery(pause));
      const oldest = tables
        .selectFrom('gatewright_deliveries')
        .select(['id', 'event'])
        .where('webhook_id', '=', webhook)
        .where('state', '=', 'waiting')
        .where('next_at', 'is not', null)
        .where('claim', 'is', null)
        .orderBy('id')
        .limit(1);
      const found = await transaction.get<{ id: number; event: number }>(toQuery(oldest));
      if (found === undefined) return { audit: webhookAudit('try', held) };
      const [id, event] = [Number(found.id), Number(found.event)];
      const due = tables
        .updateTable('gatewright_deliveries')
        .set({ next_at: kysely<string>`${dialect.now}` })
        .where('id', '=', id);
      await transaction.run(toQuery(due));
      return { audit: webhookAudit('try', held, { delivery: id, event }) };
    },
    after: look,
  });

/** Removal of deliveries that are no longer needed. */
export const createDeliveryAdministration = ({ database, clock }: TableContext) => {
  const { dialect } = database;
  const removeOf = statement<{ webhook: number; limit: number }>(
    dialect,
    (value) => sql`delete from ${table} where id in (select id from ${table}
      where webhook_id = ${value('webhook')} order by id limit ${dialect.rows(value('limit'))}) returning id`,
  );
  const removeOld = statement<{ before: string; limit: number }>(
    dialect,
    (value) => sql`delete from ${table} where id in (select id from ${table}
      where created_at < ${dialect.cast(value('before'), 'timestamp')} and state <> 'waiting'
      order by created_at limit ${dialect.rows(value('limit'))}) returning id`,
  );

  const removing = async (query: Parameters<Database['execute']>[0], pause: () => Promise<void>) => {
    for (let removed = 0; ; await pause()) {
      const rows = await database.execute(query);
      removed += rows.length;
      if (rows.length < step) return removed;
    }
  };

  return {
    /** Removes the deliveries of a deleted webhook, in steps. Returns their number. */
    removeOf: (webhook: number, pause: () => Promise<void>): Promise<number> =>
      removing(removeOf({ webhook, limit: step }), pause),

    /**
     * Removes finished deliveries that are older than 30 days, in steps. Waiting ones stay until they are sent.
     * Returns their number.
     */
    removeOld: (pause: () => Promise<void>, now = clock()): Promise<number> => {
      const before = toTimestamp(now - deliveryDays * 86_400_000);
      return removing(removeOld({ before, limit: step }), pause);
    },
  };
};

export type DeliveryAdministration = ReturnType<typeof createDeliveryAdministration>;
