import { sql } from 'kysely';
import type { Migration } from './migration.ts';
import { ownWords } from './own-words.ts';

/** When the last backup of the database succeeded, so that an alert can say that it is too long ago. */
export const backupTime: Migration = {
  up: async (db, dialect) => {
    const t = ownWords(dialect);
    await sql`alter table gatewright_database add column backed_up_at ${t.timestamp}`.execute(db);
  },
};
