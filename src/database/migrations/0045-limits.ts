import { sql } from 'kysely';
import type { Migration } from './migration.ts';
import { ownWords } from './own-words.ts';

/** Limits and quotas of API keys, and the buckets by which requests are counted. */
export const limits: Migration = {
  up: async (db, dialect) => {
    const t = ownWords(dialect);
    for (const statement of [
      // A JSON object, `{"max","window","burst"}`.
      sql`alter table api_keys add column "limit" ${t.json}`,
      sql`alter table api_keys add column quota ${t.integer}`,
      // Times are microseconds since the epoch, by the clock of the database.
      sql`create table gatewright_buckets (
        name ${t.text} not null primary key,
        full_at ${t.integer} not null,
        granted ${t.integer} not null,
        owed ${t.integer} not null,
        size ${t.integer} not null,
        refills ${t.integer} not null,
        step ${t.integer} not null,
        expires_at ${t.integer} not null
      )`,
      sql`create index gatewright_buckets_expires_at on gatewright_buckets (expires_at)`,
    ])
      await statement.execute(db);
  },
};
