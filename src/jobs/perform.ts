import { ApplicationCode, type CodeWatch } from '../kernel/application-code.ts';
import { BusyTime, runAs, type Work } from '../kernel/current-work.ts';
import { Problem } from '../kernel/problem.ts';
import type { Scope } from '../model/scope.ts';
import type { ClaimedJob } from '../service/jobs/outbox.ts';
import { defaultAttempts, defaultTimeout, type JobContext } from './define-job.ts';
import { failureText, retryDelay } from './failure.ts';
import type { DefinedJob, DefinedJobs } from './queue.ts';

/** The outcome of a run; successful without a `failure`. */
export interface RunOutcome {
  readonly failure?: {
    readonly error: unknown;
    /** The text that is stored. */
    readonly text: string;
    /** Milliseconds until it runs again; undefined where it does not. */
    readonly again: number | undefined;
  };
}

/** Runs a claimed job; never rejects. The result of a run that exceeds its timeout is ignored. */
export type Perform = (job: ClaimedJob, signal: AbortSignal) => Promise<RunOutcome>;

export interface PerformParts {
  readonly jobs: DefinedJobs;
  /** A scope that acts for the system. */
  readonly systemScope: (reason: string) => Scope<'all'>;
  readonly watch: CodeWatch | undefined;
}

const done: RunOutcome = Object.freeze({});

const failed = (error: unknown, again: number | undefined): RunOutcome => ({
  failure: { error, text: failureText(error), again },
});

/** The error of a run; of a timeout the cause, which names the job. */
const reasonOf = (error: unknown): unknown =>
  error instanceof Problem && error.problem === 'handler_timeout' ? (error.cause ?? error) : error;

const runOne = async (
  { name, definition, read }: DefinedJob,
  { id, input, attempts: attempt }: ClaimedJob,
  signal: AbortSignal,
  { systemScope, watch }: PerformParts,
): Promise<RunOutcome> => {
  const { attempts = defaultAttempts, timeout = defaultTimeout } = definition;
  // Each claim counts, so that a job that crashes its process every time also comes to an end.
  if (attempt > attempts) return failed(new Error('the last run did not end: its process died'), undefined);
  const { values, errors } = read(input);
  if (errors.length > 0) {
    const messages = errors.map(({ message }) => message).join(', ');
    return failed(new Error(`the stored values no longer fit the input: ${messages}`), undefined);
  }
  const expiry = new AbortController();
  try {
    const context: JobContext = {
      ...systemScope(`job ${name}`),
      values,
      id,
      attempt,
      signal: AbortSignal.any([signal, expiry.signal]),
    };
    await new ApplicationCode(timeout * 1000, watch).run(
      `job ${name} ${id}, attempt ${attempt}`,
      () => definition.handle(context),
      () => expiry.abort(new Error('the timeout of the job is over')),
    );
    return done;
  } catch (error) {
    return failed(reasonOf(error), attempt >= attempts ? undefined : retryDelay(attempt));
  }
};

export const createPerform =
  (parts: PerformParts): Perform =>
  async (job, signal) => {
    const definedJob = parts.jobs.get(job.name);
    if (definedJob === undefined) throw new Error(`The claimed job ${job.name} is not defined here`);
    const work: Work = {
      ...{ route: `job ${job.name}`, requestId: undefined, traceparent: undefined },
      database: new BusyTime(),
    };
    return runAs(work, runOne, definedJob, job, signal, parts);
  };
