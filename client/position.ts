const name = 'X-Commit-Position';

/** The service reads from no replica that is a second behind. */
const lifetimeMs = 2_000;

/**
 * The position header of the last write. Sent with reads, it makes every instance of the service show that write. Responses
 * have it only if the service reads from a replica.
 */
export class LastPosition {
  #text = '';
  #until = Number.NEGATIVE_INFINITY;

  /** The header of a read. */
  headers(method: string): Readonly<Record<string, string>> {
    const reads = method === 'GET' || method === 'HEAD';
    return reads && Date.now() <= this.#until ? { [name]: this.#text } : {};
  }

  note({ headers }: Response): void {
    const text = headers.get(name);
    if (text === null) return;
    this.#text = text;
    this.#until = Date.now() + lifetimeMs;
  }
}
