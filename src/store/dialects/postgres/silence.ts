type Reject = (error: Error) => void;

/**
 * Fails the statements of a connection whose network has gone silent. One timer a connection, moved on by each
 * statement: with one a statement, as the driver would have it, the timers keep every result from being collected
 * until the next full collection, and a list of a million rows costs 100 MB and pauses of 15 ms.
 */
export class Silence {
  readonly #waiting = new Set<Reject>();
  readonly #timer: NodeJS.Timeout;

  /** @param limit milliseconds without any answer */
  constructor(limit: number) {
    this.#timer = setTimeout(() => this.#fail(), limit).unref();
  }

  begin(reject: Reject): void {
    this.#waiting.add(reject);
    this.#timer.refresh();
  }

  end(reject: Reject): void {
    this.#waiting.delete(reject);
  }

  #fail(): void {
    for (const reject of this.#waiting) reject(new Error('The server has not answered for too long'));
    this.#waiting.clear();
  }
}
