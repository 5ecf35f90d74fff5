/** Jobs and recurring jobs. */

import { sql } from '../statement.ts';
import { clockSlackMs, setToNow } from './stored-time.ts';
import { column, table } from './table.ts';

/** Milliseconds for which a process leases a job that it runs. */
export const jobLeaseMs = 30_000;

/** The longest wait before a failed job is tried again, in milliseconds. */
export const longestRetryMs = 6 * 3_600_000;

/** The outbox: work for after a commit. Finished work is removed. */
export const jobsTable = table(
  'gatewright_jobs',
  {
    id: column.id(),
    name: column.text(),
    /** Unique among the jobs of this name that wait. */
    key: column.text({ nullable: true }),
    /** JSON object: the values. */
    input: column.json({ kept: 'application' }),
    state: column.oneOf(['waiting', 'running', 'failed']),
    /** Runs that were begun, the one that runs included. */
    attempts: column.integer({ default: 0 }),
    /** Time at which it may be claimed, or end of the lease of the process that runs it; null once it has failed. */
    available_at: column.time(
      [
        {
          decides: 'how long a job that runs is left to its process',
          mostMs: jobLeaseMs,
          clock: 'database',
          of: sql`state = 'running'`,
          set: setToNow,
          wasAhead: 'ends now: the job runs elsewhere, and can be repeated and deleted',
          wasBehind: 'ends sooner: the process extends it, or another one takes the job',
        },
        {
          decides: 'when a failed job is tried again',
          mostMs: longestRetryMs,
          clock: 'database',
          of: sql`state = 'waiting'`,
          // A job that has never begun may wait for any time that the application has chosen.
          found: (ahead) => sql`started_at is not null and available_at > ${ahead(clockSlackMs)}
        and (available_at > ${ahead(longestRetryMs + clockSlackMs)} or started_at > ${ahead(clockSlackMs)})`,
          set: setToNow,
          wasAhead: 'tried now',
          wasBehind: 'tried sooner',
        },
        {
          decides: 'when a job runs that was added without a time',
          mostMs: 0,
          clock: 'database',
          of: sql`state = 'waiting'`,
          found: (ahead) => sql`created_at > ${ahead(clockSlackMs)} and available_at > ${ahead(clockSlackMs)}
        and available_at <= created_at`,
          set: setToNow,
          wasAhead: 'runs now; a time that the application gave (`at`) stays',
          wasBehind: 'runs now',
        },
      ],
      { nullable: true },
    ),
    /** Owner of the lease; null while the job is not running. */
    lease: column.text({ nullable: true }),
    /** Error of the last run. */
    error: column.text({ nullable: true, kept: 'application' }),
    /** Places in the code from which the last run threw it, a line each. */
    stack: column.text({ nullable: true, kept: 'application' }),
    /** JSON array: the runs that failed, each with its number, its times and its error. */
    runs: column.json({ nullable: true, kept: 'application' }),
    created_at: column.time('shown'),
    started_at: column.time('shown', { nullable: true }),
    failed_at: column.time('shown', { nullable: true }),
  },
  {
    indexes: {
      // A worker finds the due jobs of one name, however many of another are due or wait for later.
      gatewright_jobs_due: { on: ['name', 'available_at', 'id'], where: 'available_at is not null' },
      gatewright_jobs_key_unique: {
        on: ['name', 'key'],
        unique: true,
        where: "state = 'waiting' and key is not null",
      },
      gatewright_jobs_name: { on: ['name', 'id'] },
      gatewright_jobs_state: { on: ['state', 'id'] },
    },
  },
);

/** Recurring jobs. */
export const schedulesTable = table('gatewright_schedules', {
  /** Name of the job. */
  name: column.text({ primaryKey: true }),
  /** Cron expression and time zone. */
  pattern: column.text(),
  /** The last tick for which a job was stored, or the time from which ticks count. */
  ticked_at: column.time({
    decides: 'which ticks of a recurring job are still to come',
    most: 'the next tick',
    wasAhead: 'set to now where it lies behind the next tick; the log names the job',
    wasBehind: 'one tick for all that passed',
  }),
  /** Start of the pause, in which no job is stored for its ticks; null unless it is paused. */
  paused_at: column.time('shown', { nullable: true }),
});
