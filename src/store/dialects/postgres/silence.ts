import { Chain, type Link } from '../../../kernel/chain.ts';

/** A statement that waits for its answer. */
interface Waiting extends Link<Waiting> {
  readonly reject: (error: Error) => void;
}

/**
 * Fails the statements of a connection whose network has gone silent. One timer a connection, moved on by each
 * statement: with one a statement, as the driver would have it, the timers keep every result from being collected
 * until the next full collection, and a list of a million rows costs 100 MB and pauses of 15 ms.
 */
export class Silence {
  readonly #waiting = new Chain<Waiting>();
  readonly #timer: NodeJS.Timeout;

  /** @param limit milliseconds without any answer */
  constructor(limit: number) {
    this.#timer = setTimeout(() => this.#fail(), limit).unref();
  }

  /** Answers what `end` takes. */
  begin(reject: Waiting['reject']): Waiting {
    const waiting: Waiting = { reject, older: undefined, newer: undefined };
    this.#waiting.add(waiting);
    this.#timer.refresh();
    return waiting;
  }

  end(waiting: Waiting): void {
    this.#waiting.remove(waiting);
  }

  #fail(): void {
    for (const waiting of this.#waiting) {
      this.#waiting.remove(waiting);
      waiting.reject(new Error('The server has not answered for too long'));
    }
  }
}
