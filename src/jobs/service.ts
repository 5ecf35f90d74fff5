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
import { createJobPort, knownJobs } from './queue.ts';
import { createTickFigures, schedulesOf, Ticks } from './ticks.ts';
import { JobWorker, type WorkerTimes, workerTimes } from './worker.ts';

/** On what processes tell each other that there is work. */
const channel = 'gatewright_jobs';

/** Milliseconds in which others are told once, however much there is. */
const tellInterval = 100;

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

/** The jobs of an application: where they are stored, and who works on them. */
export interface JobService {
  readonly port: JobPort;
  readonly names: readonly string[];
  readonly outbox: Outbox;
  /** How long a job is left to a process that says nothing any more. */
  readonly leaseMs: number;
  /** What is known of the ticks of recurring jobs, for the metrics. */
  readonly tickFigures: () => Promise<readonly Figure[]>;
  /** Has whoever works on them look at what is due. */
  wake(): void;
  perform(parts: Pick<WorkParts, 'systemScope' | 'watch'>): Perform;
  /** Begins to work on them; answers what ends it. */
  work(parts: WorkParts): () => Promise<void>;
}

/** Tells other processes that there is work, where the database can; else they look for themselves. */
const teller = (database: Database): (() => void) => {
  if (database.tell === undefined) return () => {};
  let pending = false;
  return () => {
    if (pending) return;
    pending = true;
    setTimeout(() => {
      pending = false;
      // Who is not told looks within seconds.
      database.tell?.(channel).catch(() => {});
    }, tellInterval).unref();
  };
};

export const createJobs = ({ database, jobs, locale, times }: JobParts): JobService => {
  const known = knownJobs(jobs, locale);
  const names = [...known.keys()];
  const allTimes = { ...workerTimes, ...times };
  const outbox = createOutbox(database, names, allTimes.lease);
  const schedules = schedulesOf(jobs);
  const scheduleStore = createSchedules(database);
  const tellOthers = teller(database);
  // Whoever does not work on jobs tells those who do.
  let wake = tellOthers;
  const perform: JobService['perform'] = (parts) => createPerform({ known, ...parts });
  return {
    port: createJobPort(known, outbox, () => wake()),
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
        tellOthers,
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
