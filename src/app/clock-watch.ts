/** Notices a system clock that is set back or far ahead, and corrects the stored times that it has spoilt. */

import type { Logger } from 'pino';
import type { Database } from '../database/database.ts';
import { mendTimes } from '../database/mend-times.ts';
import { timeText } from '../database/source.ts';
import { sql, statement, toQuery } from '../database/statement.ts';
import { tablesOf } from '../database/tables-of.ts';
import type { ClockMove, ServiceClock } from '../kernel/clock.ts';
import { timeBounds } from './stored-times.ts';

/** Interval in milliseconds at which the clock is checked. */
const lookMs = 10_000;

/** Checks between two saves of the current time, and between two routine checks of stored times. */
const looksUntilKept = 6;
const looksUntilMended = 60;

/** Corrects times in the service's tables that lie further in the future than they can. */
export const mendStoredTimes = (database: Database, now: number, logger: Logger): Promise<void> =>
  mendTimes(database, timeBounds, now, (column, rows) =>
    logger.warn({ column, rows }, 'stored times were too far in the future and were reset'),
  );

const createStore = (database: Database) => {
  const { dialect } = database;
  const db = tablesOf(database);
  const now = statement(dialect, () => sql`select ${timeText(dialect, dialect.now)} as now`)({});
  const left = toQuery(db.selectFrom('gatewright_database').select('clock_at'));
  return {
    now: async (): Promise<number> => Date.parse((await database.get<{ now: string }>(now))?.now ?? ''),
    left: async (): Promise<number | undefined> => {
      const row = await database.get<{ clock_at: number | null }>(left);
      return row?.clock_at == null ? undefined : Number(row.clock_at);
    },
    keep: async (time: number): Promise<void> => {
      const update = db.updateTable('gatewright_database').set({ clock_at: time });
      await database.execute(toQuery(update));
    },
  };
};

/** Watches the clock of a service until it is stopped. */
class ClockWatch {
  readonly #clock: ServiceClock;
  readonly #database: Database;
  readonly #store: ReturnType<typeof createStore>;
  readonly #logger: Logger;
  #looks = 0;
  #wasOff = false;
  #wasSetBack = false;

  constructor(clock: ServiceClock, database: Database, logger: Logger) {
    this.#clock = clock;
    this.#database = database;
    this.#store = createStore(database);
    this.#logger = logger;
  }

  async begin(): Promise<void> {
    await this.#compare();
    this.#say(this.#clock.start(await this.#store.left()));
    try {
      await this.#mend();
      await this.keep();
    } catch (error) {
      // A database that accepts no writes at this moment still serves reads.
      this.#logger.warn({ err: error }, 'stored times could not be checked');
    }
  }

  async look(): Promise<void> {
    this.#looks += 1;
    await this.#compare();
    const move = this.#clock.check();
    this.#say(move);
    // Wait for the next check: by then the holder of a job or delivery has extended its lease.
    if (this.#wasSetBack || this.#looks % looksUntilMended === 0) await this.#mend();
    this.#wasSetBack = move?.direction === 'back';
    if (this.#looks % looksUntilKept === 0) await this.keep();
  }

  /** Saves the time for the next start. */
  keep(): Promise<void> {
    return this.#store.keep(this.#clock.removal());
  }

  async #compare(): Promise<void> {
    const asked = performance.now();
    const time = await this.#store.now();
    this.#clock.compare(time, asked, performance.now());
    const { isOff, offset } = this.#clock;
    if (isOff && !this.#wasOff)
      this.#logger.warn(
        { seconds: offset / 1_000 },
        'the clock of this machine is ahead of the database’s by so many seconds: that one counts. Keep both in sync (NTP)',
      );
    this.#wasOff = isOff;
  }

  #say(move: ClockMove | undefined): void {
    if (move === undefined) return;
    const line = { seconds: Math.round(move.milliseconds / 1_000) };
    if (move.direction === 'back')
      this.#logger.warn(line, 'the clock was set back: stored times are checked');
    else
      this.#logger.warn(
        line,
        'the clock has leapt forward: for a day nothing is removed by the time behind the leap',
      );
  }

  #mend(): Promise<void> {
    return mendStoredTimes(this.#database, this.#clock.now(), this.#logger);
  }
}

/** Starts watching the clock of a service, before its first request. Resolves to a function that stops it. */
export const watchClock = async (
  clock: ServiceClock,
  database: Database,
  logger: Logger,
): Promise<() => Promise<void>> => {
  const watch = new ClockWatch(clock, database, logger);
  await watch.begin();
  let looking: Promise<void> | undefined;
  let isFailing = false;
  const timer = setInterval(() => {
    looking ??= watch
      .look()
      .then(
        () => {
          isFailing = false;
        },
        (error: unknown) => {
          if (!isFailing) logger.warn({ err: error }, 'the clock could not be compared with the database’s');
          isFailing = true;
        },
      )
      .finally(() => {
        looking = undefined;
      });
  }, lookMs).unref();
  return async () => {
    clearInterval(timer);
    await looking;
    await watch.keep().catch(() => {});
  };
};
