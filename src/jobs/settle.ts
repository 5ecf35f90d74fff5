import type { Logger } from 'pino';
import type { ClaimedJob, Outbox } from '../store/outbox/outbox.ts';
import type { RunOutcome } from './perform.ts';

/** Stores how a run ended. Where the lease was lost meanwhile, that is nobody's business any more. */
export const settle = async (
  outbox: Outbox,
  job: ClaimedJob,
  { failure }: RunOutcome,
  logger: Logger,
): Promise<void> => {
  const line = { job: job.name, id: job.id, attempt: job.attempts };
  if (failure === undefined) {
    if (!(await outbox.finish(job))) logger.warn(line, 'a job was done here whose lease was lost');
    return;
  }
  const { error: err, text, again } = failure;
  if (again === undefined) {
    if (await outbox.fail(job, text)) logger.error({ ...line, err }, 'a job failed for good');
    return;
  }
  const seconds = Math.round(again / 1000);
  if (await outbox.retry(job, again, text))
    logger.warn({ ...line, err, seconds }, 'a job failed and will run again');
};
