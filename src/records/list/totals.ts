/** The cache of totals, valid as long as the database has not changed. */

import type { Database } from '../../database/database.ts';
import { BoundedCache } from '../../kernel/bounded-cache.ts';
import type { RowReach } from '../rows/reach.ts';
import { hasConditions } from './parameters.ts';
import type { PreparedList } from './plan.ts';
import type { PageRow } from './statements.ts';

/** The database state of a total: the revision of its tables, or the snapshot of a statement. */
type State = number | string;

interface CountedTotal {
  readonly state: State;
  readonly total: number;
  /** True if the state is the same as when the total was counted before, if it was. */
  readonly stable: boolean;
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

  constructor(database: Database) {
    this.#database = database;
  }

  /** The current revision of the counted tables; undefined if the database has no revisions. */
  revision({ plan }: PreparedList): number | undefined {
    return this.#database.revision?.(plan.count.sql);
  }

  /**
   * True if the cached total may be valid for a page that is read now. On PostgreSQL only the page itself shows it:
   * while the database changes with every page, none is read for nothing.
   */
  mayHold(revision: number | undefined, list: PreparedList, rows: RowReach): boolean {
    if (!isCacheable(list)) return false;
    const cached = this.#totals.get(keyOf(list, rows));
    if (cached === undefined) return false;
    return typeof cached.state === 'string' ? cached.stable : cached.state === revision;
  }

  /** The total of a page that was read without counting; undefined if the database has changed. */
  of(
    revision: number | undefined,
    list: PreparedList,
    rows: RowReach,
    page: Pick<PageRow, 'seen'>,
  ): number | undefined {
    const cached = this.#totals.get(keyOf(list, rows));
    return cached?.state === this.#stateOf(revision, list, page) ? cached?.total : undefined;
  }

  /** Caches the total that was counted with a page. */
  keep(revision: number | undefined, list: PreparedList, rows: RowReach, page: PageRow): void {
    if (!isCacheable(list)) return;
    const state = this.#stateOf(revision, list, page);
    if (state === undefined) return;
    const key = keyOf(list, rows);
    const before = this.#totals.get(key);
    const stable = before === undefined || before.state === state;
    this.#totals.set(key, { state, total: Number(page.total), stable });
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

const keyOf = (list: PreparedList, { values }: RowReach): string => {
  const reader = isOfReader(list) ? ` reader ${list.values.reader}` : '';
  return values.length === 0 ? list.counted + reader : `${list.counted}${reader} ${JSON.stringify(values)}`;
};
