import type { Logger } from 'pino';
import type { ClaimedJob, Outbox } from '../service/jobs/outbox.ts';
import type { RunOutcome } from './perform.ts';

/** Stores how a run ended; false where the lease was lost meanwhile. */
export const storeOutcome = (outbox: Outbox, job: ClaimedJob, { failure }: RunOutcome): Promise<boolean> => {
  if (failure === undefined) return outbox.finish(job);
  return failure.again === undefined
    ? outbox.fail(job, failure.text)
    : outbox.retry(job, failure.again, failure.text);
};

/** Stores how a run ended, and logs it. Where the lease was lost meanwhile, that is nobody's business any more. */
export const settle = async (
  outbox: Outbox,
  job: ClaimedJob,
  outcome: RunOutcome,
  logger: Logger,
): Promise<void> => {
  const line = { job: job.name, id: job.id, attempt: job.attempts };
  const stored = await storeOutcome(outbox, job, outcome);
  const { failure } = outcome;
  if (failure === undefined) {
    if (!stored) logger.warn(line, 'a job was done here whose lease was lost');
    return;
  }
  if (!stored) return;
  const { error: err, again } = failure;
  if (again === undefined) logger.error({ ...line, err }, 'a job failed for good');
  else logger.warn({ ...line, err, seconds: Math.round(again / 1000) }, 'a job failed and will run again');
};
