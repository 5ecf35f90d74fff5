/** The door to the counts of requests, and the response times of routes. */

export { routeEntity } from './usage/entity.ts';
export { createUsageRecorder } from './usage/last-uses.ts';
export type { CountedFailures, CountedRequests, RequestCounts } from './usage/request-counts.ts';
export { createRequestCounts, hourOf } from './usage/request-counts.ts';
export type { RouteTimesStore } from './usage/route-times.ts';
export { createRouteTimes } from './usage/route-times.ts';
