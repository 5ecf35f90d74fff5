import { sql } from 'kysely';
import type { Migration } from './migration.ts';
import { ownWords } from './own-words.ts';

/** Nonces of HTTP message signatures that were used, until no request with them is accepted (Unix seconds). */
export const nonces: Migration = {
  up: async (db, dialect) => {
    const t = ownWords(dialect);
    for (const statement of [
      sql`create table gatewright_nonces (
        app_id ${t.text} not null,
        nonce ${t.text} not null,
        expiry ${t.integer} not null,
        primary key (app_id, nonce)
      )`,
      sql`create index gatewright_nonces_expiry on gatewright_nonces (expiry)`,
    ])
      await statement.execute(db);
  },
};
