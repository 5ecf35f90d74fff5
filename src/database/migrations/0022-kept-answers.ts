import { sql } from 'kysely';
import type { Migration } from './migration.ts';
import { ownWords } from './own-words.ts';

/** Of which model's record a kept answer is; null for payments, and for answers of an earlier version of the service. */
export const keptAnswers: Migration = {
  up: async (db, dialect) => {
    await sql`alter table idempotency_keys add column model ${ownWords(dialect).text}`.execute(db);
  },
};
