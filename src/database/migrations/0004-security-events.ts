import { sql } from 'kysely';
import type { Migration } from './migration.ts';
import { ownWords } from './own-words.ts';

/** From which networks keys were used, and which credentials were seen last. */
export const securityEvents: Migration = {
  up: async (db, dialect) => {
    const t = ownWords(dialect);
    for (const statement of [
      sql`create table gatewright_key_networks (
        key_id ${t.integer} not null references api_keys (id) on delete cascade,
        network ${t.text} not null,
        first_used_at ${t.timestamp} not null,
        primary key (key_id, network)
      )`,
      sql`create index key_networks_first_used_at on gatewright_key_networks (first_used_at)`,
      // One row: the name of the file is each instance's own.
      sql`create table gatewright_seen_credentials (
        id ${t.integer} primary key not null,
        serial ${t.integer} not null,
        digest ${t.text} not null,
        seen_at ${t.timestamp} not null
      )`,
    ])
      await statement.execute(db);
  },
};
