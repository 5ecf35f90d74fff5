/**
 * The jobs of an application and of the service: adding them, the ticks of recurring ones, and the worker of a
 * process.
 */

import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database } from '../../database/database.ts';
import { field } from '../../fields/define.ts';
import type { CodeWatch } from '../../kernel/application-code.ts';
import { type Clock, parseTimestamp, toTimestamp } from '../../kernel/clock.ts';
import type { Figure } from '../../kernel/figure.ts';
import { type JsonObject, toJson } from '../../kernel/json.ts';
import type { Catalogue } from '../../kernel/messages.ts';
import { anything, checkOptions, nearestHint, type OptionTable } from '../../kernel/options.ts';
import { Problem } from '../../kernel/problem.ts';
import type { Stopping } from '../../kernel/stopping.ts';
import { Erasure, erasureJob, filesJob } from '../../ledger/erasure.ts';
import { type EventLog, eventDays } from '../../ledger/event-log.ts';
import { Outbox } from '../../ledger/outbox.ts';
import { DefinitionError } from '../../model/definition-error.ts';
import type { JobOptions } from '../../model/job.ts';
import { haveEvents, type Models } from '../../model/models.ts';
import type { VersionPurge } from '../../records/history.ts';
import type { Trash } from '../../records/trash.ts';
import type { JobPort } from '../../resources/operations.ts';
import { accountLinkJob, mailJob, ownMailJob } from '../mail/mail-queue.ts';
import { ownMailInput } from '../mail/own-mail.ts';
import { type MailSender, mailInput } from '../mail/sender.ts';
import { sendingJob } from '../webhooks/deliveries.ts';
import { removalJob, type Webhooks } from '../webhooks/webhooks.ts';
import { defineJob, type JobDefinition, type JobSchedule, type Jobs, parseSchedule } from './define-job.ts';
import { createSchedules, type Schedule, type ScheduleStore } from './schedules/schedules.ts';
import {
  compileJobs,
  createPerform,
  type DefinedJob,
  type DefinedJobs,
  type JobPlaces,
  JobWorker,
  type Perform,
  type PerformParts,
  type RecurringJobs,
  type WorkerTimes,
  workerTimes,
} from './worker.ts';

// Adding jobs

/**
 * Maximum length of a key in characters.
 * @limit Events, webhooks and jobs | a job’s `key` | characters | an error
 */
const maxKeyLength = 255;

/** @throws TypeError */
const timeOf = (at: Date | string | undefined): string | undefined => {
  if (at === undefined) return undefined;
  const milliseconds = typeof at === 'string' ? parseTimestamp(at) : at.getTime();
  // A timestamp has a year of four digits.
  if (
    milliseconds === undefined ||
    !(milliseconds >= -62_135_596_800_000 && milliseconds <= 253_402_300_799_999)
  )
    throw new TypeError(`at must be a Date or an ISO 8601 time, not ${String(at).slice(0, 40)}`);
  return toTimestamp(milliseconds);
};

/** @throws TypeError */
const keyOf = (key: string | undefined): string | null => {
  if (key === undefined) return null;
  if (
    typeof key !== 'string' ||
    key === '' ||
    key.length > maxKeyLength ||
    !key.isWellFormed() ||
    key.includes('\0')
  )
    throw new TypeError(`key must be a text of 1 to ${maxKeyLength} characters`);
  return key;
};

/** The options are validated where they are used. */
const options = { at: anything, key: anything } satisfies OptionTable<JobOptions>;

/** Stores jobs. @param wake called after each commit of a job */
const createJobPort = (defined: DefinedJobs, outbox: Outbox, wake: () => void): JobPort => {
  const byDefinition = new Map<unknown, DefinedJob>(
    [...defined.values()].map((job) => [job.definition, job]),
  );

  const find = (job: unknown): DefinedJob => {
    const found = typeof job === 'string' ? defined.get(job) : byDefinition.get(job);
    if (found !== undefined) return found;
    if (typeof job === 'string') throw new Error(`There is no job ${job}${nearestHint(job, defined.keys())}`);
    throw new Error('The job is not exported by a file of jobs/');
  };

  return {
    add: async (job, given, how, shared) => {
      const { at, key } = checkOptions('jobs.add', how, options);
      const { name, read } = find(job);
      const { values, errors } = read(toJson(given) as JsonObject);
      if (errors.length > 0) throw new Problem('invalid_record', { errors });
      const added = { name, input: values, key: keyOf(key), at: timeOf(at) };
      const id = await outbox.add(added, shared?.transaction);
      if (shared === undefined) wake();
      else shared.onCommit(wake);
      return id;
    },
  };
};

