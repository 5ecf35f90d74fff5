import { BoundedCache } from '../../../kernel/bounded-cache.ts';
import type { Query } from '../../database.ts';

/** Milliseconds that a scan may take where everybody waits for it, and for which it is taken to be as long as it was. */
const [briefly, freshness] = [1, 1_000];

interface Ran {
  /** When it was over, by `performance.now()`. */
  readonly at: number;
  readonly milliseconds: number;
}

const keyOf = ({ sql, parameters }: Query): string => `${sql} ${JSON.stringify(parameters)}`;

/**
 * Which scans are over so soon that to hand them to a thread and back would cost more than they do: those that were, with
 * the same values, within the last second. What it takes with other values says nothing, however alike they are.
 */
export class BriefScans {
  readonly #ran = new BoundedCache<Ran>('scanTimes');

  has(query: Query): boolean {
    const ran = this.#ran.get(keyOf(query));
    return ran !== undefined && ran.milliseconds <= briefly && performance.now() - ran.at < freshness;
  }

  ran(query: Query, milliseconds: number): void {
    this.#ran.set(keyOf(query), { at: performance.now(), milliseconds });
  }
}
