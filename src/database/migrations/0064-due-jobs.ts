import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/**
 * An index of the due jobs of each name, instead of one of all: a worker finds those of one name, however many of
 * another are due and have no place.
 */
export const dueJobs: Migration = {
  up: async (db) => {
    for (const statement of [
      sql`create index gatewright_jobs_due on gatewright_jobs (name, available_at, id)
        where available_at is not null`,
      sql`drop index gatewright_jobs_available`,
    ])
      await statement.execute(db);
  },
};
