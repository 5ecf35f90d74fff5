import { sql } from 'kysely';
import type { Migration } from './migration.ts';
import { ownWords } from './own-words.ts';

/** The outbox: what is to be done once a transaction is durable, and which ticks of recurring jobs were taken. */
export const jobs: Migration = {
  up: async (db, dialect) => {
    const t = ownWords(dialect);
    for (const statement of [
      sql`create table gatewright_jobs (
        id ${t.id},
        name ${t.text} not null,
        key ${t.text},
        input ${t.json} not null,
        state ${t.text} not null,
        attempts ${t.integer} not null default 0,
        available_at ${t.timestamp},
        lease ${t.text},
        error ${t.text},
        created_at ${t.timestamp} not null,
        started_at ${t.timestamp},
        failed_at ${t.timestamp}
      )`,
      // The jobs that may be claimed are one range of it, however many jobs wait for later or have failed for good.
      sql`create index gatewright_jobs_available on gatewright_jobs (available_at, id) where available_at is not null`,
      sql`create unique index gatewright_jobs_key_unique on gatewright_jobs (name, key)
        where state = 'waiting' and key is not null`,
      sql`create index gatewright_jobs_state on gatewright_jobs (state, id)`,
      sql`create index gatewright_jobs_name on gatewright_jobs (name, id)`,
      sql`create table gatewright_schedules (
        name ${t.text} primary key not null,
        pattern ${t.text} not null,
        ticked_at ${t.timestamp} not null
      )`,
    ])
      await statement.execute(db);
  },
};
