import { sql } from 'kysely';
import type { Migration } from './migration.ts';
import { ownWords } from './own-words.ts';

/** Accounts at identity providers, each of one user; and the one-time codes of sign-ins by them. */
export const linkedAccounts: Migration = {
  up: async (db, dialect) => {
    const t = ownWords(dialect);
    for (const statement of [
      sql`create table gatewright_linked_accounts (
        id ${t.id},
        user_id ${t.integer} not null references users (id) on delete cascade,
        provider ${t.text} not null,
        issuer ${t.text} not null,
        subject ${t.text} not null,
        session_id ${t.text},
        created_at ${t.timestamp} not null,
        last_used_at ${t.timestamp} not null
      )`,
      sql`create unique index gatewright_linked_accounts_subject_unique
        on gatewright_linked_accounts (issuer, subject)`,
      sql`create index gatewright_linked_accounts_user_id on gatewright_linked_accounts (user_id)`,
      sql`create table gatewright_sign_in_codes (
        code_hash ${t.text} primary key,
        user_id ${t.integer} not null references users (id) on delete cascade,
        security_stamp ${t.integer} not null,
        second_factor ${t.boolean} not null,
        expires_at ${t.timestamp} not null
      )`,
      sql`create index gatewright_sign_in_codes_user_id on gatewright_sign_in_codes (user_id)`,
      sql`create index gatewright_sign_in_codes_expires_at on gatewright_sign_in_codes (expires_at)`,
    ])
      await statement.execute(db);
  },
};
