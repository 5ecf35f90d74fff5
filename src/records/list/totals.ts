import type { Database } from '../../database/database.ts';
import { BoundedCache } from '../../kernel/bounded-cache.ts';
import type { RowReach } from '../rows/reach.ts';
import type { PreparedList } from './plan.ts';
import type { ListArguments } from './shape.ts';
import type { CountRow, PageRow } from './statements.ts';

/** What the database was when something was counted: a revision that it tells, or what the statement saw. */
type Moment = number | string;

interface Known {
  readonly moment: Moment;
  readonly total: number;
}

/** How much the last outcome says of the next one, and from which share of good ones on a total is brought along. */
const [newness, fair] = [0.1, 0.5];

/**
 * Totals of lists, for as long as nobody has committed anything since they were counted. Counting is what makes a page
 * of a large table dear; a total that still holds, to the commit, need not be counted again. SQLite tells its revision
 * before the statement. PostgreSQL tells what a statement sees: a page is asked for without counting, and its total is
 * the one that was counted by a statement that saw the same. Where none did, it is counted by itself, once for all
 * pages that wait for it.
 */
export class Totals {
  readonly #database: Database;
  /** By what is counted, values included; an entry ends with any commit that may have written what it counts. */
  readonly #totals = new BoundedCache<Known>(200);
  readonly #counting = new Map<string, Promise<Known | undefined>>();
  /** The share of pages, of late, that had no need to count for themselves. */
  #luck = 1;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The revision of what is counted at this moment; undefined where the database does not tell. */
  revision({ plan }: PreparedList): number | undefined {
    return this.#database.revision?.(plan.count.sql);
  }

  /** What a page under a revision brings along in the place of counting: a total that holds, or may. */
  along(
    revision: number | undefined,
    list: PreparedList,
    rows: RowReach,
  ): Pick<ListArguments, 'total' | 'seen'> | undefined {
    if (!isLasting(list)) return undefined;
    const known = this.#totals.get(keyOf(list, rows));
    if (known === undefined) return undefined;
    const { moment, total } = known;
    if (typeof moment === 'number') return moment === revision ? { total, seen: null } : undefined;
    return this.#luck >= fair ? { total, seen: moment } : undefined;
  }

  /**
   * The total of a page that brought one along: that one where it holds, or what was counted of all that the page saw;
   * undefined where nobody knows. @param count asks the database for the total alone
   */
  async of(
    revision: number | undefined,
    list: PreparedList,
    rows: RowReach,
    { total, seen }: PageRow,
    count: () => Promise<CountRow>,
  ): Promise<number | undefined> {
    if (total != null && this.revision(list) !== revision) return undefined;
    const found = total != null ? Number(total) : await this.#countedAt(seen, keyOf(list, rows), count);
    this.#learn(found !== undefined);
    return found;
  }

  /** Remembers a total that was counted while the revision was the same before and after. */
  keep(revision: number | undefined, list: PreparedList, rows: RowReach, row: CountRow): void {
    if (!isLasting(list) || this.revision(list) !== revision) return;
    const key = keyOf(list, rows);
    const before = this.#totals.get(key)?.moment;
    const known = this.#put(key, row, revision);
    if (known !== undefined && before !== undefined) this.#learn(before === known.moment);
  }

  #put(key: string, { total, seen }: CountRow, revision?: number): Known | undefined {
    const moment = seen ?? revision;
    if (total == null || moment === undefined) return undefined;
    const known = { moment, total: Number(total) };
    this.#totals.set(key, known);
    return known;
  }

  async #countedAt(
    seen: PageRow['seen'],
    key: string,
    count: () => Promise<CountRow>,
  ): Promise<number | undefined> {
    if (seen == null) return undefined;
    const meanwhile = this.#totals.get(key);
    const known = meanwhile?.moment === seen ? meanwhile : await this.#count(key, count);
    return known?.moment === seen ? known.total : undefined;
  }

  #count(key: string, count: () => Promise<CountRow>): Promise<Known | undefined> {
    const counting = this.#counting.get(key);
    if (counting !== undefined) return counting;
    const counted = count()
      .then((row) => this.#put(key, row))
      // Whoever began it may have hung up, and not those who wait for it: each counts for itself then, and is told why not.
      .catch(() => undefined)
      .finally(() => this.#counting.delete(key));
    this.#counting.set(key, counted);
    return counted;
  }

  #learn(good: boolean): void {
    this.#luck += newness * (Number(good) - this.#luck);
  }
}

/**
 * A total at one moment of time says nothing of the next, without anybody having committed anything; and that of one
 * session nothing of another's.
 */
const isLasting = ({ plan: { counted, shape } }: PreparedList): boolean =>
  counted && shape.source.timed !== true && shape.source.personal !== true;

const keyOf = ({ counted }: PreparedList, { values }: RowReach): string =>
  values.length === 0 ? counted : `${counted} ${JSON.stringify(values)}`;
