/** Runs jobs: `createPerform` runs one, and `JobWorker` claims due jobs and stores their outcomes. */

import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { basename, relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { jobLeaseMs, longestRetryMs } from '../../database/tables.ts';
import { ApplicationCode, type CodeWatch } from '../../kernel/application-code.ts';
import { BusyTime, runAs, type Work } from '../../kernel/current-work.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Catalogue, Locale } from '../../kernel/messages.ts';
import { packageFile } from '../../kernel/package-files.ts';
import { Problem } from '../../kernel/problem.ts';
import type { Stopping } from '../../kernel/stopping.ts';
import type { ClaimedJob, Outbox, StoredFailure } from '../../ledger/outbox.ts';
import { inputField } from '../../model/input-field.ts';
import type { InputFields } from '../../model/job.ts';
import { labelOf } from '../../model/names.ts';
import type { Scope } from '../../model/scope.ts';
import { compileValidator, type Validated } from '../../model/validate.ts';
import type { CodeLimit } from '../../resources/operations.ts';
import {
  defaultAttempts,
  defaultTimeout,
  type JobContext,
  type JobDefinition,
  type Jobs,
} from './define-job.ts';

// Defined jobs

/** Returns a validator of a job's values, with the field types and rules of a created record. */
const readInput = (input: InputFields, catalogue: Catalogue): ((values: JsonObject) => Validated) => {
  const fields = new Map(
    Object.entries(input).map(([name, definition]) => [
      name,
      inputField(name, definition, definition.options.label ?? labelOf(name)),
    ]),
  );
  const validate = compileValidator({ label: '', fields }, catalogue);
  return (values) => validate(values, 'create', fields);
};

/** A job of the application with its compiled validator. */
export interface DefinedJob {
  readonly name: string;
  readonly definition: JobDefinition;
  readonly read: (values: JsonObject) => Validated;
}

export type DefinedJobs = ReadonlyMap<string, DefinedJob>;

export const compileJobs = (jobs: Jobs, catalogue: Catalogue): DefinedJobs =>
  new Map(
    [...jobs].map(([name, definition]) => [
      name,
      { name, definition, read: readInput(definition.input ?? {}, catalogue) },
    ]),
  );

// One run

/** The outcome of a run; successful without a `failure`. */
export interface RunOutcome {
  readonly failure?: {
    readonly error: unknown;
    /** The texts that are stored. */
    readonly stored: StoredFailure;
    /** Milliseconds until it runs again; undefined where it does not. */
    readonly again: number | undefined;
  };
}

/** Runs a claimed job; never rejects. The result of a run that exceeds its timeout is ignored. */
export type Perform = (job: ClaimedJob, signal: AbortSignal) => Promise<RunOutcome>;

export interface PerformParts {
  readonly jobs: DefinedJobs;
  /** A scope that acts for the system. */
  readonly systemScope: (reason: string, limit?: CodeLimit) => Scope<'all'>;
  readonly watch: CodeWatch | undefined;
  /** The first language of the service, in which jobs run. */
  readonly language: Locale;
}

/** Characters of an error that are stored. */
const maxStoredLength = 2_000;

const textOf = (error: unknown): string => {
  if (error instanceof Problem) {
    if (error.cause instanceof Error) return `${error.message}: ${error.cause.message}`;
    return [error.message, ...(error.errors ?? []).map(({ message }) => message)].join(': ');
  }
  return error instanceof Error ? `${error.name}: ${error.message}` : `thrown: ${String(error)}`;
};

/**
 * The stored text of an error that a job threw: its message without stack and values, of a bounded length, in
 * characters that every database accepts.
 */
export const failureText = (error: unknown): string => {
  try {
    return textOf(error).replaceAll('\0', '').toWellFormed().slice(0, maxStoredLength).toWellFormed();
  } catch {
    // A proxy, or an object without a prototype, has no text.
    return 'thrown: a value without a text';
  }
};

/** Characters of a stack that are stored, and causes of an error whose places it has. */
const stackLimits = { characters: 8_000, causes: 3 } as const;

/** The folders of the service's own code, whose places say nothing to a reader. */
const ownFolders = ['src/', 'dist/'].map((folder) => fileURLToPath(packageFile(folder)));

/** A line of a stack: the function, if it has a name, and the path of the file with line and column. */
const placeForm = /^\s+at (?:(.{1,200}) \()?(?:file:\/\/)?(\/[^()]{1,400}:\d+:\d+)\)?$/;

/** The places of a stack in files of the application, each by its path from the folder that the process runs in. */
const placesIn = (stack: string | undefined): readonly string[] =>
  (stack ?? '').split('\n').flatMap((line) => {
    const [, name, path] = placeForm.exec(line) ?? [];
    if (path === undefined || path.includes('/node_modules/')) return [];
    if (ownFolders.some((folder) => path.startsWith(folder))) return [];
    const inside = relative(process.cwd(), path);
    const shown = inside.startsWith('..') ? basename(path) : inside;
    return [name === undefined ? `at ${shown}` : `at ${name} (${shown})`];
  });

/**
 * The stored stack of an error that a job threw: the places in the application's code, innermost first, then those of
 * its causes under their messages.
 */
export const failureStack = (error: unknown): string => {
  try {
    const lines: string[] = [];
    let each: unknown = error instanceof Problem && error.cause instanceof Error ? error.cause : error;
    for (let cause = 0; cause <= stackLimits.causes && each instanceof Error; cause += 1) {
      if (cause > 0) lines.push(`caused by ${textOf(each).slice(0, maxStoredLength)}`);
      lines.push(...placesIn(each.stack));
      each = each.cause;
    }
    return lines
      .join('\n')
      .replaceAll('\0', '')
      .toWellFormed()
      .slice(0, stackLimits.characters)
      .toWellFormed();
  } catch {
    // A getter of the error throws.
    return '';
  }
};

/** The wait after the first failure, in milliseconds. */
const firstRetryMs = 10_000;

/** The random part of a wait, so that jobs that failed at the same time do not retry at the same time. */
const jitter = 0.25;

/**
 * Milliseconds to wait after attempt number `attempt` (from 1) has failed: 10 s × 4^(attempt − 1), at most 6 h, less
 * up to a quarter at random.
 * @param random from 0 to 1
 */
export const retryDelay = (attempt: number, random = Math.random()): number =>
  Math.round(Math.min(firstRetryMs * 4 ** (attempt - 1), longestRetryMs) * (1 - jitter * random));

const done: RunOutcome = Object.freeze({});

const failed = (error: unknown, again: number | undefined): RunOutcome => ({
  failure: { error, stored: { error: failureText(error), stack: failureStack(error) }, again },
});

/** The error of a run; of a timeout the cause, which names the job. */
const reasonOf = (error: unknown): unknown =>
  error instanceof Problem && error.problem === 'handler_timeout' ? (error.cause ?? error) : error;

const runOne = async (
  { name, definition, read }: DefinedJob,
  { id, input, attempts: attempt }: ClaimedJob,
  signal: AbortSignal,
  { systemScope, watch, language }: PerformParts,
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
  const limit = {
    get isOver() {
      return expiry.signal.aborted;
    },
  };
  try {
    const context: JobContext = {
      ...systemScope(`job ${name}`, limit),
      values,
      id,
      attempt,
      language,
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
      route: `job ${job.name}`,
      requestId: undefined,
      traceparent: undefined,
      database: new BusyTime(),
    };
    return runAs(work, runOne, definedJob, job, signal, parts);
  };

// The worker

/** Stores the outcome of a run; returns false if the lease was lost meanwhile. */
export const storeOutcome = (outbox: Outbox, job: ClaimedJob, { failure }: RunOutcome): Promise<boolean> => {
  if (failure === undefined) return outbox.finish(job);
  return failure.again === undefined
    ? outbox.fail(job, failure.stored)
    : outbox.retry(job, failure.again, failure.stored);
};

/** Stores and logs the outcome of a run. Where the lease was lost meanwhile, another process reports it. */
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
    if (!stored) logger.warn(line, 'a job succeeded here after its lease was lost');
    return;
  }
  if (!stored) return;
  const { error: err, again } = failure;
  if (again === undefined) logger.error({ ...line, err }, 'a job failed permanently');
  else logger.warn({ ...line, err, seconds: Math.round(again / 1000) }, 'a job failed and will run again');
};

