import { sql } from 'kysely';
import type { Migration } from './migration.ts';
import { ownWords } from './own-words.ts';

/** A number of each user's that tells whether what was verified before still holds (see `CoreSchema`). */
export const securityStamp: Migration = {
  up: async (db, dialect) => {
    const t = ownWords(dialect);
    await sql`alter table users add column security_stamp ${t.integer} not null default 0`.execute(db);
  },
};
