import { sql } from 'kysely';
import type { Migration } from './migration.ts';
import { ownWords } from './own-words.ts';

/** Scopes and networks of API keys, each a JSON array of texts; null: no restriction. */
export const keyScopes: Migration = {
  up: async (db, dialect) => {
    const t = ownWords(dialect);
    await sql`alter table api_keys add column scopes ${t.json}`.execute(db);
    await sql`alter table api_keys add column networks ${t.json}`.execute(db);
  },
};
