import { sql } from 'kysely';
import type { Migration } from './migration.ts';
import { ownWords } from './own-words.ts';

/** When the service last ran, so that the next start notices a clock that has leapt meanwhile. */
export const clock: Migration = {
  up: async (db, dialect) => {
    const t = ownWords(dialect);
    // Milliseconds since the epoch; null before the first start.
    await sql`alter table gatewright_database add column clock_at ${t.integer}`.execute(db);
  },
};
