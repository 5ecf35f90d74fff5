import { sql } from 'kysely';
import type { Migration } from './migration.ts';
import { ownWords } from './own-words.ts';

/**
 * The factors that a user of the administration area proves beside the password. `users.second_factor` says that there is something,
 * so that no request has to look for it; a session of such a user counts only where it says so as well.
 */
export const secondFactors: Migration = {
  up: async (db, dialect) => {
    const t = ownWords(dialect);
    for (const statement of [
      sql`alter table users add column second_factor ${t.boolean} not null default ${t.off}`,
      sql`alter table sessions add column second_factor ${t.boolean} not null default ${t.off}`,
      sql`create table gatewright_totp (
        user_id ${t.integer} primary key references users (id) on delete cascade,
        secret ${t.text} not null,
        last_step ${t.integer} not null,
        created_at ${t.timestamp} not null,
        last_used_at ${t.timestamp}
      )`,
      sql`create table gatewright_passkeys (
        id ${t.id},
        user_id ${t.integer} not null references users (id) on delete cascade,
        name ${t.text} not null,
        credential ${t.text} not null,
        public_key ${t.text} not null,
        counter ${t.integer} not null,
        transports ${t.text} not null,
        created_at ${t.timestamp} not null,
        last_used_at ${t.timestamp}
      )`,
      sql`create unique index gatewright_passkeys_credential_unique on gatewright_passkeys (credential)`,
      sql`create index gatewright_passkeys_user_id on gatewright_passkeys (user_id)`,
      sql`create table gatewright_recovery_codes (
        user_id ${t.integer} not null references users (id) on delete cascade,
        code_hash ${t.text} not null,
        created_at ${t.timestamp} not null,
        primary key (user_id, code_hash)
      )`,
      sql`create table gatewright_factor_setups (
        session_id ${t.integer} not null references sessions (id) on delete cascade,
        kind ${t.text} not null,
        secret ${t.text} not null,
        expires_at ${t.timestamp} not null,
        primary key (session_id, kind)
      )`,
      sql`create table gatewright_sign_in_tickets (
        token_hash ${t.text} primary key not null,
        user_id ${t.integer} not null references users (id) on delete cascade,
        security_stamp ${t.integer} not null,
        challenge ${t.text},
        tries ${t.integer} not null default 0,
        expires_at ${t.timestamp} not null
      )`,
      sql`create index gatewright_sign_in_tickets_user_id on gatewright_sign_in_tickets (user_id)`,
      sql`create index gatewright_sign_in_tickets_expires_at on gatewright_sign_in_tickets (expires_at)`,
    ])
      await statement.execute(db);
  },
};
