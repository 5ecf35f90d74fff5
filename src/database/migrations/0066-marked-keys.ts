import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/**
 * Hashes of restricted keys stand behind a mark, so that a program which does not know restrictions does not know the
 * key (`src/accounts/api-keys/stored-hash.ts`).
 */
export const markedKeys: Migration = {
  up: async (db) => {
    const restricted = sql`scopes is not null or networks is not null or "limit" is not null or quota is not null`;
    for (const statement of [
      sql`update gatewright_former_secrets set key_hash = 'r1:' || key_hash
        where key_id in (select id from api_keys where ${restricted})`,
      sql`update api_keys set key_hash = 'r1:' || key_hash where ${restricted}`,
    ])
      await statement.execute(db);
  },
};