/** Times in milliseconds; tests may replace them. */
export interface WorkerTimes {
  /** Time until another process may take over a job whose lease is not extended. */
  readonly lease: number;
  /** Maximum time between two polls for due jobs, which find jobs without a notification. */
  readonly poll: number;
  /** Time that running jobs get to end during a stop. */
  readonly grace: number;
}

/** The job of a killed process runs elsewhere after lease and poll at the latest: 35 s. */
export const workerTimes: WorkerTimes = { lease: jobLeaseMs, poll: 5_000, grace: 5_000 };

/** The recurring jobs, as the worker sees them. */
export interface RecurringJobs {
  /** Stores the jobs whose time has come. */
  addDue(): Promise<void>;
  /** Milliseconds until the next one; Infinity if there is none. */
  readonly wait: number;
}

/**
 * The places that jobs share. The jobs of the application share theirs, and each of the service's own has its places
 * for itself, so that receivers of mails or webhooks that do not respond hold up nothing else.
 */
export interface JobPlaces {
  /** The name of the places that a job takes. */
  readonly placesOf: (job: string) => string;
  /**
   * Returns true where the jobs of a name all depend on one service outside. After a failure one of them at a time
   * finds out whether it is back.
   */
  readonly isProbed: (job: string) => boolean;
}

