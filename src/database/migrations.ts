/** The door to migrations: the way to today's schema, and how far a database is from it. */

export { sinceBaseline } from './migrations/applied.ts';
export { askThrough } from './migrations/ask-through.ts';
export type { SearchChange, TableAlteration } from './migrations/columns.ts';
export { columnName, tableOf } from './migrations/columns.ts';
export { accept } from './migrations/convert.ts';
export { coreSet } from './migrations/core.ts';
export { breaksRequests, describeDifference } from './migrations/describe-difference.ts';
export type { Difference, Stored } from './migrations/differences.ts';
export { differences } from './migrations/differences.ts';
export { incompleteSearches } from './migrations/fill-search.ts';
export type { Migration, MigrationDatabase, Migrations } from './migrations/migration.ts';
export { MigrationError } from './migrations/migration-error.ts';
export type { MissingIndex } from './migrations/missing-indexes.ts';
export { missingIndexes } from './migrations/missing-indexes.ts';
export { followingName } from './migrations/names.ts';
export type { PlannedStep } from './migrations/plan.ts';
export { plan } from './migrations/plan.ts';
export { readTables } from './migrations/read-tables.ts';
export type { Conditions, Found, Migrated } from './migrations/runner.ts';
export { migrateAll, pending } from './migrations/runner.ts';
export { readStored } from './migrations/stored.ts';
export { undoLast } from './migrations/undo.ts';
