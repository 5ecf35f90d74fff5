import { sql as kysely } from 'kysely';
import type { Database, Transaction } from '../../database/database.ts';
import { dialectOf } from '../../database/registry.ts';
import { identifier, sql, statement, toQuery } from '../../database/statement.ts';
import { tablesOf } from '../../database/tables-of.ts';
import { Problem } from '../../kernel/problem.ts';
import { toTimestamp } from '../../kernel/timestamp.ts';
import type { Actor } from '../audit/audit.ts';
import { createCommands } from '../command.ts';
import type { TableContext } from '../context.ts';
import { type LockedWebhook, lockWebhook, webhookAudit } from './webhooks.ts';

/** Days for which deliveries are kept. */
export const deliveryDays = 30;

/** Deliveries that one statement removes: no write waits long for it. */
const step = 1_000;

const table = identifier('gatewright_deliveries');

interface DeliveryRow {
  readonly event: number;
  readonly model: string;
  readonly record_id: number;
  readonly state: string;
  readonly next_at: string | null;
  readonly claim: string | null;
}

/** Removes what is kept of a record that was sent, for `gatewright forget`; returns from how many deliveries. */
export const forgetDelivered = (
  transaction: Transaction,
  database: Pick<Database, 'dialect'>,
  model: string,
  record: number,
): Promise<number> =>
  transaction.run(
    toQuery(
      tablesOf(database)
        .updateTable('gatewright_deliveries')
        .set({ request_body: null, response_headers: null, response_body: null })
        .where('model', '=', model)
        .where('record_id', '=', record)
        .where((eb) =>
          eb.or([
            eb('request_body', 'is not', null),
            // A receiver may send back what it was sent, in headers as well.
            eb('response_headers', 'is not', null),
            eb('response_body', 'is not', null),
          ]),
        ),
    ),
  );

/** Repeats deliveries for administrators, and removes old ones. */
export const createDeliveryAdministration = ({ database, clock }: TableContext) => {
  const dialect = dialectOf(database);
  const db = tablesOf(database);
  const lock = lockWebhook(database);
  const now = kysely<string>`${dialect.now}`;
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

  /**
   * Another delivery of the record that waits for its time or its next attempt makes room; one that is sent does not.
   */
  const makeRoom = async (transaction: Transaction, webhook: number, row: DeliveryRow): Promise<boolean> => {
    const others = () =>
      db
        .selectFrom('gatewright_deliveries')
        .select('id')
        .where('webhook_id', '=', webhook)
        .where('model', '=', row.model)
        .where('record_id', '=', row.record_id)
        .where('state', '=', 'waiting')
        .where('next_at', 'is not', null);
    const sent = others().where('claim', 'is not', null).where('next_at', '>', now);
    if ((await transaction.get(toQuery(sent))) !== undefined) return false;
    const update = db
      .updateTable('gatewright_deliveries')
      .set({ next_at: null, claim: null })
      .where('id', 'in', others());
    await transaction.run(toQuery(update));
    return true;
  };

  return {
    /**
     * Has a delivery sent again under its id, with all its attempts; what waits behind it waits on. One that waits is
     * sent now.
     * @throws Problem `record_not_found`; `conflict` where it is sent at this moment
     */
    resend: (webhook: number, id: number, actor: Actor): Promise<void> =>
      createCommands({ database, clock })(actor, async (transaction) => {
        const held = await transaction.get<LockedWebhook>(lock({ id: webhook }));
        if (held === undefined) throw new Problem('record_not_found');
        const query = db
          .selectFrom('gatewright_deliveries')
          .select(['event', 'model', 'record_id', 'state', 'claim'])
          .select((eb) => eb.case().when('next_at', '>', now).then('later').end().as('next_at'))
          .where('id', '=', id)
          .where('webhook_id', '=', webhook);
        const row = await transaction.get<DeliveryRow>(toQuery(query));
        if (row === undefined) throw new Problem('record_not_found');
        if (row.claim !== null && row.next_at !== null) throw new Problem('conflict');
        const first = await makeRoom(transaction, webhook, row);
        const update = db
          .updateTable('gatewright_deliveries')
          .set({ state: 'waiting', attempts: 0, claim: null, ended_at: null, next_at: first ? now : null })
          .where('id', '=', id);
        await transaction.run(toQuery(update));
        const detail = { delivery: id, event: Number(row.event) };
        return { audit: webhookAudit('resend', held, detail), answer: undefined };
      }),

    /** Removes what a webhook had that is gone, some at a time. */
    removeOf: (webhook: number, pause: () => Promise<void>): Promise<number> =>
      removing(removeOf({ webhook, limit: step }), pause),

    /**
     * Removes deliveries that have ended and are older than 30 days, some at a time. Those that wait stay until they
     * are sent.
     */
    removeOld: (pause: () => Promise<void>, now = clock()): Promise<number> => {
      const before = toTimestamp(now - deliveryDays * 86_400_000);
      return removing(removeOld({ before, limit: step }), pause);
    },
  };
};

export type DeliveryAdministration = ReturnType<typeof createDeliveryAdministration>;
