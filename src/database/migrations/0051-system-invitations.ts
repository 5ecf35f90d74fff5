import { sql } from 'kysely';
import type { Migration } from './migration.ts';
import { ownWords } from './own-words.ts';

/** Links that code of the application made for the system. An instance of an older version does not accept them. */
export const systemInvitations: Migration = {
  up: async (db, dialect) => {
    const t = ownWords(dialect);
    await sql`alter table gatewright_invitations add column by_system ${t.boolean} not null default ${t.off}`.execute(
      db,
    );
  },
};
