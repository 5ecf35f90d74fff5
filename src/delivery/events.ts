/** The door to events: the log in the view of a reader, as a feed, a stream and a signal. */

export type { ActivityParts } from './events/activity.ts';
export { activityEndpoints } from './events/activity.ts';
export { Changes } from './events/changes.ts';
export type { ChangesEndpointParts } from './events/endpoints.ts';
export { changesEndpoints } from './events/endpoints.ts';
export { EventSignal } from './events/signal.ts';