// Recurring jobs

const sharedHelp = 'Covers the whole database, equal on every instance: aggregate by max, not by sum.';

/**
 * Figures of how long ago the schedule of each recurring job last stored a job, and of the expected pause: the
 * difference is by how much a job whose ticks have stopped is late.
 */
const createTickFigures =
  (schedules: ReadonlyMap<string, JobSchedule>, store: ScheduleStore) =>
  async (): Promise<readonly Figure[]> => {
    const stored = schedules.size === 0 ? { now: 0, schedules: [] } : await store.read();
    const ticks = stored.schedules.flatMap(({ name, ticked, paused }) => {
      const schedule = schedules.get(name);
      // A job that an administrator has paused is not late.
      if (schedule === undefined || paused) return [];
      return [{ labels: { job: name }, ticked, next: schedule.next(ticked) }];
    });
    return [
      {
        type: 'gauge',
        across: 'max',
        name: 'job_last_tick_seconds',
        help: `Time since the last tick of a recurring job, or since its registration. ${sharedHelp}`,
        samples: ticks.map(({ labels, ticked }) => ({ labels, value: (stored.now - ticked) / 1000 })),
      },
      {
        type: 'gauge',
        across: 'max',
        name: 'job_tick_pause_seconds',
        help: `Time from that tick to the next one of the schedule. ${sharedHelp}`,
        samples: ticks.flatMap(({ labels, ticked, next }) =>
          next === undefined ? [] : [{ labels, value: (next - ticked) / 1000 }],
        ),
      },
    ];
  };

/** Recurring jobs by name. */
const schedulesOf = (jobs: Jobs): ReadonlyMap<string, JobSchedule> =>
  new Map(
    [...jobs].flatMap(([name, { every, timeZone }]) =>
      every === undefined ? [] : [[name, parseSchedule(every, timeZone)] as const],
    ),
  );

/** Milliseconds after which the schedules are read again at the latest: the clock may have been changed meanwhile. */
const rereadMs = 60_000;

/**
 * Stores a job at each tick of a recurring job. Every process tries to, and the first one succeeds. Several ticks that
 * passed while no process ran result in one job.
 */
export class Ticks implements RecurringJobs {
  readonly #schedules: ReadonlyMap<string, JobSchedule>;
  readonly #store: ScheduleStore;
  readonly #outbox: Outbox;
  readonly #database: Database;
  readonly #logger: Logger;
  #registered = false;
  /** The time of the next tick by `performance.now()`, which never jumps. */
  #dueAt = 0;

  constructor(
    schedules: ReadonlyMap<string, JobSchedule>,
    store: ScheduleStore,
    outbox: Outbox,
    database: Database,
    logger: Logger,
  ) {
    this.#schedules = schedules;
    this.#store = store;
    this.#outbox = outbox;
    this.#database = database;
    this.#logger = logger;
  }

  /** Milliseconds until the next tick; Infinity where there is none. */
  get wait(): number {
    return this.#schedules.size === 0 ? Infinity : this.#dueAt - performance.now();
  }

  /** Stores a job for each schedule that is due. */
  async addDue(): Promise<void> {
    if (this.wait > 0) return;
    await this.register();
    const { now, schedules } = await this.#store.read();
    const read = performance.now();
    this.#dueAt = read + Math.min((await this.#takeAll(schedules, now)) - now, rereadMs);
  }

