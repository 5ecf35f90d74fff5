import { sql } from 'kysely';
import type { Migration } from './migration.ts';
import { ownWords } from './own-words.ts';

/** Views of lists that other administrators see too. */
export const sharedViews: Migration = {
  up: async (db, dialect) => {
    const t = ownWords(dialect);
    await sql`alter table gatewright_views add column shared ${t.boolean} not null default ${t.off}`.execute(
      db,
    );
  },
};
