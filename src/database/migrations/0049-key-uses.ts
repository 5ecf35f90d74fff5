import { sql } from 'kysely';
import type { Migration } from './migration.ts';
import { ownWords } from './own-words.ts';

/** The scopes that the requests of each key needed, by the day. */
export const keyUses: Migration = {
  up: async (db, dialect) => {
    const t = ownWords(dialect);
    for (const statement of [
      // A day is `YYYY-MM-DD` in UTC.
      sql`create table gatewright_key_uses (
        key_id ${t.integer} not null references api_keys (id) on delete cascade,
        day ${t.text} not null,
        scope ${t.text} not null,
        requests ${t.integer} not null,
        primary key (key_id, day, scope)
      )`,
      sql`create index gatewright_key_uses_day on gatewright_key_uses (day)`,
    ])
      await statement.execute(db);
  },
};
