import { sql } from 'kysely';
import type { Migration } from './migration.ts';
import { ownWords } from './own-words.ts';

/** Accounts at identity providers, each of one user; and sign-ins by them that have begun. */
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
      sql`create table gatewright_provider_sign_ins (
        id ${t.id},
        provider ${t.text} not null,
        state_hash ${t.text},
        browser_hash ${t.text} not null,
        sealed ${t.text} not null,
        return_path ${t.text} not null,
        linking_user_id ${t.integer} references users (id) on delete cascade,
        code_hash ${t.text},
        user_id ${t.integer} references users (id) on delete cascade,
        security_stamp ${t.integer},
        second_factor ${t.boolean} not null default ${t.off},
        expires_at ${t.timestamp} not null
      )`,
      sql`create unique index gatewright_provider_sign_ins_state_unique on gatewright_provider_sign_ins (state_hash)`,
      sql`create unique index gatewright_provider_sign_ins_code_unique on gatewright_provider_sign_ins (code_hash)`,
      sql`create index gatewright_provider_sign_ins_expires_at on gatewright_provider_sign_ins (expires_at)`,
      sql`create index gatewright_provider_sign_ins_user_id on gatewright_provider_sign_ins (user_id)`,
      sql`create index gatewright_provider_sign_ins_linking on gatewright_provider_sign_ins (linking_user_id)`,
    ])
      await statement.execute(db);
  },
};
