/** Milliseconds without any response after which a connection is suspect. */
const suspicionMs = 1_000;

/**
 * Watches the statements of a connection that wait for a response. After a while it has the server asked whether it is
 * alive, and after a longer one it ends the connection, whose driver then rejects them: the network of this connection
 * alone has gone silent. One timer and one count per connection: a timer or an entry in a `Set` per statement would
 * keep every result alive until the next full collection, and a list of a million rows would cost 100 MB and pauses of
 * 15 ms.
 */
export class Silence {
  readonly #limitMs: number;
  readonly #suspect: () => void;
  readonly #endConnection: () => void;
  readonly #intervalMs: number;
  readonly #timer: NodeJS.Timeout;
  #waiting = 0;
  #intervals = 0;

  /**
   * @param limitMs milliseconds without any response
   * @param suspect is called every second until then
   */
  constructor(limitMs: number, suspect: () => void, endConnection: () => void) {
    this.#limitMs = limitMs;
    this.#suspect = suspect;
    this.#endConnection = endConnection;
    this.#intervalMs = Math.min(limitMs, suspicionMs);
    this.#timer = setTimeout(() => this.#look(), this.#intervalMs).unref();
  }

  begin(): void {
    this.#waiting += 1;
    this.#intervals = 0;
    this.#timer.refresh();
  }

  end(): void {
    this.#waiting -= 1;
  }

  #look(): void {
    if (this.#waiting === 0) return;
    this.#intervals += 1;
    if (this.#intervals * this.#intervalMs >= this.#limitMs) this.#endConnection();
    else {
      this.#suspect();
      this.#timer.refresh();
    }
  }
}
