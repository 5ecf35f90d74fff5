import type { Unit } from '../database.ts';
import { transactionTimeout } from '../problems.ts';
import type { SqliteConnection } from './connection.ts';
import { SqliteTransaction } from './transaction.ts';

/**
 * What became of a unit. `again`: it held others up and is to be run anew, `first` of the next group, where nobody's
 * commit waits for it, or `last` of those that wait.
 */
export type UnitOutcome =
  | { readonly value: unknown }
  | { readonly error: unknown }
  | { readonly again: 'first' | 'last' };

/** How long a unit with code of an application may wait for other things than its statements. */
export interface Patience {
  /** By `performance.now()`; sooner where the writer is about to close. */
  readonly until: () => number;
  /** Milliseconds in all, for whoever is told that they are over. */
  readonly limit: number;
  /** Whether the commit of units before it has to wait for it. */
  readonly holdsGroup: boolean;
  /** Whether writes wait behind it. */
  readonly others: () => boolean;
}

/** How long others wait for a unit that waits for something else, in milliseconds. */
const othersWait = 1_000;

/** Milliseconds between two looks at who waits. */
const lookInterval = 50;

const awaitedElsewhere = (): Error =>
  new Error(
    'A unit of writing awaited something other than the statements of its transaction; it was undone',
  );

/**
 * Runs units one after the other and waits for each for one turn of the event loop: its statements settle within the
 * turn, so one that still runs in the next waits for something else, and holds the only writer for as long as that
 * takes. A unit of the service must not. One with code of an application may, alone and for a limited time: where the
 * commit of others waits for it, or others have waited for it long enough, it is undone and comes again.
 */
export class UnitRunner {
  readonly #connection: SqliteConnection;
  /** Told by the next turn of the event loop that the unit still runs. */
  #turned: (() => void) | undefined;
  #check: NodeJS.Immediate;

  /** Watches until `stop`. */
  constructor(connection: SqliteConnection) {
    this.#connection = connection;
    this.#check = this.#watch();
  }

  async run(unit: Unit, patience?: Patience): Promise<UnitOutcome> {
    const transaction = new SqliteTransaction(this.#connection);
    let watch: NodeJS.Timeout | undefined;
    try {
      const outcome = await new Promise<UnitOutcome>((resolve, reject) => {
        this.#turned = () => {
          if (patience === undefined) return reject(awaitedElsewhere());
          if (patience.holdsGroup) return resolve({ again: 'first' });
          this.#turned = undefined;
          watch = this.#wait(patience, resolve, reject);
        };
        unit(transaction).then((value) => resolve({ value }), reject);
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
    { until, limit, others }: Patience,
    resolve: (outcome: UnitOutcome) => void,
    reject: (error: unknown) => void,
  ): NodeJS.Timeout {
    clearImmediate(this.#check);
    let patientUntil = Number.POSITIVE_INFINITY;
    const look = (): void => {
      const now = performance.now();
      if (now >= until()) reject(transactionTimeout(limit));
      else if (!others()) patientUntil = Number.POSITIVE_INFINITY;
      else if (patientUntil === Number.POSITIVE_INFINITY) patientUntil = now + othersWait;
      else if (now >= patientUntil) resolve({ again: 'last' });
    };
    return setInterval(look, lookInterval);
  }

  #watch(): NodeJS.Immediate {
    return setImmediate(() => {
      this.#check = this.#watch();
      this.#turned?.();
    });
  }
}
