import type { Database } from '../../database/database.ts';
import { BoundedCache } from '../../kernel/bounded-cache.ts';
import type { RowReach } from '../rows/reach.ts';
import type { PreparedList } from './plan.ts';
import type { PageRow } from './statements.ts';

/** A state of what is counted: the revision of the database, or the snapshot of a statement. */
type State = number | string;

interface CountedTotal {
  readonly state: State;
  readonly total: number;
}

/**
 * Totals of lists, remembered with the state of the database in which they were counted. Counting is the greatest cost of a
 * page of a large table. A page that is read in the same state has the same total, to the commit: SQLite tells its revision
 * before a statement and after it, a statement on PostgreSQL returns the identifier of its snapshot.
 */
export class Totals {
  readonly #database: Database;
  /** By what is counted, values included. */
  readonly #totals = new BoundedCache<CountedTotal>(200);

  constructor(database: Database) {
    this.#database = database;
  }

  /** The revision of what is counted at this moment; undefined where the database has none. */
  revision({ plan }: PreparedList): number | undefined {
    return this.#database.revision?.(plan.count.sql);
  }

  /** Whether a page that is read now may have a total that is remembered: on PostgreSQL only the page can tell. */
  mayHold(revision: number | undefined, list: PreparedList, rows: RowReach): boolean {
    if (!isLasting(list)) return false;
    const state = this.#totals.get(keyOf(list, rows))?.state;
    return typeof state === 'string' || (state !== undefined && state === revision);
  }

  /** The total of a page that was read without counting; undefined where the database has changed. */
  of(
    revision: number | undefined,
    list: PreparedList,
    rows: RowReach,
    page: Pick<PageRow, 'seen'>,
  ): number | undefined {
    const known = this.#totals.get(keyOf(list, rows));
    return known?.state === this.#stateOf(revision, list, page) ? known?.total : undefined;
  }

  /** Remembers the total that was counted with a page. */
  keep(revision: number | undefined, list: PreparedList, rows: RowReach, page: PageRow): void {
    if (!isLasting(list)) return;
    const state = this.#stateOf(revision, list, page);
    if (state !== undefined) this.#totals.set(keyOf(list, rows), { state, total: Number(page.total) });
  }

  /** The state that a page was read in; undefined where that is not certain. @param revision before it was read */
  #stateOf(
    revision: number | undefined,
    list: PreparedList,
    { seen }: Pick<PageRow, 'seen'>,
  ): State | undefined {
    return seen ?? (this.revision(list) === revision ? revision : undefined);
  }
}

/** A total at one moment says nothing of the next where rows depend on the time, nor one session's of another's. */
const isLasting = ({ plan: { counted, shape } }: PreparedList): boolean =>
  counted && shape.source.timed !== true && shape.source.personal !== true;

const keyOf = ({ counted }: PreparedList, { values }: RowReach): string =>
  values.length === 0 ? counted : `${counted} ${JSON.stringify(values)}`;
