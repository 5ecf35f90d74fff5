import { sql } from 'kysely';
import type { Migration } from './migration.ts';
import { ownWords } from './own-words.ts';

/**
 * Secrets that a rotation has replaced. A row outlives its key, so that a former secret is still recognised; it has no
 * foreign key for that reason.
 */
export const keyRotation: Migration = {
  up: async (db, dialect) => {
    const t = ownWords(dialect);
    for (const statement of [
      sql`alter table api_keys add column rotated_at ${t.timestamp}`,
      sql`alter table api_keys add column secret_used_at ${t.timestamp}`,
      sql`create table gatewright_former_secrets (
        key_hash ${t.text} primary key not null,
        key_id ${t.integer} not null,
        key_prefix ${t.text} not null,
        replaced_at ${t.timestamp} not null,
        ends_at ${t.timestamp} not null,
        last_used_at ${t.timestamp}
      )`,
      sql`create index gatewright_former_secrets_key_id on gatewright_former_secrets (key_id, ends_at)`,
      sql`create index gatewright_former_secrets_ends_at on gatewright_former_secrets (ends_at)`,
    ])
      await statement.execute(db);
  },
};
