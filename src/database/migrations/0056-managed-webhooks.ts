import { sql } from 'kysely';
import type { Migration } from './migration.ts';
import { ownWords } from './own-words.ts';

/** Webhooks that users made for the records that they manage. */
export const managedWebhooks: Migration = {
  up: async (db, dialect) => {
    const t = ownWords(dialect);
    const column = sql`managed ${t.boolean} not null default ${t.off}`;
    await sql`alter table gatewright_webhooks add column ${column}`.execute(db);
    await sql`create index gatewright_webhooks_managed on gatewright_webhooks (user_id, id) where managed = ${t.on}`.execute(
      db,
    );
  },
};
