/**
 * The schedules of recurring jobs with their last ticks; for each tick, the first process to take it stores the job.
 * Times are milliseconds since the epoch, by the clock of the database.
 */

import type { Database, Transaction } from '../../../database/database.ts';
import { timeText } from '../../../database/source.ts';
import { param, sql, statement, tableName } from '../../../database/statement.ts';

export interface Schedule {
  readonly name: string;
  /** The last tick that was taken, or the time from which ticks count. */
  readonly ticked: number;
  /** True if no job is stored for its ticks. */
  readonly paused: boolean;
}

export interface Schedules {
  readonly now: number;
  readonly schedules: readonly Schedule[];
}

interface Row {
  readonly name: string;
  readonly ticked: string;
  readonly paused: boolean | number;
  readonly now: string;
}

const table = tableName('gatewright_schedules');

export const createSchedules = (database: Database) => {
  const { dialect } = database;
  // A schedule whose pattern changed starts now: ticks of the new pattern before this moment do not count.
  const register = statement<{ name: string; pattern: string }>(
    dialect,
    (param) => sql`insert into ${table} (name, pattern, ticked_at)
      values (${param('name')}, ${param('pattern')}, ${dialect.now})
      on conflict (name) do update set pattern = excluded.pattern, ticked_at = excluded.ticked_at
      where ${table}.pattern <> excluded.pattern`,
  );
  const read = statement(
    dialect,
    () => sql`select name, ${timeText(dialect, sql`ticked_at`)} as ticked,
      paused_at is not null as paused, ${timeText(dialect, dialect.now)} as now from ${table} order by name`,
  );
  const time = (of: string) => dialect.cast(param(of), 'timestamp');
  const tick = statement<{ name: string; seen: string; tick: string }>(
    dialect,
    (param) => sql`update ${table} set ticked_at = ${time('tick')}
      where name = ${param('name')} and ticked_at = ${time('seen')} and paused_at is null`,
  );

  return {
    /** Registers a job; ticks count from now on, unless it is registered with this pattern already. */
    register: async (job: string, pattern: string): Promise<void> => {
      await database.execute(register({ name: job, pattern }));
    },

    read: async (): Promise<Schedules> => {
      const rows = await database.all<Row>(read({}));
      return {
        now: Date.parse(rows[0]?.now ?? ''),
        schedules: rows.map(({ name: job, ticked, paused }) => ({
          name: job,
          ticked: Date.parse(ticked),
          paused: Boolean(paused),
        })),
      };
    },

    /**
     * Takes a tick in the transaction that stores its job. Returns false if another process took it first, or the job
     * is paused.
     */
    take: async (transaction: Transaction, { name: job, ticked }: Schedule, to: number): Promise<boolean> => {
      const seen = new Date(ticked).toISOString();
      return (await transaction.run(tick({ name: job, seen, tick: new Date(to).toISOString() }))) === 1;
    },
  };
};

export type ScheduleStore = ReturnType<typeof createSchedules>;
