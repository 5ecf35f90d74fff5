import { ApplicationCode, type CodeWatch } from '../kernel/application-code.ts';
import { BusyTime, runAs, type Work } from '../kernel/current-work.ts';
import { Problem } from '../kernel/problem.ts';
import type { Scope } from '../model/scope.ts';
import type { ClaimedJob } from '../service/jobs/outbox.ts';
import { defaultAttempts, defaultTimeout, type JobContext } from './define-job.ts';
import { failureText, retryDelay } from './failure.ts';
import type { KnownJob, KnownJobs } from './queue.ts';

/** How a run ended; without an error it is done. */
export interface RunOutcome {
  readonly failure?: {
    readonly error: unknown;
    /** What is kept of it. */
    readonly text: string;
    /** Milliseconds until it runs again; undefined where it does not. */
    readonly again: number | undefined;
  };
}

/** Runs a job that was claimed; never rejects. What is left running after its time, nobody listens to. */
export type Perform = (job: ClaimedJob, signal: AbortSignal) => Promise<RunOutcome>;

export interface PerformParts {
  readonly known: KnownJobs;
  /** A scope that acts for the system. */
  readonly systemScope: (reason: string) => Scope<'all'>;
  readonly watch: CodeWatch | undefined;
}

const done: RunOutcome = Object.freeze({});

const failed = (error: unknown, again: number | undefined): RunOutcome => ({
  failure: { error, text: failureText(error), again },
});

/** What was thrown: of a time that is over, what says so. */
const reasonOf = (error: unknown): unknown =>
  error instanceof Problem && error.problem === 'handler_timeout' ? (error.cause ?? error) : error;

const runOne = async (
  { name, definition, read }: KnownJob,
  { id, input, attempts: attempt }: ClaimedJob,
  signal: AbortSignal,
  { systemScope, watch }: PerformParts,
): Promise<RunOutcome> => {
  const { attempts = defaultAttempts, timeout = defaultTimeout } = definition;
  // Each claim counts, so that a job which ends its process every time comes to an end as well.
  if (attempt > attempts)
    return failed(new Error('its last run did not end: the process was gone'), undefined);
  const { values, errors } = read(input);
  if (errors.length > 0) {
    const messages = errors.map(({ message }) => message).join(', ');
    return failed(new Error(`its values do not fit its input any more: ${messages}`), undefined);
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
      () => expiry.abort(new Error('its time is over')),
    );
    return done;
  } catch (error) {
    return failed(reasonOf(error), attempt >= attempts ? undefined : retryDelay(attempt));
  }
};

export const createPerform =
  (parts: PerformParts): Perform =>
  async (job, signal) => {
    const known = parts.known.get(job.name);
    if (known === undefined) throw new Error(`A job was claimed that nobody here defines: ${job.name}`);
    const work: Work = {
      ...{ route: `job ${job.name}`, requestId: undefined, traceparent: undefined },
      database: new BusyTime(),
    };
    return runAs(work, runOne, known, job, signal, parts);
  };
