import { sql } from 'kysely';
import type { Migration } from './migration.ts';
import { ownWords } from './own-words.ts';

/** Since when a recurring job is paused, for all instances. */
export const pausedSchedules: Migration = {
  up: async (db, dialect) => {
    const t = ownWords(dialect);
    await sql`alter table gatewright_schedules add column paused_at ${t.timestamp}`.execute(db);
  },
};
