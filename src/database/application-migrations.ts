/** The door to migrations for applications: the functions that their migrations call. */

export {
  alterTable,
  createTable,
  dropTable,
  fillHistory,
  followColumns,
  followTable,
  renameTable,
} from './migrations/application-steps.ts';
export type { TableAlteration } from './migrations/columns.ts';
export type { HistoryFill } from './migrations/fill-history.ts';
export type { TableDefinition } from './migrations/schema.ts';
