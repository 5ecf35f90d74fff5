import { sql } from 'kysely';
import type { Migration } from './migration.ts';
import { ownWords } from './own-words.ts';

/** The model of the record in a kept response; null for payments, and for responses of an earlier version of the service. */
export const keptAnswers: Migration = {
  up: async (db, dialect) => {
    await sql`alter table idempotency_keys add column model ${ownWords(dialect).text}`.execute(db);
  },
};
