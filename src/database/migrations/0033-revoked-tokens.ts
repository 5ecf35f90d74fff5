import { sql } from 'kysely';
import type { Migration } from './migration.ts';
import { ownWords } from './own-words.ts';

/**
 * Revocation of tokens, which name their user and their expiry (Unix seconds) and nothing else. Tokens of a user up to
 * one expiry are revoked as a whole, others one by one.
 */
export const revokedTokens: Migration = {
  up: async (db, dialect) => {
    const t = ownWords(dialect);
    for (const statement of [
      sql`alter table users add column last_token_expiry ${t.integer}`,
      sql`alter table users add column revoked_token_expiry ${t.integer}`,
      sql`create table gatewright_revoked_tokens (
        user_id ${t.integer} not null references users (id) on delete cascade,
        expiry ${t.integer} not null,
        primary key (user_id, expiry)
      )`,
      sql`create index gatewright_revoked_tokens_expiry on gatewright_revoked_tokens (expiry)`,
    ])
      await statement.execute(db);
  },
};
