/** The set of the service's own migrations: the baseline, and a step for each change since it. */

import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { builtInRoles } from '../../policy/rule.ts';
import { own } from '../statement.ts';
import { ownTables } from '../tables/own-tables.ts';
import { column } from '../tables/table.ts';
import { createStatements } from '../tables/table-statements.ts';
import { addresses } from './0058-addresses.ts';
import { dueJobs } from './0064-due-jobs.ts';
import { markedKeys } from './0066-marked-keys.ts';
import { takenAddresses } from './0069-taken-addresses.ts';
import { searchTriggers } from './0072-search-triggers.ts';
import { begunStamps } from './0074-begun-stamps.ts';
import { longSignIns } from './0078-long-sign-ins.ts';
import { foldedSearches } from './0079-folded-searches.ts';
import { recordOwnedAccounts } from './0082-record-owned-accounts.ts';
import { textKeys } from './0083-record-keys.ts';
import { fileTables } from './0084-files.ts';
import { addColumns } from './add-columns.ts';
import type { Migration, MigrationSet, Migrations } from './migration.ts';
import { ownStep } from './own-step.ts';
import { ownWords } from './own-words.ts';
import { runAll } from './statements.ts';

/** Makes the service's own tables as they are described today (`src/database/tables`), with their first rows. */
const baseline: Migration = ownStep(async (db, dialect) => {
  const words = ownWords(dialect);
  await runAll(db, [
    ...ownTables.flatMap((table) => createStatements(table, dialect)),
    ...dialect.schema.revokedKeyTriggers,
  ]);
  const now = new Date().toISOString();
  for (const role of builtInRoles)
    await sql`insert into ${own('roles')} (name, built_in, created_at) values (${role}, ${words.on}, ${now})`.execute(
      db,
    );
  await sql`insert into ${own('gatewright_database')} (id, major, checked_at)
    values (${randomBytes(16).toString('hex')}, 0, 0)`.execute(db);
  await runAll(db, dialect.schema.mark());
});

/**
 * In the order in which they are applied; names are what the database remembers. A change of a described table is a
 * step here as well, for the databases that are there; on a new one the baseline has made the table with the change.
 */
const coreMigrations: Migrations = {
  '0001_baseline': baseline,
  '0058_addresses': addresses,
  '0064_due_jobs': dueJobs,
  '0066_marked_keys': markedKeys,
  '0069_taken_addresses': takenAddresses,
  '0072_search_triggers': searchTriggers,
  '0074_begun_stamps': begunStamps,
  '0076_failed_deliveries': addColumns('gatewright_webhooks', {
    failed_delivery: column.integer({ nullable: true }),
  }),
  '0077_runs_of_jobs': addColumns('gatewright_jobs', {
    stack: column.text({ nullable: true, kept: 'application' }),
    runs: column.json({ nullable: true, kept: 'application' }),
  }),
  '0078_long_sign_ins': longSignIns,
  '0079_folded_searches': foldedSearches,
  '0080_fresh_sign_ins': addColumns('users', { sign_in_expiry: column.integer({ nullable: true }) }),
  '0081_user_locale': addColumns('users', { locale: column.text({ nullable: true }) }),
  '0082_record_owned_accounts': recordOwnedAccounts,
  '0083_record_keys': textKeys,
  '0084_files': fileTables,
};

/** The migrations of the service. */
export const coreSet: MigrationSet = {
  migrations: coreMigrations,
  tableName: 'gatewright_migrations',
  baseline: { name: '0001_baseline', replaces: '0057_fills', commit: 'edd6fb6f' },
};
