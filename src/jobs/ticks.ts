import type { Logger } from 'pino';
import type { Database } from '../database/database.ts';
import { toTimestamp } from '../kernel/clock.ts';
import type { Figure } from '../kernel/figure.ts';
import type { Outbox } from '../service/jobs/outbox.ts';
import type { Schedule, ScheduleStore } from '../service/jobs/schedules.ts';
import type { Jobs } from './define-job.ts';
import { type JobSchedule, parseSchedule } from './schedule.ts';

const shared = 'Of the whole database, the same from every instance: aggregate by max, not by sum.';

/**
 * Figures of how long ago the schedule of each recurring job last stored a job, and of the expected pause: the
 * difference is by how much a job whose ticks have stopped is late.
 */
export const createTickFigures =
  (schedules: ReadonlyMap<string, JobSchedule>, store: ScheduleStore) =>
  async (): Promise<readonly Figure[]> => {
    const stored = schedules.size === 0 ? { now: 0, schedules: [] } : await store.read();
    const ticks = stored.schedules.flatMap(({ name, ticked }) => {
      const schedule = schedules.get(name);
      if (schedule === undefined) return [];
      return [{ labels: { job: name }, ticked, next: schedule.next(ticked) }];
    });
    return [
      {
        ...{ type: 'gauge', across: 'max', name: 'job_last_tick_seconds' },
        help: `Time since the last tick of a recurring job, or since it became known. ${shared}`,
        samples: ticks.map(({ labels, ticked }) => ({ labels, value: (stored.now - ticked) / 1000 })),
      },
      {
        ...{ type: 'gauge', across: 'max', name: 'job_tick_pause_seconds' },
        help: `Time from that tick to the next one by the schedule. ${shared}`,
        samples: ticks.flatMap(({ labels, ticked, next }) =>
          next === undefined ? [] : [{ labels, value: (next - ticked) / 1000 }],
        ),
      },
    ];
  };

/** Recurring jobs by name. */
export const schedulesOf = (jobs: Jobs): ReadonlyMap<string, JobSchedule> =>
  new Map(
    [...jobs].flatMap(([name, { every, timeZone }]) =>
      every === undefined ? [] : [[name, parseSchedule(every, timeZone)] as const],
    ),
  );

/** Milliseconds after which the schedules are read again at the latest: the clock may have been changed meanwhile. */
const rereadMs = 60_000;

/**
 * Stores a job at each tick of the recurring ones. Every instance tries to, and the first one succeeds. Several ticks
 * that passed while no instance ran result in one job.
 */
export class Ticks {
  readonly #schedules: ReadonlyMap<string, JobSchedule>;
  readonly #store: ScheduleStore;
  readonly #outbox: Outbox;
  readonly #database: Database;
  readonly #logger: Logger;
  #registered = false;
  /** In the time of `performance.now()`, which never jumps. */
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

  /** Stores what is due. */
  async take(): Promise<void> {
    if (this.wait > 0) return;
    await this.#register();
    const { now, schedules } = await this.#store.read();
    const read = performance.now();
    let soonest = Infinity;
    for (const schedule of schedules) {
      const next = await this.#takeOne(schedule, now);
      if (next !== undefined) soonest = Math.min(soonest, next);
    }
    this.#dueAt = read + Math.min(soonest - now, rereadMs);
  }

  async #register(): Promise<void> {
    if (this.#registered) return;
    for (const [name, { pattern }] of this.#schedules) await this.#store.register(name, pattern);
    this.#registered = true;
  }

  /** Returns the next tick; undefined for a job that is not ours, or has no further ticks. */
  async #takeOne(schedule: Schedule, now: number): Promise<number | undefined> {
    const { name, ticked } = schedule;
    const ours = this.#schedules.get(name);
    if (ours === undefined) return undefined;
    const coming = ours.next(now);
    // The stored tick may be slightly early, but never after the next one: if it is, the clock was ahead.
    if (coming !== undefined && ticked > coming) return this.#reset(schedule, now, coming);
    const tick = ours.next(ticked);
    if (tick === undefined || tick > now) return tick;
    const following = ours.next(tick);
    const missed = following !== undefined && following <= now;
    await this.#database.write(async (transaction) => {
      if (await this.#store.take(transaction, schedule, missed ? now : tick))
        await this.#outbox.add({ name, key: null, input: {}, at: undefined }, transaction);
    });
    return missed ? ours.next(now) : following;
  }

  async #reset(schedule: Schedule, now: number, coming: number): Promise<number> {
    const line = { job: schedule.name, last_tick: toTimestamp(schedule.ticked) };
    if (await this.#database.write((transaction) => this.#store.take(transaction, schedule, now)))
      this.#logger.warn(line, 'the last tick of a job is in the future: its ticks count from now');
    return coming;
  }
}
