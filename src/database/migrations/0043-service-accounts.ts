import { sql } from 'kysely';
import type { Migration } from './migration.ts';
import { ownWords } from './own-words.ts';

/**
 * Service accounts: users without a password, each with a person as its owner. The database itself refuses a password,
 * also from an instance of an older version. `notified_expires_at` is the expiry of a key of which the owner has been
 * notified.
 */
export const serviceAccounts: Migration = {
  up: async (db, dialect) => {
    const t = ownWords(dialect);
    for (const statement of [
      sql`alter table users add column kind ${t.text} not null default 'person'
        check (kind = 'person' or (kind = 'service' and password_hash = ''))`,
      sql`alter table users add column owner_id ${t.integer} references users (id) on delete set null`,
      sql`create index users_owner_id on users (owner_id) where owner_id is not null`,
      sql`create index users_kind_service on users (id) where kind = 'service'`,
      sql`alter table api_keys add column notified_expires_at ${t.timestamp}`,
    ])
      await statement.execute(db);
  },
};
