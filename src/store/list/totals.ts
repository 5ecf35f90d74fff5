import { BoundedCache } from '../../kernel/bounded-cache.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Database } from '../database.ts';
import type { RowReach } from '../rows/reach.ts';
import type { PreparedList } from './plan.ts';
import type { ListArguments } from './shape.ts';
import type { PageRow } from './statements.ts';

/** What the database was when something was counted: a revision that it tells, or what the statement saw. */
type Moment = number | string;

interface Known {
  readonly moment: Moment;
  readonly total: number;
}

/**
 * How long statements must have seen the same before a total goes along with one, in milliseconds. Where somebody commits
 * more often than that, a page that brings a total would often be asked for in vain, and once more to be counted.
 */
const quietTime = 50;

/**
 * Totals of lists, for as long as nobody has committed anything since they were counted. Counting is what makes a page
 * of a large table dear; a total that still holds, to the commit, need not be counted again. SQLite tells its revision
 * before the statement. PostgreSQL tells what a statement sees, so that a total goes along with one, which answers it
 * only where it sees the same as the one that counted.
 */
export class Totals {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #totals = new BoundedCache<Known>('totals');
  /** What the last statement saw, and since when they have seen the same. */
  #last: { readonly seen: string; readonly since: number } | undefined;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** The revision of this moment; undefined where the database does not tell. */
  revision(): number | undefined {
    return this.#database.revision?.();
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
    return this.#isQuiet(moment) ? { total, seen: moment } : undefined;
  }

  /** Whether a page that brought a total along is answered with it. */
  holds(revision: number | undefined, { total, seen }: PageRow): boolean {
    this.#note(seen);
    return total != null && this.revision() === revision;
  }

  /** Remembers a total that was counted while the revision was the same before and after. */
  keep(revision: number | undefined, list: PreparedList, rows: RowReach, row: PageRow): void {
    this.#note(row.seen);
    const moment = row.seen ?? revision;
    if (row.total == null || moment === undefined || !isLasting(list)) return;
    if (this.revision() !== revision) return;
    this.#totals.set(keyOf(list, rows), { moment, total: Number(row.total) });
  }

  #note(seen: PageRow['seen']): void {
    if (seen != null && seen !== this.#last?.seen) this.#last = { seen, since: this.#clock() };
  }

  #isQuiet(moment: string): boolean {
    return moment === this.#last?.seen && this.#clock() - this.#last.since >= quietTime;
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
