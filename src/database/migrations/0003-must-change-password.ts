import { sql } from 'kysely';
import type { Migration } from './migration.ts';
import { ownWords } from './own-words.ts';

/** Users of whom an administrator asks that they change the password which was set for them. */
export const mustChangePassword: Migration = {
  up: async (db, dialect) => {
    const t = ownWords(dialect);
    await sql`alter table users add column must_change_password ${t.boolean} not null default ${t.off}`.execute(
      db,
    );
  },
};
