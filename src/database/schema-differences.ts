/** The door to differences of schema: what models ask of a database that it does not have, in values and in words. */

export type { SearchChange } from './migrations/columns.ts';
export { columnName, tableOf } from './migrations/columns.ts';
export { accept } from './migrations/convert.ts';
export { breaksRequests, describeDifference } from './migrations/describe-difference.ts';
export type { Difference, Stored } from './migrations/differences.ts';
export { differences } from './migrations/differences.ts';
export { externalFlaws } from './migrations/external-tables.ts';
export type { MissingIndex } from './migrations/missing-indexes.ts';
export { missingIndexes } from './migrations/missing-indexes.ts';
export { followingName } from './migrations/names.ts';