  /** As `addDue`, by the clock of a test, for these jobs. */
  async addDueAt(now: number, names: ReadonlySet<string>): Promise<void> {
    const { schedules } = await this.#store.read();
    await this.#takeAll(
      schedules.filter(({ name }) => names.has(name)),
      now,
    );
  }

  /** Returns the next tick of all; Infinity where there is none. */
  async #takeAll(schedules: readonly Schedule[], now: number): Promise<number> {
    let soonest = Infinity;
    for (const schedule of schedules) {
      const next = await this.#takeOne(schedule, now);
      if (next !== undefined) soonest = Math.min(soonest, next);
    }
    return soonest;
  }

  /** Makes the ticks of all schedules count from now on, unless they do already. */
  async register(): Promise<void> {
    if (this.#registered) return;
    for (const [name, { pattern }] of this.#schedules) await this.#store.register(name, pattern);
    this.#registered = true;
  }

  /** Returns the next tick; undefined for a job that is not defined here, or has no further ticks. */
  async #takeOne(schedule: Schedule, now: number): Promise<number | undefined> {
    const { name, ticked } = schedule;
    const pattern = this.#schedules.get(name);
    if (pattern === undefined) return undefined;
    const coming = pattern.next(now);
    if (schedule.paused) return coming;
    // The stored tick may be slightly early, but never after the next one: if it is, the clock was ahead.
    if (coming !== undefined && ticked > coming) return this.#reset(schedule, now, coming);
    const tick = pattern.next(ticked);
    if (tick === undefined || tick > now) return tick;
    const following = pattern.next(tick);
    const missed = following !== undefined && following <= now;
    await this.#database.write(async (transaction) => {
      if (await this.#store.take(transaction, schedule, missed ? now : tick))
        await this.#outbox.add({ name, key: null, input: {}, at: undefined }, transaction);
    });
    return missed ? pattern.next(now) : following;
  }

  async #reset(schedule: Schedule, now: number, coming: number): Promise<number> {
    const line = { job: schedule.name, last_tick: toTimestamp(schedule.ticked) };
    if (await this.#database.write((transaction) => this.#store.take(transaction, schedule, now)))
      this.#logger.warn(line, 'the last tick of a job is in the future: its ticks count from now');
    return coming;
  }
}

// The service

/** Notification channel by which processes announce new jobs. */
const channel = 'gatewright_jobs';

/** Milliseconds within which other processes are notified once, however many jobs there are. */
const notifyIntervalMs = 100;

export interface JobParts {
  readonly database: Database;
  readonly jobs: Jobs;
  readonly catalogue: Catalogue;
  readonly times?: Partial<WorkerTimes> | undefined;
}

export interface WorkParts {
  readonly systemScope: PerformParts['systemScope'];
  readonly watch: CodeWatch | undefined;
  readonly concurrency: number;
  readonly logger: Logger;
  readonly stopping: Stopping;
}

/** Returns the next tick of each recurring job after a moment, in milliseconds since the epoch, by name. */
export type NextTicks = (now: number) => ReadonlyMap<string, number>;

/** The jobs of an application: their storage and their workers. */
export interface JobService {
  readonly port: JobPort;
  readonly names: readonly string[];
  readonly outbox: Outbox;
  /** Milliseconds until another process may take over a job whose lease is not extended. */
  readonly leaseMs: number;
  /** Figures of the recurring jobs' ticks, for the metrics. */
  readonly tickFigures: () => Promise<readonly Figure[]>;
  readonly nextTicks: NextTicks;
  /** Makes the worker look for due jobs. */
  wake(): void;
  perform(parts: Pick<WorkParts, 'systemScope' | 'watch'>): Perform;
  /** The ticks of the recurring jobs, for a process that has no worker. */
  ticks(logger: Logger): Ticks;
  /** Starts to run jobs; returns a function that stops it. */
  work(parts: WorkParts): () => Promise<void>;
}

/** Notifies other processes of new jobs if the database can; otherwise they poll. */
const createNotifier = (database: Database): (() => void) => {
  if (database.tell === undefined) return () => {};
  let pending = false;
  return () => {
    if (pending) return;
    pending = true;
    setTimeout(() => {
      pending = false;
      // Processes without a notification poll within seconds.
      database.tell?.(channel).catch(() => {});
    }, notifyIntervalMs).unref();
  };
};

