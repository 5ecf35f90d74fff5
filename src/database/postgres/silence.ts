/** A statement that waits for its answer. */
interface Waiting {
  readonly reject: (error: Error) => void;
}

/** Milliseconds without any response after which a connection is suspect. */
const suspicion = 1_000;

/**
 * Watches the statements of a connection that wait. After a while it has the server asked whether it lives, and after a
 * longer one it fails them: the network of this connection alone has gone silent. One timer a connection, moved on by
 * each statement: with one a statement, as the driver would have it, the timers keep every result from being collected
 * until the next full collection, and a list of a million rows costs 100 MB and pauses of 15 ms.
 */
export class Silence {
  readonly #waiting = new Set<Waiting>();
  readonly #limit: number;
  readonly #suspect: () => void;
  readonly #interval: number;
  readonly #timer: NodeJS.Timeout;
  #intervals = 0;

  /**
   * @param limit milliseconds without any response
   * @param suspect is called every second until then
   */
  constructor(limit: number, suspect: () => void) {
    this.#limit = limit;
    this.#suspect = suspect;
    this.#interval = Math.min(limit, suspicion);
    this.#timer = setTimeout(() => this.#look(), this.#interval).unref();
  }

  /** Returns what `end` takes. */
  begin(reject: Waiting['reject']): Waiting {
    const waiting: Waiting = { reject };
    this.#waiting.add(waiting);
    this.#intervals = 0;
    this.#timer.refresh();
    return waiting;
  }

  end(waiting: Waiting): void {
    this.#waiting.delete(waiting);
  }

  fail(): void {
    for (const waiting of this.#waiting) {
      this.#waiting.delete(waiting);
      waiting.reject(new Error('The server has not responded for too long'));
    }
  }

  #look(): void {
    if (this.#waiting.size === 0) return;
    this.#intervals += 1;
    if (this.#intervals * this.#interval >= this.#limit) this.fail();
    else {
      this.#suspect();
      this.#timer.refresh();
    }
  }
}
