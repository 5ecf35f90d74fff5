/** The door to the counts of requests, and the response times of routes. */

export { routeEntity } from './usage/entity.ts';
export type { CountedFailures, CountedRequests, RequestCounts, Usage } from './usage/request-counts.ts';
export { createRequestCounts, createUsageRecorder, hourOf } from './usage/request-counts.ts';
export type { RouteTimesStore } from './usage/route-times.ts';
export { createRouteTimes } from './usage/route-times.ts';
