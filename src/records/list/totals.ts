/** The cache of totals and of page starts, valid as long as the database has not changed. */

import type { Database } from '../../database/database.ts';
import { BoundedCache } from '../../kernel/bounded-cache.ts';
import type { RowReach } from '../rows/reach.ts';
import { PageStarts } from './page-starts.ts';
import { hasConditions } from './parameters.ts';
import type { PreparedList } from './plan.ts';
import type { CountedRow, PageRow } from './statements.ts';

/** The database state of a total: the revision of its tables, or the snapshot of a statement. */
type State = number | string;

/** A count in vain is not repeated for this many times as long as it took, so that few pages wait in vain. */
const pauseFactor = 4;

/** The rows of a list in one state of the database. */
export interface CountedTotal {
  readonly state: State;
  readonly total: number;
  /** True if the state is the same as when the total was counted before, if it was. */
  readonly stable: boolean;
  /** Keys behind which pages start, in the ascending and the descending order of the keys. */
  readonly starts: { readonly ascending: PageStarts; readonly descending: PageStarts };
}

/**
 * A cache of totals with the database state in which they were counted. Counting is the greatest cost of a page of a
 * large table. A page read in exactly the same state has the same total. SQLite has revisions, compared before and
 * after a statement; on PostgreSQL a statement returns the identifier of its snapshot.
 */
export class Totals {
  readonly #database: Database;
  /** Totals, by their conditions with values. */
  readonly #totals = new BoundedCache<CountedTotal>(200);
  /** Counts that were out of date before they were over, by their conditions with values. */
  readonly #overtaken = new BoundedCache<{ readonly until: number }>(200);
  /** Counts that are under way, by their conditions with values. */
  readonly #counting = new Map<string, { readonly revision: number; readonly counted: Promise<void> }>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** The current revision of the counted tables; undefined if the database has no revisions. */
  revision({ plan }: PreparedList): number | undefined {
    return this.#database.revision?.(plan.depends);
  }

  /**
   * The cached total, if it may be valid for a page that is read now. On PostgreSQL only the page itself shows it:
   * while the database changes with every page, none is read for nothing.
   */
  cached(revision: number | undefined, list: PreparedList, rows: RowReach): CountedTotal | undefined {
    if (!isCacheable(list)) return undefined;
    const cached = this.#totals.get(conditionsKey(list, rows));
    const mayHold = typeof cached?.state === 'string' ? cached.stable : cached?.state === revision;
    return mayHold ? cached : undefined;
  }

  /** True if the page, read without counting, has the cached total: the database has not changed. */
  holds(
    { state }: CountedTotal,
    revision: number | undefined,
    list: PreparedList,
    page: Pick<PageRow, 'seen'>,
  ): boolean {
    return state === this.#stateOf(revision, list, page);
  }

  /** Caches the total that was counted with a page, and returns it; undefined if it cannot be cached. */
  keep(
    revision: number | undefined,
    list: PreparedList,
    rows: RowReach,
    page: CountedRow,
  ): CountedTotal | undefined {
    if (!isCacheable(list)) return undefined;
    const state = this.#stateOf(revision, list, page);
    if (state === undefined) return undefined;
    const key = conditionsKey(list, rows);
    const before = this.#totals.get(key);
    const stable = before === undefined || before.state === state;
    const starts = { ascending: new PageStarts(), descending: new PageStarts() };
    const counted = { state, total: Number(page.total), stable, starts };
    this.#totals.set(key, counted);
    return counted;
  }

  /**
   * Counts and caches a total, once for all requests that ask for it in one state of the database. After a count in
   * vain there is none for a time, and pages count for themselves. Rejects only for the request that counts, whose
   * share of the database it takes.
   */
  async count(
    revision: number,
    list: PreparedList,
    rows: RowReach,
    read: () => Promise<CountedRow>,
  ): Promise<void> {
    if (!isCacheable(list)) return;
    const key = conditionsKey(list, rows);
    if (this.#isOvertaken(key)) return;
    const shared = this.#counting.get(key);
    if (shared?.revision === revision) return shared.counted.catch(() => {});
    const began = performance.now();
    const counted = read().then((row) => {
      if (this.keep(revision, list, rows, row) !== undefined) return;
      const ended = performance.now();
      this.#overtaken.set(key, { until: ended + pauseFactor * (ended - began) });
    });
    const own = { revision, counted };
    this.#counting.set(key, own);
    try {
      await counted;
    } finally {
      if (this.#counting.get(key) === own) this.#counting.delete(key);
    }
  }

  #isOvertaken(key: string): boolean {
    return performance.now() < (this.#overtaken.get(key)?.until ?? 0);
  }

  /** The state in which a page was read; undefined if it is uncertain. @param revision before it was read */
  #stateOf(
    revision: number | undefined,
    list: PreparedList,
    { seen }: Pick<PageRow, 'seen'>,
  ): State | undefined {
    return seen ?? (this.revision(list) === revision ? revision : undefined);
  }
}

/**
 * True if a total can be cached: its rows depend neither on the time nor on the session. A ranked search counts with
 * every page, up to its end.
 */
const isCacheable = ({ plan: { counted, shape } }: PreparedList): boolean =>
  counted && !shape.ranked && shape.source.timed !== true && shape.source.personal !== true;

/** True if the request's conditions may look at fields that some readers see in some records only. */
const isOfReader = ({ plan: { shape, filtersOnRelations } }: PreparedList): boolean =>
  (shape.source.mask !== undefined && hasConditions(shape)) || filtersOnRelations;

/** Key of the conditions of a list, with their values: two lists of one key have the same rows, in whatever order. */
export const conditionsKey = (list: PreparedList, { values }: RowReach): string => {
  const reader = isOfReader(list) ? ` reader ${list.values.reader}` : '';
  return values.length === 0 ? list.counted + reader : `${list.counted}${reader} ${JSON.stringify(values)}`;
};
