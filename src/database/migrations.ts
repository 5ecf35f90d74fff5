/** The door to migrations: they are planned, run and undone. */

export { sinceBaseline } from './migrations/applied.ts';
export { askThrough } from './migrations/ask-through.ts';
export { coreSet } from './migrations/core.ts';
export { incompleteSearches } from './migrations/fill-search.ts';
export type { Migration, MigrationDatabase, Migrations } from './migrations/migration.ts';
export { MigrationError } from './migrations/migration-error.ts';
export type { PlannedStep } from './migrations/plan.ts';
export { plan } from './migrations/plan.ts';
export { readTables } from './migrations/read-tables.ts';
export type { Conditions, Found, Migrated } from './migrations/runner.ts';
export { migrateAll, pendingOf } from './migrations/runner.ts';
export { readStored } from './migrations/stored.ts';
export { undoLast } from './migrations/undo.ts';
