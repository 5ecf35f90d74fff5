/** Requests that start together at most: with more, further answers would lie in memory at a time for no further gain. */
const together = 32;

/**
 * Starts the requests that one poll of the event loop has brought together, once they are all there. They go through
 * the pipeline in step from then on, as what they wait for resolves in the same order: each stage runs for all of them
 * before the next begins, and finds its code and data in the caches of the processor. Node by itself would take each
 * request from parser to socket, and meet every stage cold.
 */
export class Arrivals {
  readonly #onStart: () => void;
  #waiting: (() => void)[] = [];

  /** `onStart` is called before requests start. */
  constructor(onStart: () => void = () => {}) {
    this.#onStart = onStart;
  }

  /** Has `start` called when the events of this poll have been taken. The check phase, where it is, follows the poll. */
  join(start: () => void): void {
    if (this.#waiting.push(start) === 1) setImmediate(this.#start);
  }

  readonly #start = (): void => {
    const ready = this.#waiting;
    this.#waiting = ready.splice(together);
    this.#onStart();
    for (const start of ready) start();
    // All that one poll has brought starts before the next one: otherwise whoever sends faster than we answer would
    // fill the memory. A tick comes when no promise is left to resolve, so the first have gone as far as they can.
    if (this.#waiting.length > 0) queueMicrotask(() => process.nextTick(this.#start));
  };
}
