/** Runs the due jobs of an application under test, in order and at once. */

import { randomUUID } from 'node:crypto';
import { type Perform, storeOutcome } from '../delivery/jobs.ts';
import type { Clock } from '../kernel/clock.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { Outbox, WaitingJob } from '../ledger/outbox.ts';

/** Runs jobs on demand, one after the other: for tests of an application. */

export interface JobRun {
  readonly id: number;
  readonly name: string;
  readonly values: JsonObject;
  readonly attempt: number;
}

export interface FailedRun extends JobRun {
  /** The value that `handle` threw. */
  readonly error: unknown;
  /** True if the job has failed for good; otherwise it waits for its next attempt. */
  readonly final: boolean;
}

export interface JobRuns {
  /** Successful runs, in their order. */
  readonly ran: readonly JobRun[];
  readonly failed: readonly FailedRun[];
}

/** Runs of one call; ends it where jobs enqueue themselves for ever. */
const maxRuns = 10_000;

const never = new AbortController().signal;

/**
 * Runs every due job, and those that these enqueue. With `all`, also jobs that now wait for a later time, their next
 * attempts included. No job runs twice in a call.
 * @throws Error after 10,000 runs
 */
export const runDueJobs = async (
  outbox: Outbox,
  names: ReadonlySet<string>,
  perform: Perform,
  clock: Clock,
  all: boolean,
): Promise<JobRuns> => {
  const lease = randomUUID();
  const early = new Set(all ? (await outbox.waiting()).map(({ id }) => id) : []);
  const seen = new Set<number>();
  const ran: JobRun[] = [];
  const failed: FailedRun[] = [];
  // The database decides by its own clock, behind which that of a test never is.
  const isDue = ({ at, due }: WaitingJob): boolean => due || Date.parse(at) <= clock();
  const isNext = (job: WaitingJob): boolean =>
    names.has(job.name) && !seen.has(job.id) && (isDue(job) || early.has(job.id));
  for (;;) {
    const next = (await outbox.waiting()).find(isNext);
    if (next === undefined) return { ran, failed };
    if (seen.size === maxRuns)
      throw new Error(`${maxRuns} jobs were run and more are waiting: do they enqueue each other?`);
    seen.add(next.id);
    const job = await outbox.take(next.id, lease);
    if (job === undefined) continue;
    const outcome = await perform(job, never);
    await storeOutcome(outbox, job, outcome);
    const run = { id: job.id, name: job.name, values: job.input, attempt: job.attempts };
    const { failure } = outcome;
    if (failure === undefined) ran.push(run);
    else failed.push({ ...run, error: failure.error, final: failure.again === undefined });
  }
};
