/** Watch over an open database: its readiness, its identity, and damage that a statement has met. */

import type { Clock } from '../kernel/clock.ts';
import { errorMessage } from '../kernel/error-message.ts';
import { Problem } from '../kernel/problem.ts';
import type { OpenDatabase } from './database.ts';
import { databaseUnavailable, originalError } from './problems.ts';
import { toQuery } from './statement.ts';
import { tablesOf } from './tables-of.ts';

/** Interval of checks that the database is still the opened one. */
const checkIntervalMs = 1_000;

/** Time for which the result of a readiness check is reused, since strangers may request it at any rate. */
const readinessTtlMs = 1_000;

/**
 * Milliseconds after which a readiness check counts as failed: the response is out within 2 s, whatever the database
 * does.
 */
const readinessTimeoutMs = 1_500;

export interface WatchOptions {
  readonly database: OpenDatabase;
  readonly clock: Clock;
  /** Called with a sentence when the database is lost, when it is back, and when it is found damaged. */
  readonly report: (state: 'lost' | 'back' | 'damaged', sentence: string) => void;
  /** Milliseconds that only grow; the process's own unless given. */
  readonly now?: () => number;
}

export interface DatabaseWatch {
  /**
   * Resolves if the database accepts writes, which it checks by one, at most once a second. After a write that the disk
   * or the server refused, it throws until a check succeeds that allocates disk space.
   * @throws Problem `database_unavailable`, or `not_ready_damaged` once a statement has met damaged data
   */
  ready(): Promise<void>;
  /** To be called with every error of a statement. */
  failed(error: unknown): void;
  /** True if a statement has met damaged data since the start. Only a repair and a restart end it. */
  damaged(): boolean;
  /** Checks now, as it does by itself every second. */
  look(): Promise<void>;
  stop(): void;
}

const asUnavailable = (error: unknown): Problem =>
  error instanceof Problem && error.problem === 'database_unavailable'
    ? error
    : databaseUnavailable(originalError(error));

/** Advice for an operator; the page says more. */
const repair =
  'Data that was read from it may be incomplete. Stop the service, keep a copy of the database as it is, find out what is damaged, ' +
  'then restore the last good backup: docs/reference/damage.md';

/** The identity of the database, and the write that checks whether it accepts writes. */
const createMark = async ({ database, clock }: WatchOptions) => {
  const db = tablesOf(database);
  const idQuery = toQuery(db.selectFrom('gatewright_database').select('id'));
  const read = async (): Promise<string | undefined> => (await database.get<{ id: string }>(idQuery))?.id;
  const id = await read();
  if (id === undefined)
    throw new Error('the database has no row in gatewright_database: it was not migrated');

  /** Describes the difference if this is another database; undefined if it is the same, or does not respond. */
  const difference = async (): Promise<string | undefined> => {
    try {
      const found = await read();
      if (found === id) return undefined;
      return found === undefined ? 'it was emptied' : 'another one stands in its place';
    } catch (error) {
      // An unreachable database is not lost: it is checked again.
      if (error instanceof Problem) return undefined;
      return `it was emptied (${errorMessage(error)})`;
    }
  };

  const { dialect } = database;
  const probeDisk = (): Promise<void> =>
    database.write(async (transaction) => {
      for (const sql of dialect.diskProbe) await transaction.run({ sql, parameters: [] });
    });

  /** @param suspect whether a write has failed since the last one */
  const write = async (suspect: boolean): Promise<void> => {
    const update = db
      .updateTable('gatewright_database')
      .set({ checked_at: clock() })
      .where('id', '=', id)
      .returning('id');
    const [row] = await database.execute(toQuery(update));
    if (row === undefined) throw new Error('another database stands in its place');
    if (suspect || dialect.isDiskProbeCheap) await probeDisk();
  };

  return { difference, write };
};

/** True if the database accepts writes, according to the last check and the writes since. */
class Readiness {
  readonly #check: (suspect: boolean) => Promise<void>;
  readonly #now: () => number;
  #failure: Problem | undefined;
  #failures = 0;
  #isChecking = false;
  /** When the last check ended. */
  #checked = Number.NEGATIVE_INFINITY;
  #result = Promise.resolve();

  constructor(check: (suspect: boolean) => Promise<void>, now: () => number) {
    this.#check = check;
    this.#now = now;
  }

  fail(error: unknown): void {
    this.#failure = asUnavailable(error);
    this.#failures += 1;
  }

  /** @throws Problem `database_unavailable` */
  async ready(): Promise<void> {
    if (!this.#isChecking && this.#now() - this.#checked >= readinessTtlMs) this.#result = this.#begin();
    await this.#result;
    if (this.#failure !== undefined) throw this.#failure;
  }

  /**
   * Resolves when the check has ended, or timed out. One that timed out goes on, and no other begins before it ends.
   */
  #begin(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#isChecking = true;
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      this.fail(new Error(`The database did not take a write within ${readinessTimeoutMs} ms`));
      resolve();
    }, readinessTimeoutMs);
    void this.#run().finally(() => {
      clearTimeout(timer);
      this.#isChecking = false;
      this.#checked = isLate ? Number.NEGATIVE_INFINITY : this.#now();
      resolve();
    });
    return promise;
  }

  async #run(): Promise<void> {
    const before = this.#failures;
    try {
      await this.#check(this.#failure !== undefined);
      if (this.#failures === before) this.#failure = undefined;
    } catch (error) {
      this.fail(error);
    }
  }
}

/**
 * Watches whether the database under the service is still the one that it started with. Once it was removed, emptied
 * or replaced, writes are refused: nothing is acknowledged that is not kept.
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

  /** Describes the loss of the open database, which only a restart of the service can repair. */
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
  }, checkIntervalMs).unref();

  let isDamaged = false;
  const noteDamage = (error: unknown): void => {
    const place = database.damageIn(error);
    if (place === undefined || isDamaged) return;
    isDamaged = true;
    report('damaged', `the database is damaged (${place}): ${errorMessage(originalError(error))}. ${repair}`);
  };

  const readiness = new Readiness(mark.write, now);
  return {
    ready: async () => {
      await readiness.ready();
      if (isDamaged) throw new Problem('not_ready_damaged', { headers: { 'Retry-After': '60' } });
    },
    failed: (error) => {
      noteDamage(error);
      if (database.cannotWrite(error)) readiness.fail(error);
    },
    damaged: () => isDamaged,
    look,
    stop: () => clearInterval(timer),
  };
};
