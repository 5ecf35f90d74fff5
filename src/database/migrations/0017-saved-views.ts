import { sql } from 'kysely';
import type { Migration } from './migration.ts';
import { ownWords } from './own-words.ts';

/** How administrators look at a list, each under names of their own. */
export const savedViews: Migration = {
  up: async (db, dialect) => {
    const t = ownWords(dialect);
    await sql`create table gatewright_views (
      id ${t.id},
      user_id ${t.integer} not null references users (id) on delete cascade,
      resource ${t.text} not null,
      name ${t.text} not null,
      query ${t.json} not null,
      created_at ${t.timestamp} not null,
      updated_at ${t.timestamp} not null
    )`.execute(db);
    await sql`create unique index gatewright_views_name_unique on gatewright_views (user_id, resource, name)`.execute(
      db,
    );
  },
};
