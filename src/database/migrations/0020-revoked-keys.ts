import { sql } from 'kysely';
import { dialectOf } from '../registry.ts';
import type { Migration } from './migration.ts';
import { ownWords } from './own-words.ts';

/**
 * The names of keys that are gone, so that a caller who still sends one is known by name. The database itself sees to it:
 * whatever deletes a key leaves a row, also an instance of an older version, and SQL by hand.
 */
export const revokedKeys: Migration = {
  up: async (db, dialect) => {
    const t = ownWords(dialect);
    for (const statement of [
      sql`create table gatewright_revoked_keys (
        key_id ${t.integer} primary key not null,
        key_hash ${t.text} not null,
        name ${t.text} not null,
        user_id ${t.integer} not null,
        username ${t.text} not null,
        revoked_at ${t.timestamp} not null,
        actor_kind ${t.text},
        actor_id ${t.text},
        actor_name ${t.text}
      )`,
      sql`create index gatewright_revoked_keys_key_hash on gatewright_revoked_keys (key_hash)`,
      sql`create index gatewright_revoked_keys_revoked_at on gatewright_revoked_keys (revoked_at)`,
      ...dialectOf({ dialect }).schema.revokedKeyTriggers.map((trigger) => sql.raw(trigger)),
    ])
      await statement.execute(db);
  },
};
