import { Cron } from 'croner';

/** When a recurring job runs. */
export interface JobSchedule {
  /** Its identity: expression and time zone. */
  readonly pattern: string;
  /** The first tick after a moment, both in milliseconds since the epoch; undefined where none comes any more. */
  next(after: number): number | undefined;
}

/**
 * Reads a cron expression. Its ticks are computed by croner, which knows of time zones and of days that have no, or two,
 * such hours; its timers are not used.
 * @throws Error that says what is wrong with it
 */
export const parseSchedule = (every: string, timeZone = 'UTC'): JobSchedule => {
  try {
    new Intl.DateTimeFormat('en', { timeZone });
  } catch (cause) {
    throw new Error(`timeZone ${timeZone} is none that this system knows`, { cause });
  }
  const cron = readExpression(every, timeZone);
  const schedule: JobSchedule = {
    pattern: `${every} ${timeZone}`,
    next: (after) => cron.nextRun(new Date(after))?.getTime(),
  };
  if (schedule.next(Date.now()) === undefined) throw new Error(`every ${every} never comes`);
  return schedule;
};

const readExpression = (every: string, timeZone: string): Cron => {
  try {
    return new Cron(every, { timezone: timeZone, mode: '5-or-6-parts', paused: true });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`every ${every} is no cron expression: ${reason}`, { cause });
  }
};
