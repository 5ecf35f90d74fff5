import { sql } from 'kysely';
import type { Migration } from './migration.ts';
import { ownWords } from './own-words.ts';

/** The claim values from which the roles of a user followed at the last sign-in with a provider. */
export const claimValues: Migration = {
  up: async (db, dialect) => {
    const t = ownWords(dialect);
    await sql`alter table gatewright_linked_accounts add column claim_values ${t.text}`.execute(db);
  },
};
