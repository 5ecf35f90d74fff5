import { BoundedCache } from '../../kernel/bounded-cache.ts';
import type { Query } from '../database.ts';
import type { Scanned } from './protocol.ts';

/** Maximum duration of a scan on the main thread, and the age up to which a measurement of it counts, in milliseconds. */
const maxInlineScanMs = 1;
const measurementTtlMs = 1_000;

interface Ran {
  /** When it was over, by `performance.now()`. */
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
 * Which scans are over so soon that to hand them to a thread and back would cost more than they do: those that were, with
 * the same values, within the last second. What it takes with other values says nothing, however alike they are.
 */
export class BriefScans {
  /** By SQL and values; an entry is true for one second. */
  readonly #ran = new BoundedCache<Ran>(200);

  /** Runs a scan where it belongs: `atOnce` where it is asked for, or `elsewhere`. */
  async run<Row>(
    query: Query,
    atOnce: () => Promise<Row[]>,
    elsewhere: () => Promise<Scanned<Row>>,
  ): Promise<Row[]> {
    const key = keyOf(query);
    const { rows, milliseconds } = this.#isBrief(key) ? await timed(atOnce) : await elsewhere();
    this.#ran.set(key, { at: performance.now(), milliseconds });
    return rows;
  }

  #isBrief(key: string): boolean {
    const ran = this.#ran.get(key);
    return (
      ran !== undefined &&
      ran.milliseconds <= maxInlineScanMs &&
      performance.now() - ran.at < measurementTtlMs
    );
  }
}
