/** Keys behind which the pages of a list start, so that a deep page passes few rows. */

import type { SqlValue } from '../../database/database.ts';

/** The key of the row before a page, and the number of rows up to it. */
export interface PageStart {
  readonly offset: number;
  readonly key: SqlValue;
}

/** Most starts of one order. */
const mostStarts = 256;

/**
 * Keys that are followed by pages of one list in one state of the database. A page that starts behind the nearest one
 * passes the rows between, not all rows before it. The last start is always known, so that a reader of one page after
 * the other passes none. The others are few, and at least a gap apart that grows with them.
 */
export class PageStarts {
  #last: PageStart | undefined;
  /** In the order of their offsets. */
  #spread: PageStart[] = [];
  #gap = 1;

  /** The last known start that is not behind the offset. */
  before(offset: number): PageStart | undefined {
    const spread = this.#spread[this.#countBefore(offset + 1) - 1];
    const last = this.#last;
    if (last === undefined || last.offset > offset) return spread;
    return spread !== undefined && spread.offset > last.offset ? spread : last;
  }

  keep(start: PageStart): void {
    this.#last = start;
    const place = this.#countBefore(start.offset);
    const [before, after] = [this.#spread[place - 1], this.#spread[place]];
    if (before !== undefined && start.offset - before.offset < this.#gap) return;
    if (after !== undefined && after.offset - start.offset < this.#gap) return;
    this.#spread.splice(place, 0, start);
    while (this.#spread.length > mostStarts) this.#thin();
  }

  #thin(): void {
    this.#gap *= 2;
    let next = 0;
    this.#spread = this.#spread.filter(({ offset }) => {
      if (offset < next) return false;
      next = offset + this.#gap;
      return true;
    });
  }

  /** The number of spread starts before an offset. */
  #countBefore(offset: number): number {
    let [low, high] = [0, this.#spread.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#spread[middle]?.offset ?? 0) < offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
