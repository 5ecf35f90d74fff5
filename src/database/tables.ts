/** The door to the service's own tables: their row types, and the durations that they state. */

export { maxOverlapSeconds } from './tables/api-key-tables.ts';
export { jobLeaseMs, longestRetryMs } from './tables/job-tables.ts';
export type { CoreSchema } from './tables/own-tables.ts';
export { decidingTimes, ownTables } from './tables/own-tables.ts';
export { providerCodeLifetime } from './tables/provider-tables.ts';
export { setupLifetime } from './tables/second-factor-tables.ts';
export { clockSlackMs } from './tables/stored-time.ts';
export type { Table, TableColumn } from './tables/table.ts';
export { maxRetryAfterMs, webhookLeaseMs, webhookRestMs } from './tables/webhook-tables.ts';
