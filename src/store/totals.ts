import { BoundedCache } from '../kernel/bounded-cache.ts';
import type { Database } from './database.ts';
import type { PreparedList } from './list-plan.ts';
import type { Scope } from './scope.ts';

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
  at(revision: number | undefined, list: PreparedList, scope: Scope): number | undefined {
    if (revision === undefined || list.parameters.paging.kind !== 'page') return undefined;
    const known = this.#totals.get(keyOf(list, scope));
    return known?.revision === revision ? known.total : undefined;
  }

  /** Remembers a total that was counted while the revision was the same before and after. */
  keep(revision: number | undefined, list: PreparedList, scope: Scope, total: number): void {
    if (revision === undefined || list.parameters.paging.kind !== 'page' || this.revision() !== revision)
      return;
    this.#totals.set(keyOf(list, scope), { revision, total });
  }
}

const keyOf = (list: PreparedList, scope: Scope): string =>
  scope.values.length === 0 ? list.counted : `${list.counted} ${JSON.stringify(scope.values)}`;