export const createJobs = ({ database, jobs, catalogue, times }: JobParts): JobService => {
  const defined = compileJobs(jobs, catalogue);
  const names = [...defined.keys()];
  const allTimes = { ...workerTimes, ...times };
  const outbox = new Outbox(database, names, allTimes.lease);
  const schedules = schedulesOf(jobs);
  const scheduleStore = createSchedules(database);
  const notifyOthers = createNotifier(database);
  // A process without a worker notifies the processes with one.
  let wake = notifyOthers;
  const perform: JobService['perform'] = (parts) =>
    createPerform({ jobs: defined, language: catalogue.locale, ...parts });
  const ticks: JobService['ticks'] = (logger) =>
    new Ticks(schedules, scheduleStore, outbox, database, logger);
  return {
    port: createJobPort(defined, outbox, () => wake()),
    names,
    outbox,
    leaseMs: allTimes.lease,
    tickFigures: createTickFigures(schedules, scheduleStore),
    nextTicks: (now) =>
      new Map(
        [...schedules].flatMap(([name, schedule]) => {
          const next = schedule.next(now);
          return next === undefined ? [] : [[name, next] as const];
        }),
      ),
    wake: () => wake(),
    perform,
    ticks,
    work: (parts) => {
      const recurring = ticks(parts.logger);
      const worker = new JobWorker({
        ...parts,
        outbox,
        recurring,
        places: placesOfJobs,
        perform: perform(parts),
        times: allTimes,
        notifyOthers,
      });
      const endListening = database.listen?.(channel, worker.wake);
      worker.start();
      ({ wake } = worker);
      return async () => {
        wake = () => {};
        try {
          await worker.stop();
        } finally {
          await endListening?.();
        }
      };
    },
  };
};

// The service's own jobs

/** Dependencies of the service's own jobs. */
export interface OwnJobParts {
  readonly database: Database;
  /** Clock by which expired rows are removed. */
  readonly removalClock: Clock;
  readonly models: Models;
  readonly events: EventLog;
  readonly trash: Trash;
  /** Days for which a deleted record can be restored. */
  readonly trashDays: number;
  readonly purgeVersions: VersionPurge;
  /** Days for which versions are kept beside the latest one of each record; undefined: for ever. */
  readonly historyDays: number | undefined;
  /** Available once the service is composed. */
  readonly webhooks: () => Webhooks;
  /** Mail; undefined where the application sends none. */
  readonly mail: MailJobs | undefined;
  /** Removes files that nothing names; undefined where no model has any. */
  readonly files: { sweep(pause: () => Promise<void>): Promise<void> } | undefined;
}

/** Sends the link of a request. */
export interface LinkSender {
  resolve(id: number): Promise<void>;
}

/** Dependencies of the jobs of mail. The links are available once the service is composed. */
export interface MailJobs {
  readonly sender: MailSender;
  readonly links: () => LinkSender | undefined;
}

/** A job of the service's own; undefined where the application does not need it, so that it is not polled for. */
type OwnJob = (parts: OwnJobParts) => JobDefinition | undefined;

const day = 86_400_000;

/** Milliseconds between two steps of a removal, in which other writes run. */
const stepPauseMs = 50;

/** The pause of jobs that remove expired rows in steps. */
const pauseBetweenSteps = (signal: AbortSignal) => async (): Promise<void> => {
  await delay(stepPauseMs, undefined, { signal });
};

const purgeEvents: OwnJob = ({ removalClock, models, events }) =>
  haveEvents(models)
    ? defineJob({
        every: '17 * * * *',
        timeout: 3_000,
        handle: async ({ signal }) => {
          await events.settle();
          await events.purge(removalClock() - eventDays * day, pauseBetweenSteps(signal));
        },
      })
    : undefined;

/** Rows that one step removes at most, so that it does not noticeably delay writes. */
const trashStepRows = 500;

const purgeTrash: OwnJob = ({ removalClock, models, trash, trashDays }) =>
  [...models.values()].some((model) => model.trash)
    ? defineJob({
        every: '47 * * * *',
        timeout: 3_000,
        handle: async ({ signal }) => {
          const pause = pauseBetweenSteps(signal);
          const before = removalClock() - trashDays * day;
          while ((await trash.purge(before, trashStepRows)) > 0) await pause();
        },
      })
    : undefined;

