import type { Database, ListReader } from '../../database/database.ts';
import { dialectOf } from '../../database/registry.ts';
import type { Source } from '../../database/source.ts';
import { literal, type Statement, sql, statement } from '../../database/statement.ts';
import type { Clock } from '../../kernel/clock.ts';

/** Milliseconds for which a counted size is taken as it was. */
const freshness = 1000;

/** Whether a size that was counted at a time still holds. A clock that was set back makes none fresh. */
export const isFresh = (countedAt: number, now: number): boolean =>
  now >= countedAt && now - countedAt < freshness;

/** Rows up to which a table is small: whatever a statement does with them, it takes less than a millisecond or two. */
export const smallTable = 5000;

/**
 * Bytes up to which any look at all of a table is brief where such looks have processes of their own: 20 ms or so. Texts
 * that are stored compressed may take longer.
 */
export const briefTable = 8 * 1024 * 1024;

interface CountedSize {
  readonly rows: number;
  readonly bytes: number | null;
}

/**
 * Roughly how many rows a source has, exact up to `smallTable` and at most a second old. Counting stops there, so it
 * takes 0.1 ms however large the table is.
 */
export class SizeEstimate {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #count: Statement<Record<never, never>>;
  #rows = 0;
  #brief = false;
  #countedAt = Number.NEGATIVE_INFINITY;
  #counting: Promise<number> | undefined;

  constructor(database: Database, source: Source, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
    const dialect = dialectOf(database);
    const rows = sql`select 1 from ${source.from(dialect)} as t limit ${literal(smallTable + 1)}`;
    const { table } = source;
    const bytes = (table === undefined ? undefined : dialect.tableBytes?.(table)) ?? sql`null`;
    this.#count = statement(
      dialect,
      () => sql`select count(*) as rows, ${bytes} as bytes from (${rows}) as counted`,
    );
  }

  /** The known size, where it is fresh. */
  known(): number | undefined {
    return isFresh(this.#countedAt, this.#clock()) ? this.#rows : undefined;
  }

  /** Whether looks at all of it were brief when it was last counted. */
  get isBrief(): boolean {
    return this.#brief;
  }

  /** Rows of the source; `smallTable + 1` means that or more. Requests that come together count once. */
  rows(from: ListReader = this.#database): Promise<number> {
    this.#counting ??= this.#ask(from).finally(() => {
      this.#counting = undefined;
    });
    return this.#counting;
  }

  async #ask(from: ListReader): Promise<number> {
    const countedAt = this.#clock();
    const row = await from.get<CountedSize>(this.#count({}));
    this.#rows = Number(row?.rows ?? 0);
    this.#brief = row?.bytes != null && Number(row.bytes) <= briefTable;
    this.#countedAt = countedAt;
    return this.#rows;
  }
}
