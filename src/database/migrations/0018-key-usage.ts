import { sql } from 'kysely';
import type { Migration } from './migration.ts';
import { ownWords } from './own-words.ts';

/** How much each key is used by the day, and what finds the keys and the sign-ins that need somebody. */
export const keyUsage: Migration = {
  up: async (db, dialect) => {
    const t = ownWords(dialect);
    for (const statement of [
      // A day is `YYYY-MM-DD` in UTC.
      sql`create table gatewright_key_usage (
        key_id ${t.integer} not null references api_keys (id) on delete cascade,
        day ${t.text} not null,
        requests ${t.integer} not null,
        refused ${t.integer} not null,
        address ${t.text} not null,
        primary key (key_id, day)
      )`,
      sql`create index gatewright_key_usage_day on gatewright_key_usage (day)`,
      // Keys by the time of their last use; the end is there so that those that are over are passed over.
      sql`create index api_keys_idle on api_keys (coalesce(last_used_at, created_at), expires_at)`,
      sql`drop index if exists api_keys_unused`,
      sql`create index audit_failed_sign_ins on audit (created_at, id)
        where action in ('sign_in.failed', 'sign_in.locked')`,
    ])
      await statement.execute(db);
  },
};
