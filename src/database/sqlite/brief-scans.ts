import { BoundedCache } from '../../kernel/bounded-cache.ts';
import type { Query } from '../database.ts';
import type { Walk } from '../query.ts';
import type { Scanned } from './protocol.ts';

/** Longest scan on the main thread, where all requests wait for it. */
const maxInlineScanMs = 1;

/** Time for which a scan is expected to take as long as it took the last time. */
const measurementTtlMs = 1_000;

interface Measurement {
  /** The end of the scan, by `performance.now()`. */
  readonly at: number;
  readonly milliseconds: number;
}

/** The scans that one measurement judges. */
interface ScansAlike {
  readonly areBrief: boolean;
  readonly took: (milliseconds: number) => void;
}

const keyOf = ({ sql, parameters }: Query): string => `${sql} ${JSON.stringify(parameters)}`;

/** Runs a scan that reads its rows before it returns. The time until they are awaited belongs to other requests. */
const timed = async <Row>(scan: () => Promise<Row[]>): Promise<Scanned<Row>> => {
  const started = performance.now();
  const rows = scan();
  const milliseconds = performance.now() - started;
  return { rows: await rows, milliseconds };
};

const isFresh = ({ at }: { readonly at: number }): boolean => performance.now() - at < measurementTtlMs;

/** The longest walks that were brief within the last second: a shorter one passes only rows that they passed too. */
class BriefWalks {
  readonly #longest = new BoundedCache<{ readonly at: number; readonly rows: number }>(200);

  isBrief({ key, rows }: Walk): boolean {
    const longest = this.#longest.get(key);
    return longest !== undefined && rows <= longest.rows && isFresh(longest);
  }

  took({ key, rows }: Walk, milliseconds: number): void {
    const longest = this.#longest.get(key);
    const isLonger = longest === undefined || rows >= longest.rows || !isFresh(longest);
    const isBrief = milliseconds <= maxInlineScanMs;
    if (isBrief && isLonger) this.#longest.set(key, { at: performance.now(), rows });
    // Something has changed: even these rows take too long now.
    else if (!isBrief && !isLonger) this.#longest.set(key, { at: performance.now(), rows: 0 });
  }
}

/**
 * Chooses the thread of each scan. A scan that took at most a millisecond with the same values within the last second
 * runs on the main thread, as a thread of its own would cost more than the scan. With other values its time is unknown,
 * however alike they are; except for a walk along an index, which takes no longer than a walk beyond it.
 */
export class BriefScans {
  /** Measurements by SQL and values; an entry is true for one second. */
  readonly #measurements = new BoundedCache<Measurement>(200);
  readonly #walks = new BriefWalks();

  /** Runs a scan `inline`, on the main thread, or `elsewhere`. */
  async run<Row>(
    query: Query,
    inline: () => Promise<Row[]>,
    elsewhere: () => Promise<Scanned<Row>>,
  ): Promise<Row[]> {
    const { walk } = query;
    const scans = walk === undefined ? this.#scansOf(keyOf(query)) : this.#walksOf(walk);
    const { rows, milliseconds } = scans.areBrief ? await timed(inline) : await elsewhere();
    scans.took(milliseconds);
    return rows;
  }

  #scansOf(key: string): ScansAlike {
    const last = this.#measurements.get(key);
    return {
      areBrief: last !== undefined && last.milliseconds <= maxInlineScanMs && isFresh(last),
      took: (milliseconds) => {
        this.#measurements.set(key, { at: performance.now(), milliseconds });
      },
    };
  }

  #walksOf(walk: Walk): ScansAlike {
    return {
      areBrief: this.#walks.isBrief(walk),
      took: (milliseconds) => this.#walks.took(walk, milliseconds),
    };
  }
}
