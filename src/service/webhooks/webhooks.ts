import type { Database } from '../../database/database.ts';
import { dialectOf } from '../../database/registry.ts';
import { identifier, sql, statement, toQuery } from '../../database/statement.ts';
import { tablesOf } from '../../database/tables-of.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { Problem } from '../../kernel/problem.ts';
import type { AuditEntry } from '../audit/audit.ts';

import type { Change, TableContext } from '../context.ts';

/** Why a webhook is disabled: an administrator has done it, or what became of its messages. */
export const disabledReasons = ['by_hand', 'failed', 'gone', 'secret_unreadable', 'no_user'] as const;
export type DisabledReason = (typeof disabledReasons)[number];

/** A URL as the audit log and the log tell it: what follows the path may be a secret of the receiver. */
export const urlInAudit = (url: string): string => url.replace(/\?.*$/s, '?…');

/** A line of the audit log about a webhook. */
export const webhookAudit = (
  action: string,
  webhook: { readonly id: number; readonly url: string },
  detail: JsonObject = {},
): AuditEntry => ({
  action: `webhook.${action}`,
  target: { kind: 'webhook', id: webhook.id, name: urlInAudit(webhook.url) },
  detail,
});

/** A statement that reads a webhook and locks it until the end of the transaction. */
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

/** Reads a webhook and locks it. @throws Problem `record_not_found` */
export const heldWebhook = async (
  { transaction, dialect }: Pick<Change, 'transaction' | 'dialect'>,
  id: number,
): Promise<LockedWebhook> => {
  const webhook = await transaction.get<LockedWebhook>(lockWebhook({ dialect })({ id }));
  if (webhook === undefined) throw new Problem('record_not_found');
  return webhook;
};

/** Webhooks as the service itself reads them. Secrets are sealed. */
export const createWebhookStore = ({ database }: Pick<TableContext, 'database'>) => {
  const db = tablesOf(database);

  return {
    /**
     * Replaces sealed secrets, all in one transaction, where `renew` returns another form. Returns at how many webhooks.
     * Leases stay: it is the same secret.
     */
    renewSecrets: async (renew: (sealed: string) => string | undefined): Promise<number> => {
      const sealed = db
        .selectFrom('gatewright_webhooks')
        .select(['id', 'secret', 'previous_secret'])
        .orderBy('id');
      const renewed = ({ id, secret, previous_secret: previous }: SealedSecrets) => {
        const next = renew(secret);
        const before = previous === null ? undefined : renew(previous);
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
