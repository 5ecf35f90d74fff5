import { sql } from 'kysely';
import type { Migration } from './runner.ts';

const type = { sqlite: sql`integer`, postgres: sql`bigint` } as const;

/** A number of each user's that tells whether what was verified before still holds (see `CoreSchema`). */
export const securityStamp: Migration = {
  up: async (db, dialect) => {
    await sql`alter table users add column security_stamp ${type[dialect]} not null default 0`.execute(db);
  },
};
