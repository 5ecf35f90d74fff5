import { type Kysely, sql as kysely } from 'kysely';
import type { Database, Transaction } from '../../database/database.ts';
import { dialectOf } from '../../database/registry.ts';
import type { CoreSchema } from '../../database/schema.ts';
import { identifier, sql, statement, toQuery } from '../../database/statement.ts';
import { tablesOf } from '../../database/tables-of.ts';
import { toTimestamp } from '../../kernel/clock.ts';
import { auditQuery } from '../audit/audit.ts';
import type { TableContext } from '../context.ts';
import { type DisabledReason, type LockedWebhook, lockWebhook, urlInAudit } from './webhooks.ts';

/** How attempts end, and what that means for what waits behind them and for the webhook. */

/** A delivery under a lease: until it is over no other sender takes it. */
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

/** Request and response of an attempt, as they are kept. */
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

/** An attempt that has come to its end. */
export interface SettledAttempt {
  readonly delivery: ClaimedDelivery;
  readonly outcome: DeliveryOutcome;
}

/** A webhook as the transaction that holds it has made it. */
type HeldWebhook = { -readonly [Name in keyof LockedWebhook]: LockedWebhook[Name] };

/** Characters of a body that was sent, as far as it is kept. */
const keptBody = 16_384;

const table = identifier('gatewright_deliveries');

/** By what an attempt is known whose result counts. */
export const ofClaim = ({ id, claim, attempts }: ClaimedDelivery) => ({ id, claim, attempts });

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

/** Disables a webhook, with a line of the audit log. */
const disableWebhook = async (
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

export const createDeliverySettlement = ({ database, clock }: TableContext) => {
  const dialect = dialectOf(database);
  const db = tablesOf(database);
  const lock = lockWebhook(database);
  const later = (milliseconds: number) => kysely<string>`${dialect.later(kysely`${milliseconds}`)}`;

  /** Gives the first delivery of a record that waits its time, where it has none. */
  const promote = statement<{ webhook: number; model: string; record: number }>(
    dialect,
    (value) => sql`update ${table} set next_at = ${dialect.now} where next_at is null and id = (
        select id from ${table} where webhook_id = ${value('webhook')} and model = ${value('model')}
          and record_id = ${value('record')} and state = 'waiting' order by id limit 1)`,
  );
  /** Counts attempts that fail one after the other. */
  const countFailures = async (
    transaction: Transaction,
    webhook: HeldWebhook,
    { state }: DeliveryOutcome,
  ): Promise<void> => {
    if (state === 'skipped' || (state === 'delivered' && Number(webhook.failures) === 0)) return;
    webhook.failures = state === 'delivered' ? 0 : Number(webhook.failures) + 1;
    const update = db
      .updateTable('gatewright_webhooks')
      .set({ failures: webhook.failures })
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
    await countFailures(transaction, webhook, outcome);
    const { model, record } = delivery;
    if (outcome.state !== 'waiting') await transaction.run(promote({ webhook: webhook.id, model, record }));
    if (outcome.state === 'failed') {
      await disableWebhook(transaction, db, database, at, webhook, outcome.disable);
      webhook.disabled = true;
    }
    return true;
  };

  return {
    /**
     * Stores the outcomes of attempts for one webhook in one transaction. For each: false where it was taken over
     * meanwhile, or the webhook is gone.
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
