/** The door to the history of records: versions, the actors behind them, and their pages. */

export type { ActorReader, NamedActors, NamedWrite, ShowsActor } from './history/actors.ts';
export { actorsShownTo, namedActors, namedBy, shownActors } from './history/actors.ts';
export type { History, NewVersion, VersionPurge } from './history/history.ts';
export { createHistory, createVersionPurge } from './history/history.ts';
export { parseVersionPage, versionHeaders } from './history/history-page.ts';
export type { ActorRow, RecordedAction, RecordedActor } from './history/recorded.ts';
export {
  actorColumns,
  actorColumnValues,
  actorRow,
  createCompanions,
  keptColumn,
  keptOfNew,
  keptSides,
  reasonOf,
  recordedActions,
  recordedActor,
} from './history/recorded.ts';
export type { ShownVersion } from './history/versions.ts';
export { VersionReader } from './history/versions.ts';