export interface WorkerParts {
  readonly outbox: Outbox;
  readonly recurring: RecurringJobs;
  readonly perform: Perform;
  /** The places that jobs share. */
  readonly concurrency: number;
  readonly places: JobPlaces;
  readonly logger: Logger;
  readonly stopping: Stopping;
  readonly times: WorkerTimes;
  /** Called where more jobs are due than this process can run. */
  readonly notifyOthers: () => void;
}

interface Running {
  readonly job: ClaimedJob;
  readonly abort: AbortController;
  readonly ended: Promise<void>;
}

/** The result of claims of due jobs. */
interface Claims {
  /** True if others may be due. */
  readonly mayBeMore: boolean;
  /** True if other workers have just taken due jobs. */
  readonly isContended: boolean;
}

/** Milliseconds before the next claim where other workers have just taken the due jobs. */
const contendedRetryMs = 50;

/** Milliseconds between two attempts to store an outcome while the database is unavailable. */
const settleRetryMs = 1_000;

/**
 * Claims jobs and runs them, some at a time. Beside the places that jobs share there is one for each name of which none
 * runs: no number of jobs that hang delays those of another name.
 */
export class JobWorker {
  readonly #parts: WorkerParts;
  readonly #running = new Map<number, Running>();
  /** Names whose last run failed, among those that are probed. */
  readonly #failing = new Set<string>();
  /** Id of this worker's leases. */
  readonly #leaseId = randomUUID();
  /** Runs callbacks outside the context of the request that wakes the worker. */
  readonly #outside = AsyncLocalStorage.snapshot();
  #timer: NodeJS.Timeout | undefined;
  #heartbeat: NodeJS.Timeout | undefined;
  #extended = 0;
  #turn: Promise<void> | undefined;
  #again = false;
  #stopped = false;
  /** True if due jobs lack room here, so that the end of another one calls for a poll. */
  #isShort = false;
  /** True if the last poll of the database failed. */
  #isUnavailable = false;

  constructor(parts: WorkerParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#heartbeat = setInterval(() => void this.#extend(), this.#parts.times.lease / 3).unref();
    this.wake();
  }

  /** Makes the worker look for due jobs. */
  readonly wake = (): void => {
    if (this.#heartbeat === undefined || this.#isOver) return;
    if (this.#turn !== undefined) {
      this.#again = true;
      return;
    }
    this.#again = false;
    this.#turn = this.#outside(() => this.#poll()).finally(() => {
      this.#turn = undefined;
      if (this.#again) this.wake();
    });
  };