/** Once a day, since it examines every stored version. */
const purgeHistory: OwnJob = ({ removalClock, models, purgeVersions, historyDays }) =>
  historyDays !== undefined && [...models.values()].some((model) => model.history)
    ? defineJob({
        every: '57 3 * * *',
        timeout: 3_000,
        handle: async ({ signal }) => {
          await purgeVersions(removalClock() - historyDays * day, pauseBetweenSteps(signal));
        },
      })
    : undefined;

const ofWebhook = { webhook: field.integer({ required: true }) } as const;

/** Never fails: unsent messages are found again. A process that dies while it sends counts as an attempt. */
const sendWebhook: OwnJob = ({ models, webhooks }) =>
  haveEvents(models)
    ? defineJob({
        input: ofWebhook,
        attempts: 1_000,
        timeout: 120,
        handle: ({ values, signal }) => webhooks().run(values.webhook, signal),
      })
    : undefined;

const purgeWebhook: OwnJob = ({ models, webhooks }) =>
  haveEvents(models)
    ? defineJob({
        input: ofWebhook,
        timeout: 3_000,
        handle: ({ values, signal }) =>
          webhooks().deliveries.removeOf(values.webhook, pauseBetweenSteps(signal)),
      })
    : undefined;

const purgeDeliveries: OwnJob = ({ removalClock, models, webhooks }) =>
  haveEvents(models)
    ? defineJob({
        every: '37 * * * *',
        timeout: 3_000,
        handle: ({ signal }) => webhooks().deliveries.removeOld(pauseBetweenSteps(signal), removalClock()),
      })
    : undefined;

const sendMail: OwnJob = ({ mail }) =>
  mail && defineJob({ input: mailInput, handle: ({ values, id }) => mail.sender.send(values, id) });

const sendOwnMail: OwnJob = ({ mail }) =>
  mail && defineJob({ input: ownMailInput, handle: ({ values, id }) => mail.sender.sendOwn(values, id) });

const sendAccountLink: OwnJob = ({ mail }) =>
  mail &&
  defineJob({
    input: { link: field.integer({ required: true }) },
    handle: ({ values }) => mail.links()?.resolve(values.link),
  });

/** Many attempts: it waits for long reads, and what it has to erase must not stay. */
const eraseValues: OwnJob = ({ database, events }) => {
  const erasure = new Erasure(database, events);
  return defineJob({
    input: { model: field.string(), record: field.integer() },
    attempts: 1_000,
    timeout: 3_000,
    handle: ({ values: { model, record }, signal }) =>
      erasure.run(model == null || record == null ? undefined : { model, record }, signal),
  });
};

/** Each hour, so that no bytes stay for a day after the last record that named them. */
const purgeFiles: OwnJob = ({ files }) =>
  files &&
  defineJob({
    every: '47 * * * *',
    timeout: 3_000,
    handle: ({ signal }) => files.sweep(pauseBetweenSteps(signal)),
  });

/** The service's jobs by their names, which jobs of applications cannot have. */
const ownJobs: Readonly<Record<string, OwnJob>> = {
  'purge-events': purgeEvents,
  'purge-trash': purgeTrash,
  'purge-history': purgeHistory,
  [filesJob]: purgeFiles,
  [sendingJob]: sendWebhook,
  [removalJob]: purgeWebhook,
  'purge-deliveries': purgeDeliveries,
  [mailJob]: sendMail,
  [ownMailJob]: sendOwnMail,
  [accountLinkJob]: sendAccountLink,
  [erasureJob]: eraseValues,
};

/** Each of the service's own jobs has places for itself, and those of the application share theirs. */
const placesOfJobs: JobPlaces = {
  placesOf: (job) => (Object.hasOwn(ownJobs, job) ? job : 'application'),
  isProbed: (job) => job === mailJob || job === ownMailJob,
};

/** The jobs of an application and those of the service that it needs. @throws DefinitionError */
export const withOwnJobs = (jobs: Jobs, parts: OwnJobParts): Jobs => {
  for (const name of jobs.keys())
    if (Object.hasOwn(ownJobs, name))
      throw new DefinitionError(`job ${name}`, 'the name is used by a job of the service: choose another');
  const own = Object.entries(ownJobs).flatMap(([name, make]): [string, JobDefinition][] => {
    const job = make(parts);
    return job === undefined ? [] : [[name, job]];
  });
  return new Map([...jobs, ...own]);
};
