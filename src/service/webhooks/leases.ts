import type { Database } from '../../database/database.ts';
import { dialectOf } from '../../database/registry.ts';
import { timeText } from '../../database/source.ts';
import { identifier, sql, statement } from '../../database/statement.ts';

/**
 * Leases of webhooks. One instance at a time sends to a webhook, so that a slow receiver delays no other; a lease expires, so
 * that another instance soon takes over the webhook of a process that has ended.
 */

/** A webhook whose lease an instance holds; the columns `lane` and `lane_until` keep it. */
export interface LeasedWebhook {
  readonly id: number;
  /** The holder of the lease. */
  readonly lane: string;
  readonly url: string;
  readonly models: readonly string[];
  readonly actions: readonly string[];
  readonly userId: number | null;
  /** Encrypted. */
  readonly secret: string;
  readonly previousSecret: string | null;
  readonly previousUntil: string | null;
  /** Attempts that failed one after the other. */
  readonly failures: number;
}

/** A webhook that has no sender. */
export interface IdleWebhook {
  readonly id: number;
  readonly models: readonly string[];
  readonly actions: readonly string[];
  readonly cursor: number;
  /** Whether something is to be sent now. */
  readonly due: boolean;
}

interface TakenRow {
  readonly id: number;
  readonly url: string;
  readonly models: string;
  readonly actions: string;
  readonly user_id: number | null;
  readonly secret: string;
  readonly previous_secret: string | null;
  readonly previous_until: string | null;
  readonly failures: number;
}

const webhooks = identifier('gatewright_webhooks');

export const createWebhookLeases = (database: Database) => {
  const dialect = dialectOf(database);
  const { now } = dialect;
  const time = (of: string) => timeText(dialect, identifier(of));
  const text = (of: string) => sql`cast(${identifier(of)} as text) as ${identifier(of)}`;
  const free = sql`disabled = false and (lane_until is null or lane_until <= ${now})`;

  const take = statement<{ id: number; lane: string; length: number }>(
    dialect,
    (
      value,
    ) => sql`update ${webhooks} set lane = ${value('lane')}, lane_until = ${dialect.later(value('length'))}
      where id = ${value('id')} and ${free}
      returning id, url, ${text('models')}, ${text('actions')}, user_id, secret, previous_secret,
        ${time('previous_until')} as previous_until, failures`,
  );
  const extend = statement<{ id: number; lane: string; length: number }>(
    dialect,
    (value) => sql`update ${webhooks} set lane_until = ${dialect.later(value('length'))}
      where id = ${value('id')} and lane = ${value('lane')} and disabled = false returning id`,
  );
  const extendDeliveries = statement<{ id: number; lane: string; length: number }>(
    dialect,
    (
      value,
    ) => sql`update ${identifier('gatewright_deliveries')} set next_at = ${dialect.later(value('length'))}
      where webhook_id = ${value('id')} and claim = ${value('lane')} and next_at is not null`,
  );
  const release = statement<{ id: number; lane: string; rest: number }>(
    dialect,
    (value) => sql`update ${webhooks} set lane = null, lane_until = ${dialect.later(value('rest'))}
      where id = ${value('id')} and lane = ${value('lane')} returning id`,
  );
  const idle = statement(
    dialect,
    () => sql`select id, ${text('models')}, ${text('actions')}, cursor, exists (
        select 1 from ${identifier('gatewright_deliveries')} d
        where d.webhook_id = ${identifier('gatewright_webhooks', 'id')} and d.next_at is not null and d.next_at <= ${now}
      ) as due from ${webhooks} where ${free} order by id`,
  );

  return {
    /** Takes a lease of `length` milliseconds; undefined when another instance holds it, or the webhook is disabled or gone. */
    take: async (id: number, lane: string, length: number): Promise<LeasedWebhook | undefined> => {
      const [row] = await database.execute<TakenRow>(take({ id, lane, length }));
      return row === undefined
        ? undefined
        : {
            id: Number(row.id),
            lane,
            url: row.url,
            models: JSON.parse(row.models),
            actions: JSON.parse(row.actions),
            userId: row.user_id === null ? null : Number(row.user_id),
            secret: row.secret,
            previousSecret: row.previous_secret,
            previousUntil: row.previous_until,
            failures: Number(row.failures),
          };
    },

    /**
     * Extends the lease, and those of the deliveries in progress, to `length` milliseconds from now; false when it is lost or
     * the webhook is disabled.
     */
    extend: ({ id, lane }: LeasedWebhook, length: number): Promise<boolean> =>
      database.write(async (transaction) => {
        const extended = await transaction.all(extend({ id, lane, length }));
        await transaction.run(extendDeliveries({ id, lane, length }));
        return extended.length > 0;
      }),

    /** Releases the lease; no instance takes it again for `rest` milliseconds. */
    release: async ({ id, lane }: LeasedWebhook, rest: number): Promise<void> => {
      await database.execute(release({ id, lane, rest }));
    },

    idle: async (): Promise<readonly IdleWebhook[]> => {
      const rows = await database.all<{
        id: number;
        models: string;
        actions: string;
        cursor: number;
        due: boolean | number;
      }>(idle({}));
      return rows.map(({ id, models, actions, cursor, due }) => ({
        id: Number(id),
        models: JSON.parse(models),
        actions: JSON.parse(actions),
        cursor: Number(cursor),
        due: Boolean(due),
      }));
    },
  };
};

export type WebhookLeases = ReturnType<typeof createWebhookLeases>;
