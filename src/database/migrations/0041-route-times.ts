import { sql } from 'kysely';
import type { Migration } from './migration.ts';
import { ownWords } from './own-words.ts';

/** How long responses take by route, and which routes each key calls. */
export const routeTimes: Migration = {
  up: async (db, dialect) => {
    const t = ownWords(dialect);
    for (const statement of [
      // An hour is `YYYY-MM-DDTHH` in UTC; a bound is the most milliseconds that these responses took.
      sql`create table gatewright_route_times (
        hour ${t.text} not null,
        method ${t.text} not null,
        route ${t.text} not null,
        bound ${t.integer} not null,
        requests ${t.integer} not null,
        refused ${t.integer} not null,
        failed ${t.integer} not null,
        primary key (hour, method, route, bound)
      )`,
      sql`create table gatewright_key_calls (
        key_id ${t.integer} not null references api_keys (id) on delete cascade,
        method ${t.text} not null,
        route ${t.text} not null,
        status ${t.integer} not null,
        requests ${t.integer} not null,
        last_at ${t.timestamp} not null,
        primary key (key_id, method, route, status)
      )`,
    ])
      await statement.execute(db);
  },
};
