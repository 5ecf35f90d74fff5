import { sql } from 'kysely';
import { column, table } from '../tables/table.ts';
import { addColumnStatements, createStatements } from '../tables/table-statements.ts';
import type { Migration } from './migration.ts';
import { ownStep } from './own-step.ts';
import { runAll } from './statements.ts';

const sessionTokens = table(
  'gatewright_session_tokens',
  {
    session_id: column.integer({ references: 'sessions.id', onDelete: 'cascade' }),
    generation: column.integer(),
    expiry: column.integer(),
    used_at: column.time('shown', { nullable: true }),
  },
  { primaryKey: ['session_id', 'generation'] },
);

/**
 * Long sign-ins: sessions that no cookie names, and their tokens. An older program finds none by a cookie, and deletes
 * those of more than a day, whose users then sign in again.
 */
export const longSignIns: Migration = ownStep(async (db, dialect) => {
  await runAll(db, [
    ...addColumnStatements('sessions', { generation: column.integer({ nullable: true }) }, dialect),
    ...createStatements(sessionTokens, dialect),
  ]);
  await sql`create index sessions_long on sessions (last_used_at) where generation is not null`.execute(db);
  await sql`create index sessions_of_cookies on sessions (created_at) where generation is null`.execute(db);
});
