import { sql } from 'kysely';
import type { Migration } from './runner.ts';

const column = {
  sqlite: sql`integer not null default 0`,
  postgres: sql`boolean not null default false`,
} as const;

/** Users of whom an administrator asks that they change the password which was set for them. */
export const mustChangePassword: Migration = {
  up: async (db, dialect) => {
    await sql`alter table users add column must_change_password ${column[dialect]}`.execute(db);
  },
};
