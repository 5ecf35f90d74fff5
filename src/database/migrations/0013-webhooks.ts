import { sql } from 'kysely';
import type { Migration } from './migration.ts';
import { ownWords } from './own-words.ts';

/** Receivers of events by HTTP, and their deliveries. */
export const webhooks: Migration = {
  up: async (db, dialect) => {
    const t = ownWords(dialect);
    for (const statement of [
      sql`create table gatewright_webhooks (
        id ${t.id},
        url ${t.text} not null,
        models ${t.json} not null,
        actions ${t.json} not null,
        user_id ${t.integer} references users (id) on delete set null,
        disabled ${t.boolean} not null default ${t.off},
        secret ${t.text} not null,
        previous_secret ${t.text},
        previous_until ${t.timestamp},
        cursor ${t.integer} not null,
        failures ${t.integer} not null default 0,
        lane ${t.text},
        lane_until ${t.timestamp},
        disabled_reason ${t.text},
        disabled_at ${t.timestamp},
        created_at ${t.timestamp} not null,
        updated_at ${t.timestamp} not null
      )`,
      sql`create index gatewright_webhooks_user_id on gatewright_webhooks (user_id)`,
      // No foreign key: what a deleted webhook had goes in small steps.
      sql`create table gatewright_deliveries (
        id ${t.id},
        webhook_id ${t.integer} not null,
        event ${t.integer} not null,
        model ${t.text} not null,
        record_id ${t.integer} not null,
        action ${t.text} not null,
        version ${t.integer} not null,
        message_id ${t.text} not null,
        state ${t.text} not null,
        attempts ${t.integer} not null default 0,
        next_at ${t.timestamp},
        claim ${t.text},
        request_headers ${t.json},
        request_body ${t.text},
        response_status ${t.integer},
        response_headers ${t.json},
        response_body ${t.text},
        duration ${t.integer},
        error ${t.text},
        created_at ${t.timestamp} not null,
        attempted_at ${t.timestamp},
        ended_at ${t.timestamp}
      )`,
      sql`create unique index gatewright_deliveries_event_unique on gatewright_deliveries (webhook_id, event)`,
      sql`create index gatewright_deliveries_webhook on gatewright_deliveries (webhook_id, id)`,
      sql`create index gatewright_deliveries_state on gatewright_deliveries (webhook_id, state, id)`,
      // The due deliveries are one range of it: of each record only the first that waits has a time.
      sql`create index gatewright_deliveries_due on gatewright_deliveries (webhook_id, next_at, id) where next_at is not null`,
      sql`create index gatewright_deliveries_waiting on gatewright_deliveries (webhook_id, model, record_id, id)
        where state = 'waiting'`,
      sql`create index gatewright_deliveries_record on gatewright_deliveries (model, record_id)`,
      sql`create index gatewright_deliveries_created_at on gatewright_deliveries (created_at)`,
    ])
      await statement.execute(db);
  },
};
