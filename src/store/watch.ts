import type { Clock } from '../kernel/clock.ts';
import { Problem } from '../kernel/problem.ts';
import type { OpenDatabase } from './database.ts';
import { databaseUnavailable } from './dialects/problems.ts';
import { toQuery } from './statement.ts';
import { tablesOf } from './tables/tables-of.ts';

/** Milliseconds between two looks at whether the database is still the one that was opened. */
const interval = 1_000;

/** Milliseconds for which the answer of a readiness check is given again: strangers may ask as often as they like. */
const answerAge = 1_000;

export interface WatchOptions {
  readonly database: OpenDatabase;
  readonly clock: Clock;
  /** Told when the database is lost and when it is back, in a sentence each. */
  readonly report: (state: 'lost' | 'back', sentence: string) => void;
  /** Milliseconds that only grow; the process's own unless given. */
  readonly now?: () => number;
}

export interface DatabaseWatch {
  /**
   * Resolves where a write would be taken: one is made, at most once a second.
   * @throws Problem `database_unavailable`
   */
  ready(): Promise<void>;
  /** Looks now, as it does by itself every second. */
  look(): Promise<void>;
  stop(): void;
}

const asUnavailable = (error: unknown): Problem =>
  error instanceof Problem ? error : databaseUnavailable(error);

/** Which database this is, and the write by which it shows that it takes some. */
const createMark = async ({ database, clock }: WatchOptions) => {
  const db = tablesOf(database);
  const idQuery = toQuery(db.selectFrom('gatewright_database').select('id'));
  const read = async (): Promise<string | undefined> => (await database.get<{ id: string }>(idQuery))?.id;
  const id = await read();
  if (id === undefined)
    throw new Error('the database has no row in gatewright_database: it was not migrated');

  /** Why this is another database; undefined where it is the same, and while it does not answer. */
  const difference = async (): Promise<string | undefined> => {
    try {
      const found = await read();
      if (found === id) return undefined;
      return found === undefined ? 'it was emptied' : 'another one stands in its place';
    } catch (error) {
      // Away is not lost: it is asked again.
      if (error instanceof Problem) return undefined;
      return `it was emptied (${error instanceof Error ? error.message : String(error)})`;
    }
  };

  const write = async (): Promise<void> => {
    const update = db
      .updateTable('gatewright_database')
      .set({ checked_at: clock() })
      .where('id', '=', id)
      .returning('id');
    const [row] = await database.execute(toQuery(update)).catch((error: unknown) => {
      throw asUnavailable(error);
    });
    if (row === undefined) throw databaseUnavailable(new Error('another database stands in its place'));
  };

  return { difference, write };
};

/** One answer for all who ask within `answerAge`, from the end of the check on. */
const rarely = (check: () => Promise<void>, now: () => number): (() => Promise<void>) => {
  let last: Promise<void> | undefined;
  let over = Number.NEGATIVE_INFINITY;
  return () => {
    if (last !== undefined && now() - over < answerAge) return last;
    over = Number.POSITIVE_INFINITY;
    last = check().finally(() => {
      over = now();
    });
    return last;
  };
};

/**
 * Watches whether the database under the service is still the one that it started with. Once it was removed, emptied
 * or replaced, writes are refused: nothing is acknowledged that nobody will find again.
 */
export const watchDatabase = async (options: WatchOptions): Promise<DatabaseWatch> => {
  const { database, report, now = () => performance.now() } = options;
  const mark = await createMark(options);
  let known: string | undefined;

  const note = (reason: string | undefined): void => {
    if (reason === known) return;
    known = reason;
    database.refuseWrites(reason === undefined ? undefined : new Error(reason));
    if (reason === undefined) report('back', 'the database is the one of before again: writes are taken');
    else report('lost', `the database is lost, writes are refused: ${reason}`);
  };

  /** What is open is not what lies under the name; only a new start opens that. */
  const lost = (): string | undefined => {
    const reason = database.lost?.();
    return reason === undefined ? undefined : `${reason}; put it right, then start the service again`;
  };

  const look = async (): Promise<void> => note(lost() ?? (await mark.difference()));

  let looking = false;
  const timer = setInterval(async () => {
    if (looking) return;
    looking = true;
    await look().catch(() => {});
    looking = false;
  }, interval).unref();

  return { ready: rarely(mark.write, now), look, stop: () => clearInterval(timer) };
};
