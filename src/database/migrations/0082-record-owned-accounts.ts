import { sql } from 'kysely';
import { column } from '../tables/table.ts';
import { addColumnStatements } from '../tables/table-statements.ts';
import type { Migration } from './migration.ts';
import { ownStep } from './own-step.ts';
import { runAll } from './statements.ts';

/** Service accounts that a record owns. An older program shows them without an owner, and lets administrators act. */
export const recordOwnedAccounts: Migration = ownStep(async (db, dialect) => {
  const columns = {
    owner_model: column.text({ nullable: true }),
    owner_record: column.integer({ nullable: true }),
  };
  await runAll(db, addColumnStatements('users', columns, dialect));
  await sql`create index users_owner_record on users (owner_record, owner_model)
    where owner_record is not null`.execute(db);
});
