import type { Database, Transaction } from '../../database/database.ts';
import { dialectOf } from '../../database/registry.ts';
import { identifier, sql, statement, toQuery } from '../../database/statement.ts';
import { tablesOf } from '../../database/tables-of.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { Problem } from '../../kernel/problem.ts';
import { toTimestamp } from '../../kernel/timestamp.ts';
import type { RecordedAction } from '../../records/history/recorded.ts';
import type { Actor, AuditEntry } from '../audit/audit.ts';
import { createCommands } from '../command.ts';
import { actingUserId, type TableContext } from '../context.ts';

/** Why a webhook is disabled: an administrator has done it, or what became of its messages. */
export const disabledReasons = ['by_hand', 'failed', 'gone', 'secret_unreadable', 'no_user'] as const;
export type DisabledReason = (typeof disabledReasons)[number];

/** What administrators say of a webhook. */
export interface WebhookValues {
  readonly url: string;
  readonly models: readonly string[];
  readonly actions: readonly RecordedAction[];
  /** Whose rights decide what is sent. */
  readonly userId: number;
}

export interface WebhookChange extends Partial<WebhookValues> {
  readonly disabled?: boolean;
}

/** A URL as the audit list and the log tell it: what follows the path may be a secret of the receiver. */
export const urlInAudit = (url: string): string => url.replace(/\?.*$/s, '?…');

const detailOf = ({ url, models, actions, userId, disabled }: WebhookChange): JsonObject => ({
  ...(url === undefined ? {} : { url: urlInAudit(url) }),
  ...(models === undefined ? {} : { models: [...models] }),
  ...(actions === undefined ? {} : { actions: [...actions] }),
  ...(userId === undefined ? {} : { user_id: userId }),
  ...(disabled === undefined ? {} : { disabled }),
});

/** A line of the audit list about a webhook. */
export const webhookAudit = (
  action: string,
  webhook: { readonly id: number; readonly url: string },
  detail: JsonObject = {},
): AuditEntry => ({
  action: `webhook.${action}`,
  target: { kind: 'webhook', id: webhook.id, name: urlInAudit(webhook.url) },
  detail,
});

/** The user was deleted between the look-up and the write. */
const userGone = { foreign_key: 'record_not_found' } as const;

const columnsOf = ({ url, models, actions, userId }: Partial<WebhookValues>) => ({
  ...(url === undefined ? {} : { url }),
  ...(models === undefined ? {} : { models: JSON.stringify(models) }),
  ...(actions === undefined ? {} : { actions: JSON.stringify(actions) }),
  ...(userId === undefined ? {} : { user_id: userId }),
});

/** What changes with `disabled`: the first reason stays, and whoever is enabled begins anew. */
const stateOf = (disabled: boolean | undefined, before: boolean, now: string) => {
  if (disabled === undefined || disabled === before) return {};
  return disabled
    ? { disabled: true, disabled_reason: 'by_hand' satisfies DisabledReason, disabled_at: now }
    : { disabled: false, disabled_reason: null, disabled_at: null, failures: 0 };
};

/** Whoever sends at this moment ends what was begun, and takes nothing more under what was in force before. */
const nobodys = { lane: null, lane_until: null };

/** A statement that reads a webhook, which nobody else changes until the transaction is over. */
export const lockWebhook = (database: Pick<Database, 'dialect'>) => {
  const dialect = dialectOf(database);
  return statement<{ id: number }>(
    dialect,
    (
      value,
    ) => sql`select id, url, secret, disabled, cursor, failures from ${identifier('gatewright_webhooks')}
      where id = ${value('id')}${dialect.updateLock}`,
  );
};

export interface LockedWebhook {
  readonly id: number;
  readonly url: string;
  readonly secret: string;
  readonly disabled: boolean | number;
  readonly cursor: number;
  readonly failures: number;
}

interface SealedSecrets {
  readonly id: number;
  readonly secret: string;
  readonly previous_secret: string | null;
}

