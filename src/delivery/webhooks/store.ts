/** The rows of webhooks: locks, disables and covers them, and keeps their secrets. */

import type { Database, Transaction } from '../../database/database.ts';
import { sql, statement, tableName, toQuery } from '../../database/statement.ts';
import { tablesOf } from '../../database/tables-of.ts';
import { toTimestamp } from '../../kernel/clock.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { Problem } from '../../kernel/problem.ts';
import { type AuditEntry, auditQuery } from '../../ledger/audit.ts';
import type { Change, TableContext } from '../../ledger/context.ts';
import type { Grant } from '../../policy/grant.ts';

/**
 * Reasons why a webhook is disabled: an administrator did it (`by_hand`), or the user who manages it (`by_owner`), or
 * its messages could not be sent.
 */
export const disabledReasons = [
  'by_hand',
  'by_owner',
  'failed',
  'gone',
  'secret_unreadable',
  'no_user',
] as const;
export type DisabledReason = (typeof disabledReasons)[number];

/** A URL for the audit log and the log, without its query, which may contain a secret of the receiver. */
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
export const webhookLock = (database: Pick<Database, 'dialect'>) => {
  const { dialect } = database;
  return statement<{ id: number }>(
    dialect,
    (value) => sql`select id, url, user_id, managed, secret, disabled, disabled_reason, cursor, failures,
        cast(models as text) as models, cast(actions as text) as actions
      from ${tableName('gatewright_webhooks')}
      where id = ${value('id')}${dialect.updateLock}`,
  );
};

export interface LockedWebhook {
  readonly id: number;
  readonly url: string;
  readonly user_id: number | null;
  readonly managed: boolean | number;
  readonly secret: string;
  readonly disabled: boolean | number;
  readonly disabled_reason: DisabledReason | null;
  readonly cursor: number;
  readonly failures: number;
  /** JSON. */
  readonly models: string;
  readonly actions: string;
}

/** Disables a webhook and writes a line of the audit log. */
export const disableWebhook = async (
  transaction: Transaction,
  database: Pick<Database, 'dialect'>,
  now: number,
  webhook: Pick<LockedWebhook, 'id' | 'url' | 'disabled'>,
  reason: DisabledReason,
): Promise<void> => {
  if (webhook.disabled) return;
  const at = toTimestamp(now);
  const update = tablesOf(database)
    .updateTable('gatewright_webhooks')
    .set({ disabled: true, disabled_reason: reason, disabled_at: at, updated_at: at })
    .where('id', '=', webhook.id);
  await transaction.run(toQuery(update));
  const actor = { actor_kind: 'service', actor_id: null, actor_name: null, address: null };
  await transaction.run(
    auditQuery(database.dialect, now, actor, webhookAudit('disable', webhook, { reason })),
  );
};

interface SealedSecrets {
  readonly id: number;
  readonly secret: string;
  readonly previous_secret: string | null;
}

/** The part of a webhook by which grants cover it. */
export type CoveredWebhook = Pick<LockedWebhook, 'user_id' | 'managed'>;

/**
 * Tells whether a grant covers a webhook: users reach webhooks that they made for themselves, not webhooks that
 * administrators made to act for them.
 */
export const isCovered = ({ rows }: Pick<Grant, 'rows'>, webhook: CoveredWebhook): boolean =>
  rows !== 'none' &&
  rows.every((condition) => {
    if ('rule' in condition || condition.column !== 'user_id') throw new Error('webhooks have one condition');
    return Boolean(webhook.managed) && condition.value === Number(webhook.user_id ?? 0);
  });

/** Reads a webhook that a grant covers, and locks it. @throws Problem `record_not_found` */
export const lockWebhook = async (
  { transaction, dialect }: Pick<Change, 'transaction' | 'dialect'>,
  id: number,
  grant: Grant,
): Promise<LockedWebhook> => {
  const webhook = await transaction.get<LockedWebhook>(webhookLock({ dialect })({ id }));
  if (webhook === undefined || !isCovered(grant, webhook)) throw new Problem('record_not_found');
  return webhook;
};

/** The service's own access to webhooks, without a grant. Secrets are sealed. */
export const createWebhookStore = ({ database }: Pick<TableContext, 'database'>) => {
  const db = tablesOf(database);

  return {
    /**
     * Replaces the sealed secrets for which `renew` returns another form, in one transaction. Returns the number of
     * changed webhooks. Leases stay valid, since the secret itself is the same.
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
      const query = toQuery(sealed);
      const present = await database.all<SealedSecrets>(query);
      if (!present.some((row) => renewed(row) !== undefined)) return 0;
      return database.write(async (transaction) => {
        let count = 0;
        for (const row of await transaction.all<SealedSecrets>(query)) {
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

    /** URL and sealed secret of a webhook. @throws Problem `record_not_found` */
    get: async (id: number): Promise<{ readonly url: string; readonly secret: string }> => {
      const query = db.selectFrom('gatewright_webhooks').select(['url', 'secret']).where('id', '=', id);
      const row = await database.get<{ url: string; secret: string }>(toQuery(query));
      if (row === undefined) throw new Problem('record_not_found');
      return row;
    },
  };
};

export type WebhookStore = ReturnType<typeof createWebhookStore>;
