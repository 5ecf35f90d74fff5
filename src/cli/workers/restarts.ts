/** Milliseconds after which a worker that listens has started for good. */
export const settling = 10_000;

/** Milliseconds until a worker is replaced that ended before that: the first time, and the longest. */
const firstPauseMs = 200;
const longestPause = 30_000;

/** Workers that may end so in a row while none has started for good. */
const maxFailures = 5;

/** When a worker that has ended is replaced. One that has worked for a while is at once; others more and more slowly. */
export class Restarts {
  #failures = 0;

  /** A worker has started for good. */
  succeeded(): void {
    this.#failures = 0;
  }

  /**
   * Milliseconds until the next attempt, after a worker has ended; undefined where there shall be none.
   * @param settled whether it had started for good
   * @param others whether any other has
   */
  pauseAfter(settled: boolean, others: boolean): number | undefined {
    if (settled) return 0;
    this.#failures += 1;
    if (this.#failures >= maxFailures && !others) return undefined;
    return Math.min(firstPauseMs * 2 ** (this.#failures - 1), longestPause);
  }
}
