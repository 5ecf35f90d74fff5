import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Stopping } from '../kernel/stopping.ts';
import type { ClaimedJob, Outbox } from '../service/jobs/outbox.ts';
import type { Perform, RunOutcome } from './perform.ts';
import type { Ticks } from './ticks.ts';

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

/** Milliseconds. Others may set them for tests. */
export interface WorkerTimes {
  /** How long a job is left to a process that says nothing any more. */
  readonly lease: number;
  /** Longest time between two looks at what is due. Nobody has to tell of a job for it to run. */
  readonly poll: number;
  /** How long running jobs may go on after the stop. */
  readonly grace: number;
}

/** The job of a killed process runs elsewhere after lease and poll at the latest: 35 s. */
export const workerTimes: WorkerTimes = { lease: 30_000, poll: 5_000, grace: 5_000 };

export interface WorkerParts {
  readonly outbox: Outbox;
  readonly ticks: Ticks;
  readonly perform: Perform;
  readonly concurrency: number;
  readonly logger: Logger;
  readonly stopping: Stopping;
  readonly times: WorkerTimes;
  /** Called where more is due than this process can run. */
  readonly tellOthers: () => void;
}

interface Running {
  readonly job: ClaimedJob;
  readonly abort: AbortController;
  readonly ended: Promise<void>;
}

/** Milliseconds after which a look is repeated that met what others are just taking. */
const soon = 50;

/** Milliseconds between two attempts to say how a job ended, while the database is away. */
const settleInterval = 1_000;

/** Claims jobs and runs them, some at a time. */
export class JobWorker {
  readonly #parts: WorkerParts;
  readonly #running = new Map<number, Running>();
  /** Whose leases these are. */
  readonly #lease = randomUUID();
  /** What is woken by a request does not run in the context of that request. */
  readonly #outside = AsyncLocalStorage.snapshot();
  #timer: NodeJS.Timeout | undefined;
  #heartbeat: NodeJS.Timeout | undefined;
  #extended = 0;
  #turn: Promise<void> | undefined;
  #again = false;
  #stopped = false;
  /** Whether the database could not be asked the last time. */
  #away = false;

  constructor(parts: WorkerParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#heartbeat = setInterval(() => void this.#extend(), this.#parts.times.lease / 3).unref();
    this.wake();
  }

  /** Has it look at what is due. */
  readonly wake = (): void => {
    if (this.#heartbeat === undefined || this.#isOver) return;
    if (this.#turn !== undefined) {
      this.#again = true;
      return;
    }
    this.#again = false;
    this.#turn = this.#outside(() => this.#look()).finally(() => {
      this.#turn = undefined;
      if (this.#again) this.wake();
    });
  };

  /** Takes no more, lets running jobs end for a while, and gives back what is left, so that others run it at once. */
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
    const left = [...this.#running.values()].map(({ job }) => job);
    this.#running.clear();
    if (left.length === 0) return;
    const names = left.map(({ name, id }) => `${name} ${id}`);
    this.#parts.logger.warn({ jobs: names }, 'jobs did not end before the stop: others run them');
    // Where that fails as well, the leases run out.
    await Promise.allSettled(left.map((job) => this.#parts.outbox.release(job)));
  }

  /** From the beginning of a stop on nothing is taken, although what runs goes on. */
  get #isOver(): boolean {
    return this.#stopped || this.#parts.stopping.begun;
  }

  async #look(): Promise<void> {
    clearTimeout(this.#timer);
    let wait: number;
    try {
      wait = await this.#take();
      this.#away = false;
    } catch (error) {
      if (!this.#away) this.#parts.logger.warn({ err: error }, 'jobs cannot be looked at');
      this.#away = true;
      wait = Infinity;
    }
    if (this.#isOver) return;
    this.#timer = setTimeout(this.wake, Math.max(0, Math.min(wait, this.#parts.times.poll))).unref();
  }

  /** Begins what is due, as far as there is room. Answers in how many milliseconds to look again. */
  async #take(): Promise<number> {
    const { outbox, ticks, concurrency, tellOthers, times } = this.#parts;
    await ticks.take();
    // A thread that stood still may come back after its leases are over: what is not lost is kept first.
    if (performance.now() - this.#extended > times.lease / 2) await this.#extend();
    for (;;) {
      const due = await outbox.next();
      if (due === undefined || due > 0) return Math.min(due ?? Infinity, ticks.wait);
      const free = concurrency - this.#running.size;
      if (free <= 0) {
        tellOthers();
        return ticks.wait;
      }
      if (this.#isOver) return Infinity;
      const claimed = await outbox.claim(free, this.#lease);
      for (const job of claimed) this.#begin(job);
      if (claimed.length === 0) return soon;
    }
  }

  #begin(job: ClaimedJob): void {
    const abort = new AbortController();
    const ended = this.#run(job, abort).catch((error: unknown) => {
      this.#parts.logger.error(
        { err: error, job: job.name, id: job.id },
        'how a job ended could not be stored',
      );
    });
    this.#running.set(job.id, { job, abort, ended });
    void ended.finally(() => {
      if (this.#holds(job)) this.#running.delete(job.id);
      this.wake();
    });
  }

  #holds(job: ClaimedJob): boolean {
    return this.#running.get(job.id)?.job === job;
  }

  async #run(job: ClaimedJob, abort: AbortController): Promise<void> {
    const outcome = await this.#parts.perform(job, abort.signal);
    for (let told = false; this.#holds(job); told = true) {
      try {
        await this.#settle(job, outcome);
        return;
      } catch (error) {
        const line = { err: error, job: job.name, id: job.id };
        if (!told) this.#parts.logger.warn(line, 'how a job ended is not stored yet');
        await delay(settleInterval, undefined, { ref: false });
      }
    }
    this.#parts.logger.warn({ job: job.name, id: job.id }, 'a job ended here whose lease was lost');
  }

  async #settle(job: ClaimedJob, outcome: RunOutcome): Promise<void> {
    const { outbox, logger } = this.#parts;
    // What fails while the process ends may well fail because of that.
    if (this.#stopped && outcome.failure !== undefined) return void (await outbox.release(job));
    await settle(outbox, job, outcome, logger);
  }

  /** Keeps the leases of what runs. What is not ours any more is told so, and its result is nobody's. */
  async #extend(): Promise<void> {
    const begun = performance.now();
    const running = [...this.#running.values()];
    try {
      const kept =
        running.length === 0 ? new Set() : await this.#parts.outbox.extend(running.map(({ job }) => job));
      this.#extended = begun;
      for (const { job, abort } of running)
        if (!kept.has(job.id) && this.#holds(job)) {
          this.#running.delete(job.id);
          abort.abort(new Error('another process has taken the job over'));
        }
    } catch (error) {
      this.#parts.logger.warn({ err: error }, 'leases of jobs were not extended');
    }
  }
}
