import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../kernel/json.ts';
import type { Outbox, WaitingJob } from '../service/jobs/outbox.ts';
import type { Perform } from './perform.ts';
import { storeOutcome } from './worker.ts';

/** Jobs run when somebody says so, one after the other: for tests of an application. */

/** A run of a job. */
export interface JobRun {
  readonly id: number;
  readonly name: string;
  readonly values: JsonObject;
  readonly attempt: number;
}

export interface FailedRun extends JobRun {
  /** What was thrown. */
  readonly error: unknown;
  /** Whether it is kept as failed; else it waits for its next attempt. */
  readonly final: boolean;
}

export interface JobRuns {
  /** Those that were done, in their order. */
  readonly ran: readonly JobRun[];
  readonly failed: readonly FailedRun[];
}

/** Runs of one call: what enqueues itself again and again comes to an end as well. */
const most = 10_000;

const never = new AbortController().signal;

/**
 * Runs everything that is due, and what it enqueues, to its end. With `all` also what waits for later at this moment,
 * its next attempt included. No job runs twice in a call.
 * @throws Error after 10,000 runs
 */
export const runByHand = async (
  outbox: Outbox,
  names: ReadonlySet<string>,
  perform: Perform,
  all: boolean,
): Promise<JobRuns> => {
  const lease = randomUUID();
  const early = new Set(all ? (await outbox.waiting()).map(({ id }) => id) : []);
  const seen = new Set<number>();
  const ran: JobRun[] = [];
  const failed: FailedRun[] = [];
  const isNext = ({ id, name, due }: WaitingJob): boolean =>
    names.has(name) && !seen.has(id) && (due || early.has(id));
  for (;;) {
    const next = (await outbox.waiting()).find(isNext);
    if (next === undefined) return { ran, failed };
    if (seen.size === most)
      throw new Error(`Jobs were run ${most} times, and there are more: do they enqueue each other?`);
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