  /**
   * Claims no more jobs, lets running ones end within the grace period, and releases the rest for other processes.
   */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#turn;
    const running = [...this.#running.values()];
    for (const { abort } of running) abort.abort(new Error('the process is about to stop'));
    const over = new AbortController();
    await Promise.race([
      Promise.all(running.map(({ ended }) => ended)),
      delay(this.#parts.times.grace, undefined, { signal: over.signal }).catch(() => {}),
    ]);
    over.abort();
    clearInterval(this.#heartbeat);
    const unfinished = [...this.#running.values()].map(({ job }) => job);
    this.#running.clear();
    if (unfinished.length === 0) return;
    const names = unfinished.map(({ name, id }) => `${name} ${id}`);
    this.#parts.logger.warn({ jobs: names }, 'jobs did not end before the stop: other processes run them');
    // If a release fails too, the lease expires.
    await Promise.allSettled(unfinished.map((job) => this.#parts.outbox.release(job)));
  }

  /** Once a stop begins no jobs are claimed, although running ones continue. */
  get #isOver(): boolean {
    return this.#stopped || this.#parts.stopping.begun;
  }

  async #poll(): Promise<void> {
    clearTimeout(this.#timer);
    let wait: number;
    try {
      wait = await this.#take();
      this.#isUnavailable = false;
    } catch (error) {
      if (!this.#isUnavailable) this.#parts.logger.warn({ err: error }, 'due jobs could not be read');
      this.#isUnavailable = true;
      wait = Infinity;
    }
    if (this.#isOver) return;
    this.#timer = setTimeout(this.wake, Math.max(0, Math.min(wait, this.#parts.times.poll))).unref();
  }

  /** Starts due jobs, as far as there is room. Returns the milliseconds until the next poll. */
  async #take(): Promise<number> {
    const { outbox, recurring, times } = this.#parts;
    await recurring.addDue();
    // After a blocked main thread leases may have expired: extend the remaining ones first.
    if (performance.now() - this.#extended > times.lease / 2) await this.#extend();
    for (;;) {
      const next = await outbox.next();
      const due = [...next].filter(([, { wait }]) => wait <= 0).map(([name]) => name);
      const claims = await this.#claimAll(due);
      if (this.#isOver) return Infinity;
      if (claims.mayBeMore) continue;
      if (claims.isContended) return contendedRetryMs;
      return Math.min(recurring.wait, ...[...next.values()].map(({ later }) => later));
    }
  }

  /** Starts due jobs of these names, as far as there is room. */
  async #claimAll(due: readonly string[]): Promise<Claims> {
    const open = due.filter((name) => this.#roomOf(name) > 0);
    this.#isShort = open.length < due.length;
    if (this.#isShort) this.#parts.notifyOthers();
    let [begun, isCut, isContended] = [0, false, false];
    for (const name of open) {
      const room = this.#roomOf(name);
      const count = await this.#claim(name, room);
      begun += count;
      // Room that is used up may leave others of the name due, and a name without room has them.
      isCut ||= count === room;
      isContended ||= count === 0 && room > 0;
    }
    return { mayBeMore: isCut || (begun > 0 && isContended), isContended };
  }

  /** Starts due jobs of a name, as far as there is room. Returns their number. */
  async #claim(name: string, room: number): Promise<number> {
    if (room <= 0 || this.#isOver) return 0;
    const claimed = await this.#parts.outbox.claim(name, room, this.#leaseId);
    for (const job of claimed) this.#begin(job);
    return claimed.length;
  }

  /** How many jobs of a name may begin now. */
  #roomOf(name: string): number {
    const { concurrency, places } = this.#parts;
    const of = places.placesOf(name);
    let [taken, running] = [0, 0];
    for (const { job } of this.#running.values()) {
      if (places.placesOf(job.name) === of) taken += 1;
      if (job.name === name) running += 1;
    }
    const most = this.#failing.has(name) ? 1 : concurrency;
    return Math.max(most - taken, running === 0 ? 1 : 0);
  }

  #begin(job: ClaimedJob): void {
    const abort = new AbortController();
    const ended = this.#run(job, abort).catch((error: unknown) => {
      this.#parts.logger.error(
        { err: error, job: job.name, id: job.id },
        'the outcome of a job could not be stored',
      );
    });
    this.#running.set(job.id, { job, abort, ended });
    void ended.finally(() => {
      if (this.#holds(job)) this.#running.delete(job.id);
      if (this.#isShort) this.wake();
    });
  }

  #holds(job: ClaimedJob): boolean {
    return this.#running.get(job.id)?.job === job;
  }

  async #run(job: ClaimedJob, abort: AbortController): Promise<void> {
    const outcome = await this.#parts.perform(job, abort.signal);
    if (outcome.failure === undefined) this.#failing.delete(job.name);
    else if (this.#parts.places.isProbed(job.name)) this.#failing.add(job.name);
    for (let isReported = false; this.#holds(job); isReported = true) {
      try {
        await this.#settle(job, outcome);
        // The time of its next run is new to the timer.
        if (outcome.failure !== undefined) this.wake();
        return;
      } catch (error) {
        const line = { err: error, job: job.name, id: job.id };
        if (!isReported) this.#parts.logger.warn(line, 'the outcome of a job is not stored yet');
        await delay(settleRetryMs, undefined, { ref: false });
      }
    }
    this.#parts.logger.warn({ job: job.name, id: job.id }, 'a job ended here after its lease was lost');
  }

  async #settle(job: ClaimedJob, outcome: RunOutcome): Promise<void> {
    const { outbox, logger } = this.#parts;
    // A failure while the process stops may well be caused by the stop.
    if (this.#stopped && outcome.failure !== undefined) return void (await outbox.release(job));
    await settle(outbox, job, outcome, logger);
  }

  /** Extends the leases of running jobs. A job whose lease was lost is aborted, and its result ignored. */
  async #extend(): Promise<void> {
    const begun = performance.now();
    const running = [...this.#running.values()];
    try {
      const extended =
        running.length === 0 ? new Set() : await this.#parts.outbox.extend(running.map(({ job }) => job));
      this.#extended = begun;
      for (const { job, abort } of running)
        if (!extended.has(job.id) && this.#holds(job)) {
          this.#running.delete(job.id);
          abort.abort(new Error('another process has taken the job over'));
        }
    } catch (error) {
      this.#parts.logger.warn({ err: error }, 'the leases of jobs were not extended');
    }
  }
}
