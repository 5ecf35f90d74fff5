import { sql } from 'kysely';
import type { Migration } from './migration.ts';
import { ownWords } from './own-words.ts';

/** Requests that are confirmed by mail. A row has a token once its job has found a recipient. */
export const accountLinks: Migration = {
  up: async (db, dialect) => {
    const t = ownWords(dialect);
    for (const statement of [
      sql`create table gatewright_account_links (
        id ${t.id},
        purpose ${t.text} not null,
        account ${t.text} not null,
        canonical ${t.text} not null,
        user_id ${t.integer} references users (id) on delete cascade,
        registration ${t.text},
        locale ${t.text} not null,
        address ${t.text},
        token_hash ${t.text},
        created_at ${t.timestamp} not null,
        expires_at ${t.timestamp}
      )`,
      sql`create unique index gatewright_account_links_token_hash_unique on gatewright_account_links (token_hash)`,
      sql`create index gatewright_account_links_user_id on gatewright_account_links (user_id)`,
      sql`create index gatewright_account_links_canonical on gatewright_account_links (canonical)`,
      sql`create index gatewright_account_links_created_at on gatewright_account_links (created_at)`,
    ])
      await statement.execute(db);
  },
};
