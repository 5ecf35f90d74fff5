import { BoundedCache } from '../../kernel/bounded-cache.ts';
import type { Database } from '../database.ts';
import type { RowReach } from '../rows/reach.ts';
import type { PreparedList } from './plan.ts';

/** A total, and the revision of the database under which it was counted. */
interface Known {
  readonly revision: number;
  readonly total: number;
}

/**
 * Totals of lists, for as long as nobody has committed anything since they were counted. Counting is what makes a page
 * of a large table dear; a total that still holds, to the commit, need not be counted again.
 */
export class Totals {
  readonly #database: Database;
  readonly #totals = new BoundedCache<Known>('totals');

  constructor(database: Database) {
    this.#database = database;
  }

  /** The revision of this moment; undefined where the database does not tell. */
  revision(): number | undefined {
    return this.#database.revision?.();
  }

  /** The total of a page under a revision. */
  at(revision: number | undefined, list: PreparedList, rows: RowReach): number | undefined {
    if (revision === undefined || !isLasting(list)) return undefined;
    const known = this.#totals.get(keyOf(list, rows));
    return known?.revision === revision ? known.total : undefined;
  }

  /** Remembers a total that was counted while the revision was the same before and after. */
  keep(revision: number | undefined, list: PreparedList, rows: RowReach, total: number): void {
    if (revision === undefined || !isLasting(list) || this.revision() !== revision) return;
    this.#totals.set(keyOf(list, rows), { revision, total });
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
