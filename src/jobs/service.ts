import type { Logger } from 'pino';
import type { Database } from '../database/database.ts';
import type { CodeWatch } from '../kernel/application-code.ts';
import type { Figure } from '../kernel/figure.ts';
import type { Locale } from '../kernel/messages/catalogue.ts';
import type { Stopping } from '../kernel/stopping.ts';
import type { Scope } from '../model/scope.ts';
import type { JobPort } from '../operations/job-port.ts';
import { createOutbox, type Outbox } from '../service/jobs/outbox.ts';
import { createSchedules } from '../service/jobs/schedules.ts';
import type { Jobs } from './define-job.ts';
import { createPerform, type Perform } from './perform.ts';
import { compileJobs, createJobPort } from './queue.ts';
import { createTickFigures, schedulesOf, Ticks } from './ticks.ts';
import { JobWorker, type WorkerTimes, workerTimes } from './worker.ts';

/** Notification channel by which processes announce new jobs. */
const channel = 'gatewright_jobs';

/** Milliseconds within which other processes are notified once, however many jobs there are. */
const notifyIntervalMs = 100;

export interface JobParts {
  readonly database: Database;
  readonly jobs: Jobs;
  readonly locale: Locale;
  readonly times?: Partial<WorkerTimes> | undefined;
}

export interface WorkParts {
  readonly systemScope: (reason: string) => Scope<'all'>;
  readonly watch: CodeWatch | undefined;
  readonly concurrency: number;
  readonly logger: Logger;
  readonly stopping: Stopping;
}

/** The jobs of an application: their storage and their workers. */
export interface JobService {
  readonly port: JobPort;
  readonly names: readonly string[];
  readonly outbox: Outbox;
  /** Milliseconds until another process may take over a job whose lease is not extended. */
  readonly leaseMs: number;
  /** Figures of the recurring jobs' ticks, for the metrics. */
  readonly tickFigures: () => Promise<readonly Figure[]>;
  /** Makes the worker look for due jobs. */
  wake(): void;
  perform(parts: Pick<WorkParts, 'systemScope' | 'watch'>): Perform;
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

export const createJobs = ({ database, jobs, locale, times }: JobParts): JobService => {
  const defined = compileJobs(jobs, locale);
  const names = [...defined.keys()];
  const allTimes = { ...workerTimes, ...times };
  const outbox = createOutbox(database, names, allTimes.lease);
  const schedules = schedulesOf(jobs);
  const scheduleStore = createSchedules(database);
  const notifyOthers = createNotifier(database);
  // A process that does not run jobs notifies those that do.
  let wake = notifyOthers;
  const perform: JobService['perform'] = (parts) => createPerform({ jobs: defined, ...parts });
  return {
    port: createJobPort(defined, outbox, () => wake()),
    names,
    outbox,
    leaseMs: allTimes.lease,
    tickFigures: createTickFigures(schedules, scheduleStore),
    wake: () => wake(),
    perform,
    work: (parts) => {
      const ticks = new Ticks(schedules, scheduleStore, outbox, database, parts.logger);
      const worker = new JobWorker({
        ...parts,
        outbox,
        ticks,
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
