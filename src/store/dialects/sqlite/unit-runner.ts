import type { Unit } from '../unit.ts';
import type { SqliteConnection } from './connection.ts';
import { SqliteTransaction } from './transaction.ts';

export type UnitOutcome = { readonly value: unknown } | { readonly error: unknown };

const awaitedElsewhere = (): Error =>
  new Error(
    'A unit of writing awaited something other than the statements of its transaction; it was undone',
  );

/**
 * Runs units one after the other and waits for each for one turn of the event loop at most: the statements of a unit
 * settle within the turn, so one that still runs in the next turn waits for something else, and would hold the only
 * writer for as long as that takes.
 */
export class UnitRunner {
  readonly #connection: SqliteConnection;
  /** Ends the wait for the running unit. */
  #abandon: ((error: Error) => void) | undefined;
  #check: NodeJS.Immediate;

  /** Watches until `stop`. */
  constructor(connection: SqliteConnection) {
    this.#connection = connection;
    this.#check = this.#watch();
  }

  async run(unit: Unit): Promise<UnitOutcome> {
    const transaction = new SqliteTransaction(this.#connection);
    try {
      const value = await new Promise((resolve, reject) => {
        this.#abandon = reject;
        unit(transaction).then(resolve, reject);
      });
      return transaction.end() ?? { value };
    } catch (error) {
      transaction.end();
      return { error };
    } finally {
      this.#abandon = undefined;
    }
  }

  stop(): void {
    clearImmediate(this.#check);
  }

  #watch(): NodeJS.Immediate {
    return setImmediate(() => {
      this.#check = this.#watch();
      this.#abandon?.(awaitedElsewhere());
    });
  }
}
