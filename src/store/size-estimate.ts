import type { Clock } from '../kernel/clock.ts';
import type { Database } from './database.ts';
import type { Source } from './source.ts';

/** Milliseconds for which a counted size is taken as it was. */
const freshness = 1000;

/** Rows up to which a table is small: whatever a statement does with them, it takes less than a millisecond or two. */
export const smallTable = 5000;

/**
 * Roughly how many rows a source has, exact up to `smallTable` and at most a second old. Counting stops there, so it
 * takes 0.1 ms however large the table is.
 */
export class SizeEstimate {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #sql: string;
  #rows = 0;
  #countedAt = Number.NEGATIVE_INFINITY;
  #counting: Promise<number> | undefined;

  constructor(database: Database, source: Source, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
    this.#sql = `select count(*) as rows from (select 1 from ${source.from(database.dialect)} as t limit ${smallTable + 1}) as counted`;
  }

  /** The known size, where it is fresh. */
  known(): number | undefined {
    const age = this.#clock() - this.#countedAt;
    // A clock that was set back makes no size fresh.
    return age >= 0 && age < freshness ? this.#rows : undefined;
  }

  /** Rows of the source; `smallTable + 1` means that or more. Requests that come together count once. */
  rows(): Promise<number> {
    this.#counting ??= this.#count().finally(() => {
      this.#counting = undefined;
    });
    return this.#counting;
  }

  async #count(): Promise<number> {
    const countedAt = this.#clock();
    const row = await this.#database.get<{ rows: number }>({ sql: this.#sql, parameters: [] });
    this.#rows = Number(row?.rows ?? 0);
    this.#countedAt = countedAt;
    return this.#rows;
  }
}
