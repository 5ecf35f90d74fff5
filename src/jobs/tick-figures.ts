import type { Figure } from '../kernel/figure.ts';
import type { ScheduleStore } from '../service/jobs/schedules.ts';
import type { JobSchedule } from './schedule.ts';

const shared = 'Of the whole database, the same from every instance: to be taken by max, not by sum.';

/**
 * How long ago each recurring job was last stored by its schedule, and how long the pause after that tick should be: a
 * job whose ticks no longer come is late by the difference.
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
