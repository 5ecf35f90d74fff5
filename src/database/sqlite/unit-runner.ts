/** Units of the SQLite writer, one after the other, and the time for which one may hold up the others. */

import { nextSlice, someWaitForSlice } from '../../kernel/slices.ts';
import type { Query, Transaction, Unit } from '../database.ts';
import { transactionTimeout } from '../problems.ts';
import type { SqliteConnection } from './connection.ts';

/**
 * The transaction that a unit sees. After the first refused statement everything else is refused too, also where the
 * unit catches the error: so it is in PostgreSQL, and a unit is written for both. Between its statements other requests
 * get their turns.
 */
class SqliteTransaction implements Transaction {
  readonly #connection: SqliteConnection;
  readonly #limits: WaitLimits | undefined;
  #over = false;
  #failure: { readonly error: unknown } | undefined;
  /** Until it resolves, statements wait for the next slice of the main thread, and keep their order. */
  #turn: Promise<void> | undefined;
  #steps = 0;
  #seen = 0;

  constructor(connection: SqliteConnection, limits: WaitLimits | undefined) {
    this.#connection = connection;
    this.#limits = limits;
  }

  all<Row>(query: Query): Promise<Row[]> {
    return this.#step(() => this.#connection.all<Row>(query));
  }

  get<Row>(query: Query): Promise<Row | undefined> {
    return this.#step(() => this.#connection.get<Row>(query));
  }

  run(query: Query): Promise<number> {
    return this.#step(() => this.#connection.run(query));
  }

  /** True if a statement waits for its slice. */
  get waits(): boolean {
    return this.#turn !== undefined;
  }

  /** True if it has run a statement since the last call, or one waits. */
  isBusy(): boolean {
    const steps = this.#steps - this.#seen;
    this.#seen = this.#steps;
    return steps > 0 || this.waits;
  }

  /** Resolves when the statements have run that the unit started and did not await. */
  async settle(): Promise<void> {
    while (this.#turn !== undefined) await this.#turn;
  }

  /** No statement of the unit may run any more: it is over. Returns why it failed, if a statement did. */
  end(): { readonly error: unknown } | undefined {
    this.#over = true;
    return this.#failure;
  }

  async #step<T>(statement: () => T): Promise<T> {
    for (let turn = this.#next(); turn !== undefined; turn = this.#next()) await turn;
    if (this.#over) throw new Error('The transaction is over: a statement came after its unit had ended');
    if (this.#failure !== undefined) throw this.#failure.error;
    this.#steps += 1;
    try {
      return statement();
    } catch (error) {
      const seen = this.#connection.toError(error);
      this.#failure = { error: seen };
      throw seen;
    }
  }

  #next(): Promise<void> | undefined {
    this.#turn ??= nextSlice()?.then(() => {
      this.#turn = undefined;
      // A timer may be late beside many others: the statement itself finds that the time of its unit is over.
      if (this.#limits !== undefined && performance.now() >= this.#limits.until())
        this.#failure ??= { error: transactionTimeout(this.#limits.limit) };
    });
    return this.#turn;
  }
}

/**
 * The outcome of a unit. `again`: it held others up and is to be run again, `first` of the next group, where no other's
 * commit waits for it, or `last` of those that wait.
 */
export type UnitOutcome =
  | { readonly value: unknown }
  | { readonly error: unknown }
  | { readonly again: 'first' | 'last' };

/** How long a unit with code of an application may wait for other things than its statements. */
export interface WaitLimits {
  /** Deadline by `performance.now()`; sooner where the writer is about to close. */
  readonly until: () => number;
  /** Milliseconds in all, for the error when they are over. */
  readonly limit: number;
  /** True if the commit of units before it has to wait for it. */
  readonly holdsGroup: boolean;
  /** True if other writes wait for it. */
  readonly others: () => boolean;
}

/** Longest time for which others wait for a unit that waits for something else. */
const othersWaitMs = 1_000;

const lookIntervalMs = 50;

const awaitedElsewhere = (): Error =>
  new Error(
    'A unit of writing awaited something other than the statements of its transaction; it was undone',
  );

/**
 * Runs units one after the other, most of them within one turn of the event loop. One that still runs in the next has
 * many statements, between which others get their turns, or waits for something else, and holds the only writer for as
 * long as that takes. A unit of the service must not wait for anything else. One with code of an application may, alone
 * and for a limited time: where the commit of others waits for it, or others have waited for it long enough, it is
 * undone and comes again.
 */
export class UnitRunner {
  readonly #connection: SqliteConnection;
  /** Called in the next turn of the event loop if the unit still runs. */
  #turned: (() => void) | undefined;
  #check: NodeJS.Immediate;

  /** Watches until `stop`. */
  constructor(connection: SqliteConnection) {
    this.#connection = connection;
    this.#check = this.#watch();
  }

  async run(unit: Unit, limits?: WaitLimits): Promise<UnitOutcome> {
    const transaction = new SqliteTransaction(this.#connection, limits);
    let watch: NodeJS.Timeout | undefined;
    try {
      const outcome = await new Promise<UnitOutcome>((resolve, reject) => {
        this.#turned = () => {
          if (limits === undefined) {
            if (!someWaitForSlice()) reject(awaitedElsewhere());
            return;
          }
          if (limits.holdsGroup) return resolve({ again: 'first' });
          this.#turned = undefined;
          watch = this.#wait(limits, transaction, resolve, reject);
        };
        unit(transaction).then((value) => {
          if (transaction.waits) void transaction.settle().then(() => resolve({ value }));
          else resolve({ value });
        }, reject);
      });
      return transaction.end() ?? outcome;
    } catch (error) {
      transaction.end();
      return { error };
    } finally {
      this.#turned = undefined;
      if (watch !== undefined) {
        clearInterval(watch);
        this.#check = this.#watch();
      }
    }
  }

  stop(): void {
    clearImmediate(this.#check);
  }

  #wait(
    { until, limit, others }: WaitLimits,
    transaction: SqliteTransaction,
    resolve: (outcome: UnitOutcome) => void,
    reject: (error: unknown) => void,
  ): NodeJS.Timeout {
    clearImmediate(this.#check);
    let othersWaitUntil = Number.POSITIVE_INFINITY;
    const look = (): void => {
      const now = performance.now();
      const isBusy = transaction.isBusy();
      if (now >= until()) reject(transactionTimeout(limit));
      else if (!others()) othersWaitUntil = Number.POSITIVE_INFINITY;
      else if (othersWaitUntil === Number.POSITIVE_INFINITY)
        othersWaitUntil = isBusy ? Number.POSITIVE_INFINITY : now + othersWaitMs;
      else if (now >= othersWaitUntil) resolve({ again: 'last' });
    };
    return setInterval(look, lookIntervalMs);
  }

  #watch(): NodeJS.Immediate {
    return setImmediate(() => {
      this.#check = this.#watch();
      this.#turned?.();
    });
  }
}