/** Webhooks as administrators make and change them. Secrets come sealed. */
export const createWebhookStore = ({ database, clock }: TableContext) => {
  const db = tablesOf(database);
  const lock = lockWebhook(database);

  const command = createCommands({ database, clock });

  /** Reads a webhook that the transaction holds from then on. @throws Problem `record_not_found` */
  const held = async (transaction: Transaction, id: number): Promise<LockedWebhook> => {
    const webhook = await transaction.get<LockedWebhook>(lock({ id }));
    if (webhook === undefined) throw new Problem('record_not_found');
    return webhook;
  };

  return {
    /**
     * @param cursor number of the last event of which it is not told
     * @throws Problem `record_not_found` where the user is gone
     */
    create: (values: WebhookValues, secret: string, cursor: number, actor: Actor): Promise<number> =>
      command(
        actor,
        async (transaction, now) => {
          const at = toTimestamp(now);
          const { url, userId } = values;
          const insert = db
            .insertInto('gatewright_webhooks')
            .values({
              ...{ url, user_id: userId, disabled: false, secret, cursor, created_at: at, updated_at: at },
              models: JSON.stringify(values.models),
              actions: JSON.stringify(values.actions),
              created_by: actingUserId(actor),
            })
            .returning('id');
          const row = await transaction.get<{ id: number }>(toQuery(insert));
          if (row === undefined) throw new Error('an insert answered no id');
          return {
            audit: webhookAudit('create', { id: row.id, url }, detailOf(values)),
            answer: row.id,
          };
        },
        userGone,
      ),

    /** @throws Problem `record_not_found`, also where the user is gone */
    update: (id: number, change: WebhookChange, actor: Actor): Promise<void> =>
      command(
        actor,
        async (transaction, now) => {
          const webhook = await held(transaction, id);
          const at = toTimestamp(now);
          const state = stateOf(change.disabled, Boolean(webhook.disabled), at);
          const update = db
            .updateTable('gatewright_webhooks')
            .set({ ...columnsOf(change), ...state, ...nobodys, updated_at: at })
            .where('id', '=', id);
          await transaction.run(toQuery(update));
          return { audit: webhookAudit('update', webhook, detailOf(change)), answer: undefined };
        },
        userGone,
      ),

    /**
     * What it had sent goes afterwards, in small steps.
     * @param also done in the same transaction
     * @throws Problem `record_not_found`
     */
    remove: (id: number, actor: Actor, also: (transaction: Transaction) => Promise<unknown>): Promise<void> =>
      command(actor, async (transaction) => {
        const webhook = await held(transaction, id);
        await transaction.run(toQuery(db.deleteFrom('gatewright_webhooks').where('id', '=', id)));
        await also(transaction);
        return { audit: webhookAudit('delete', webhook), answer: undefined };
      }),

    /**
     * Gives it another secret; the one before signs as well for so many seconds. Answers until when.
     * @throws Problem `record_not_found`
     */
    rotate: (id: number, secret: string, overlap: number, actor: Actor): Promise<string | null> =>
      command(actor, async (transaction, now) => {
        const webhook = await held(transaction, id);
        const until = overlap === 0 ? null : toTimestamp(now + overlap * 1_000);
        const previous = until === null ? null : webhook.secret;
        const update = db
          .updateTable('gatewright_webhooks')
          .set({ secret, previous_secret: previous, previous_until: until, ...nobodys })
          .set({ updated_at: toTimestamp(now) })
          .where('id', '=', id);
        await transaction.run(toQuery(update));
        return { audit: webhookAudit('rotate', webhook, { overlap }), answer: until };
      }),

    /**
     * Replaces sealed secrets, all in one transaction, where `renew` answers another form. Answers at how many webhooks.
     * Who sends goes on: it is the same secret.
     */
    renewSecrets: async (renew: (sealed: string) => string | undefined): Promise<number> => {
      const sealed = db
        .selectFrom('gatewright_webhooks')
        .select(['id', 'secret', 'previous_secret'])
        .orderBy('id');
      const renewed = ({ id, secret, previous_secret: previous }: SealedSecrets) => {
        const [next, before] = [renew(secret), previous === null ? undefined : renew(previous)];
        if (next === undefined && before === undefined) return undefined;
        return db
          .updateTable('gatewright_webhooks')
          .set({ secret: next ?? secret, previous_secret: before ?? previous })
          .where('id', '=', id)
          .where('secret', '=', secret);
      };
      const look = toQuery(sealed);
      const present = await database.all<SealedSecrets>(look);
      if (!present.some((row) => renewed(row) !== undefined)) return 0;
      return database.write(async (transaction) => {
        let count = 0;
        for (const row of await transaction.all<SealedSecrets>(look)) {
          const update = renewed(row);
          if (update !== undefined) count += await transaction.run(toQuery(update));
        }
        return count;
      });
    },

    exists: async (id: number): Promise<boolean> => {
      const query = db.selectFrom('gatewright_webhooks').select('id').where('id', '=', id);
      return (await database.get(toQuery(query))) !== undefined;
    },

    /** Where it leads, and its sealed secret. @throws Problem `record_not_found` */
    get: async (id: number): Promise<{ readonly url: string; readonly secret: string }> => {
      const query = db.selectFrom('gatewright_webhooks').select(['url', 'secret']).where('id', '=', id);
      const row = await database.get<{ url: string; secret: string }>(toQuery(query));
      if (row === undefined) throw new Problem('record_not_found');
      return row;
    },
  };
};

export type WebhookStore = ReturnType<typeof createWebhookStore>;
