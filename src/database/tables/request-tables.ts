/** Counters of requests: responses, their times, and the buckets of limits. */

import { removedAfter } from './stored-time.ts';
import { column, table } from './table.ts';

/** Responses counted by the hour: `YYYY-MM-DDTHH` in UTC. */
export const requestCountsTable = table(
  'request_counts',
  {
    hour: column.text({ time: removedAfter('31 days', 'counted requests are') }),
    authentication: column.text(),
    status: column.integer(),
    requests: column.integer(),
  },
  {
    primaryKey: ['hour', 'authentication', 'status'],
  },
);

/** Responses by route, hour and duration, of the last day. */
export const routeTimesTable = table(
  'gatewright_route_times',
  {
    /** `YYYY-MM-DDTHH`, UTC. */
    hour: column.text({ time: removedAfter('24 hours', 'times of routes are') }),
    method: column.text(),
    route: column.text({ kept: 'log' }),
    /** Most milliseconds that these responses took. */
    bound: column.integer(),
    requests: column.integer(),
    /** The part of them with a status of 400 to 499. */
    refused: column.integer(),
    /** The part of them with a status of 500 or above. */
    failed: column.integer(),
  },
  {
    primaryKey: ['hour', 'method', 'route', 'bound'],
  },
);

/** The buckets by which limits count requests. Times are microseconds since the epoch, by the clock of the database. */
export const bucketsTable = table(
  'gatewright_buckets',
  {
    /** The limit and its caller. */
    name: column.text({ primaryKey: true }),
    /** Time at which it is full again; for a quota, whose clock stands still, the number of its requests. */
    full_at: column.integer({
      time: {
        decides: 'how many requests the bucket of a limit has; by the clock of the database',
        most: 'the time in which the stored bucket fills twice; of a quota, no time but a count',
        wasAhead: 'counts as full',
        wasBehind: 'fills sooner by as much',
      },
    }),
    /** Requests that the last statement admitted. */
    granted: column.integer(),
    /** Requests that were admitted before it. */
    owed: column.integer(),
    size: column.integer(),
    /** 1, or 0 for a quota. */
    refills: column.integer(),
    /** Time that one request takes from it; 1 for a quota. */
    step: column.integer(),
    expires_at: column.integer({
      time: removedAfter('1 hour', 'full buckets, and quotas of former months, are'),
    }),
  },
  {
    indexes: {
      gatewright_buckets_expires_at: { on: ['expires_at'] },
    },
  },
);
