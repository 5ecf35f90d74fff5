import { sql } from 'kysely';
import type { Migration } from './migration.ts';
import { ownWords } from './own-words.ts';

/** Links by which users set a password of their own. One that is over stays for a while, so that it can say so. */
export const invitations: Migration = {
  up: async (db, dialect) => {
    const t = ownWords(dialect);
    for (const statement of [
      sql`create table gatewright_invitations (
        id ${t.id},
        user_id ${t.integer} not null references users (id) on delete cascade,
        token_hash ${t.text} not null,
        created_at ${t.timestamp} not null,
        expires_at ${t.timestamp} not null,
        used_at ${t.timestamp},
        ended_at ${t.timestamp}
      )`,
      sql`create unique index gatewright_invitations_token_hash_unique on gatewright_invitations (token_hash)`,
      sql`create unique index gatewright_invitations_open_unique on gatewright_invitations (user_id)
        where ended_at is null`,
      sql`create index gatewright_invitations_user_id on gatewright_invitations (user_id)`,
      sql`create index gatewright_invitations_expires_at on gatewright_invitations (expires_at)`,
    ])
      await statement.execute(db);
  },
};
