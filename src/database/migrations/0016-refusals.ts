import { sql } from 'kysely';
import type { Migration } from './migration.ts';
import { ownWords } from './own-words.ts';

/** Requests of known callers that were refused, for a day. */
export const refusals: Migration = {
  up: async (db, dialect) => {
    const t = ownWords(dialect);
    for (const statement of [
      sql`create table gatewright_refusals (
        id ${t.id},
        fingerprint ${t.text} not null,
        refused_at ${t.timestamp} not null,
        first_at ${t.timestamp} not null,
        refusals ${t.integer} not null,
        caller_kind ${t.text} not null,
        caller_id ${t.text} not null,
        caller_name ${t.text} not null,
        method ${t.text} not null,
        path ${t.text} not null,
        status ${t.integer} not null,
        code ${t.integer} not null,
        address ${t.text} not null
      )`,
      sql`create unique index gatewright_refusals_fingerprint_unique on gatewright_refusals (fingerprint)`,
      sql`create index gatewright_refusals_refused_at on gatewright_refusals (refused_at)`,
    ])
      await statement.execute(db);
  },
};
