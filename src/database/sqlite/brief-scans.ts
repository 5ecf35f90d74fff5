import { BoundedCache } from '../../kernel/bounded-cache.ts';
import type { Query } from '../database.ts';
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

const keyOf = ({ sql, parameters }: Query): string => `${sql} ${JSON.stringify(parameters)}`;

const timed = async <Row>(scan: () => Promise<Row[]>): Promise<Scanned<Row>> => {
  const started = performance.now();
  const rows = await scan();
  return { rows, milliseconds: performance.now() - started };
};

/**
 * Chooses the thread of each scan. A scan that took at most a millisecond with the same values within the last second
 * runs on the main thread, as a thread of its own would cost more than the scan. With other values its time is unknown,
 * however alike they are.
 */
export class BriefScans {
  /** Measurements by SQL and values; an entry is true for one second. */
  readonly #measurements = new BoundedCache<Measurement>(200);

  /** Runs a scan `inline`, on the main thread, or `elsewhere`. */
  async run<Row>(
    query: Query,
    inline: () => Promise<Row[]>,
    elsewhere: () => Promise<Scanned<Row>>,
  ): Promise<Row[]> {
    const key = keyOf(query);
    const { rows, milliseconds } = this.#isBrief(key) ? await timed(inline) : await elsewhere();
    this.#measurements.set(key, { at: performance.now(), milliseconds });
    return rows;
  }

  #isBrief(key: string): boolean {
    const last = this.#measurements.get(key);
    return (
      last !== undefined &&
      last.milliseconds <= maxInlineScanMs &&
      performance.now() - last.at < measurementTtlMs
    );
  }
}
