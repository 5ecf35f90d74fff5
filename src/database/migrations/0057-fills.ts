import { sql } from 'kysely';
import type { Migration } from './migration.ts';
import { ownWords } from './own-words.ts';

/** Full-text searches that are not complete yet: records with a key below `below` have no words. */
export const fills: Migration = {
  up: async (db, dialect) => {
    const t = ownWords(dialect);
    await sql`create table gatewright_fills (
      table_name ${t.text} not null primary key,
      below ${t.integer} not null
    )`.execute(db);
  },
};
