import { sql } from 'kysely';
import type { Migration } from './migration.ts';
import { ownWords } from './own-words.ts';

/** Figures of the start page of the administration area: requests and failed sign-ins by the hour, keys in need. */
export const requestCounts: Migration = {
  up: async (db, dialect) => {
    const t = ownWords(dialect);
    for (const statement of [
      // An hour is `YYYY-MM-DDTHH` in UTC, so that its first ten characters are the day in either database.
      sql`create table request_counts (
        hour ${t.text} not null,
        authentication ${t.text} not null,
        status ${t.integer} not null,
        requests ${t.integer} not null,
        primary key (hour, authentication, status)
      )`,
      sql`create table sign_in_failures (
        hour ${t.text} primary key not null,
        failures ${t.integer} not null
      )`,
      sql`create index api_keys_expires_at on api_keys (expires_at) where expires_at is not null`,
      sql`create index api_keys_unused on api_keys (id) where last_used_at is null`,
    ])
      await statement.execute(db);
  },
};
