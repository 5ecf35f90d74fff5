/** The door to row filters: the rows that the terms of a rule admit, as conditions of SQL. */

export { decisiveTables } from './rows/decisive-tables.ts';
export type { ColumnSql, ConditionPurpose } from './rows/expression.ts';
export type { RowOutcome } from './rows/outcomes.ts';
export { rowOutcomes } from './rows/outcomes.ts';
export type { ReachTerm, RowReach } from './rows/reach.ts';
export { reachConditions, reachOf } from './rows/reach.ts';
export { createTenantReader } from './rows/tenant.ts';
