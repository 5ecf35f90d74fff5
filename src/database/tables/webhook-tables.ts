/** Receivers of events by HTTP, and their deliveries. */

import { sql } from '../statement.ts';
import { maxOverlapSeconds } from './api-key-tables.ts';
import { clockSlackMs, removedAfter, seconds, setToNow } from './stored-time.ts';
import { column, table } from './table.ts';

/** Milliseconds for which a process leases a webhook or a delivery. */
export const webhookLeaseMs = 30_000;

/** Milliseconds for which a webhook rests after failures. */
export const webhookRestMs = 30_000;

/**
 * The longest wait that a receiver can ask for, in milliseconds.
 * @limit Events, webhooks and jobs | longest wait that a receiver can ask for | ms | shortened
 */
export const maxRetryAfterMs = 24 * 3_600_000;

/** Receivers of events by HTTP. */
export const webhooksTable = table(
  'gatewright_webhooks',
  {
    id: column.id(),
    url: column.text(),
    /** JSON array of names. */
    models: column.json({ kept: 'models' }),
    /** JSON array of names. */
    actions: column.json(),
    /** The user whose permissions decide what is sent; null once that user is deleted. */
    user_id: column.integer({ nullable: true, references: 'users.id', onDelete: 'set null' }),
    disabled: column.boolean({ default: false }),
    /** Sealed. */
    secret: column.text(),
    /** Sealed; signs next to the new one until `previous_until`. */
    previous_secret: column.text({ nullable: true }),
    previous_until: column.time(
      {
        decides: 'how long the previous secret signs next to the new one',
        mostMs: seconds(maxOverlapSeconds),
        set: setToNow,
        wasAhead: 'ends now',
        wasBehind: 'ends sooner by as much',
      },
      { nullable: true },
    ),
    /** Number of the last event of which a delivery is stored or ruled out. */
    cursor: column.integer(),
    /** Number of consecutive failed attempts. */
    failures: column.integer({ default: 0 }),
    /** The process that has the lease of its deliveries. */
    lane: column.text({ nullable: true }),
    lane_until: column.time(
      {
        decides: 'how long a webhook is left to the process that sends, or rests after failures',
        mostMs: Math.max(webhookLeaseMs, webhookRestMs),
        clock: 'database',
        set: setToNow,
        wasAhead: 'ends now',
        wasBehind: 'ends sooner',
      },
      { nullable: true },
    ),
    disabled_reason: column.text({ nullable: true }),
    disabled_at: column.time('shown', { nullable: true }),
    created_at: column.time('shown'),
    updated_at: column.time('shown'),
    created_by: column.integer({ nullable: true }),
    /** The user in `created_by` made it, for the records that they manage. */
    managed: column.boolean({ default: false }),
    /** The delivery whose attempt failed last; null unless one has failed since the last success. */
    failed_delivery: column.integer({ nullable: true }),
  },
  {
    indexes: {
      gatewright_webhooks_managed: { on: ['user_id', 'id'], where: ({ on }) => `managed = ${on}` },
      gatewright_webhooks_user_id: { on: ['user_id'] },
    },
  },
);

/** Deliveries to webhooks, pending and past. */
export const deliveriesTable = table(
  'gatewright_deliveries',
  {
    id: column.id(),
    /** No foreign key: the deliveries of a deleted webhook go in small steps. */
    webhook_id: column.integer(),
    /** Number of the event. */
    event: column.integer(),
    model: column.text({ kept: 'model' }),
    record_id: column.integer(),
    action: column.text(),
    version: column.integer(),
    /** `webhook-id` of every attempt. */
    message_id: column.text(),
    state: column.oneOf(['waiting', 'delivered', 'failed', 'skipped']),
    attempts: column.integer({ default: 0 }),
    /**
     * Time at which it is due, or end of the lease of its sender; null unless it waits and is the first of its record.
     */
    next_at: column.time(
      [
        {
          decides: 'how long a delivery that is being sent is left to its process',
          mostMs: webhookLeaseMs,
          clock: 'database',
          of: sql`claim is not null`,
          set: setToNow,
          wasAhead: 'sent again now',
          wasBehind: 'sent again sooner',
        },
        {
          decides: 'when a delivery is sent (again)',
          mostMs: maxRetryAfterMs,
          clock: 'database',
          found: (ahead) => sql`next_at > ${ahead(clockSlackMs)}
        and (next_at > ${ahead(maxRetryAfterMs + clockSlackMs)} or attempted_at > ${ahead(clockSlackMs)})`,
          set: setToNow,
          wasAhead: 'sent now',
          wasBehind: 'sent sooner',
        },
      ],
      { nullable: true },
    ),
    /** The process that sends it at this moment. */
    claim: column.text({ nullable: true }),
    request_headers: column.json({ nullable: true }),
    request_body: column.text({ nullable: true, kept: 'sent' }),
    response_status: column.integer({ nullable: true }),
    response_headers: column.json({ nullable: true, kept: 'sent' }),
    response_body: column.text({ nullable: true, kept: 'sent' }),
    /** Milliseconds. */
    duration: column.integer({ nullable: true }),
    error: column.text({ nullable: true }),
    created_at: column.time(removedAfter('30 days', 'ended deliveries are')),
    attempted_at: column.time('shown', { nullable: true }),
    ended_at: column.time('shown', { nullable: true }),
  },
  {
    indexes: {
      gatewright_deliveries_created_at: { on: ['created_at'] },
      // The due deliveries are one range of it: of each record only the first that waits has a time.
      gatewright_deliveries_due: { on: ['webhook_id', 'next_at', 'id'], where: 'next_at is not null' },
      gatewright_deliveries_event_unique: { on: ['webhook_id', 'event'], unique: true },
      gatewright_deliveries_record: { on: ['model', 'record_id'] },
      gatewright_deliveries_state: { on: ['webhook_id', 'state', 'id'] },
      gatewright_deliveries_waiting: {
        on: ['webhook_id', 'model', 'record_id', 'id'],
        where: "state = 'waiting'",
      },
      gatewright_deliveries_webhook: { on: ['webhook_id', 'id'] },
    },
  },
);
