import { sql } from 'kysely';
import type { Migration } from './migration.ts';
import { ownWords } from './own-words.ts';

/** The last number of each count of records, for fields whose values are counted. */
export const counts: Migration = {
  up: async (db, dialect) => {
    const t = ownWords(dialect);
    // Without a reference `per` is empty and `target_id` 0; without periods `period` is 0.
    await sql`create table gatewright_counts (
      model ${t.text} not null,
      field ${t.text} not null,
      per ${t.text} not null,
      target_id ${t.integer} not null,
      period ${t.integer} not null,
      last ${t.integer} not null,
      primary key (model, field, per, target_id, period)
    )`.execute(db);
  },
};
