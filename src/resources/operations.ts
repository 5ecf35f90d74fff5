/**
 * The door to the operations: create, update and delete of records, within a transaction and with all their effects.
 */

export type { AreaRules } from './operations/area.ts';
export { grantOfManaged, grantsOfRelated, relatedFor, requireGrant, ruleOf } from './operations/area.ts';
export { maxBatch } from './operations/batch.ts';
export { cascadeLimits } from './operations/cascade-links.ts';
export type { Findable, FoundInList } from './operations/find-records.ts';
export { findRecords, foundAtOnce, newestRows } from './operations/find-records.ts';
export type { Forecast, Foresee } from './operations/forecast.ts';
export { countedReferences, createForecast } from './operations/forecast.ts';
export type { ForgetRecord, Forgotten } from './operations/forget.ts';
export type { ImportCounts, ImportInto, ImportLine, RefusedLine } from './operations/import.ts';
export { FailedLineError, importLines, RefusedLinesError } from './operations/import.ts';
export { ImportFields } from './operations/import-fields.ts';
export type { Frame, FramePlace } from './operations/import-frames.ts';
export { FrameError, Frames, fileStart } from './operations/import-frames.ts';
export type { ReadLine } from './operations/import-readers.ts';
export {
  csvReader,
  ImportHeadError,
  jsonReader,
  lineRules,
} from './operations/import-readers.ts';
export type { JobPort } from './operations/job-port.ts';
export type { MailPort } from './operations/mail-port.ts';
export { nestedRules } from './operations/nested.ts';
export type { UserRemoval } from './operations/remove.ts';
export { createUserRemoval } from './operations/remove.ts';
export { createScopes } from './operations/scope.ts';
export type { AnyListQuery } from './operations/scope-records.ts';
export { bodyOf, queryString, versionOf } from './operations/scope-records.ts';
export type { ResourceContext, ServedResource } from './operations/served-resource.ts';
export { serveResource } from './operations/served-resource.ts';
export type { Acting, CodeLimit } from './operations/transaction.ts';
export { actingFor, transactionOf } from './operations/transaction.ts';
