import type { Source } from '../../database/source.ts';
import { identifier, join, literal, sql } from '../../database/statement.ts';
import { field } from '../../fields/define.ts';
import { always, column, source } from '../sources.ts';
import { disabledReasons } from './webhooks.ts';

/** Deliveries that wait are counted up to here. */
const countedAtMost = 1_000;

export const webhookSource: Source = source(
  'webhooks',
  sql`(select w.*, u."username" from "gatewright_webhooks" w left join "users" u on u."id" = w."user_id")`,
  [
    column('id', field.integer(always)),
    column('url', field.string(always)),
    column('models', field.json(), { comparable: false }),
    column('actions', field.json(), { comparable: false }),
    column('user_id', field.integer()),
    column('username', field.string()),
    column('created_by', field.integer()),
    column('disabled', field.boolean(always)),
    column('disabled_reason', field.enum(disabledReasons)),
    column('disabled_at', field.datetime()),
    column('previous_until', field.datetime()),
    column('failures', field.integer(always)),
    column('waiting', field.integer(), {
      expression: () =>
        sql`(select count(*) from (select 1 from "gatewright_deliveries" d where d."webhook_id" = t."id" and d."state" = 'waiting' limit ${literal(countedAtMost)}) c)`,
      comparable: false,
    }),
    column('created_at', field.datetime(always)),
    column('updated_at', field.datetime(always)),
  ],
);

export const webhookFields = Object.freeze([
  ...['id', 'url', 'models', 'actions', 'user_id', 'username', 'created_by'],
  ...['disabled', 'disabled_reason', 'disabled_at', 'previous_until', 'failures', 'waiting'],
  ...['created_at', 'updated_at'],
] as const);

/** What a delivery can be: it waits for its next attempt or for the one before it, or it has come to its end. */
export const deliveryStates = ['waiting', 'delivered', 'failed', 'skipped'] as const;

/**
 * Deliveries as an administrator sees them: what was sent and answered only of records of these models, which they may read.
 * `webhook_id` is there for the row filter; no view shows it.
 */
export const deliverySource = (readable: readonly string[]): Source => {
  const isShown =
    readable.length === 0
      ? sql`(1 = 0)`
      : sql`(t."model" in (${join(readable.map((each) => literal(each)))}))`;
  const shown = (of: string) => ({
    expression: () => sql`(case when ${isShown} then ${identifier('t', of)} end)`,
    comparable: false,
  });
  return source(
    'deliveries',
    sql`"gatewright_deliveries"`,
    [
      column('id', field.integer(always)),
      column('webhook_id', field.integer(always)),
      column('message_id', field.string(always)),
      column('event', field.integer(always)),
      column('model', field.string(always)),
      column('record_id', field.integer(always)),
      column('action', field.string(always)),
      column('version', field.integer(always)),
      column('state', field.enum(deliveryStates, always)),
      column('attempts', field.integer(always)),
      column('next_at', field.datetime(), {
        expression: () => sql`(case when t."claim" is null then t."next_at" end)`,
      }),
      column('sending', field.boolean(), { expression: () => sql`(t."claim" is not null)` }),
      column('status', field.integer(), { expression: () => sql`t."response_status"` }),
      column('duration', field.integer()),
      column('error', field.text()),
      column('withheld', field.boolean(), { expression: () => sql`(not ${isShown})` }),
      column('request_headers', field.json(), shown('request_headers')),
      column('request_body', field.text(), shown('request_body')),
      column('response_headers', field.json(), shown('response_headers')),
      column('response_body', field.text(), shown('response_body')),
      column('created_at', field.datetime(always)),
      column('attempted_at', field.datetime()),
      column('ended_at', field.datetime()),
    ],
    ['webhook_id'],
  );
};

export const deliveryFields = Object.freeze([
  ...['id', 'message_id', 'event', 'model', 'record_id', 'action', 'version', 'state', 'attempts'],
  ...['next_at', 'sending', 'status', 'duration', 'error', 'withheld'],
  ...['request_headers', 'request_body', 'response_headers', 'response_body'],
  ...['created_at', 'attempted_at', 'ended_at'],
] as const);
