/** In a response: the position of what it wrote. In a request: the position that a read has to see. */
const name = 'X-Commit-Position';

/** Milliseconds for which a position says anything: the service reads from no replica that is so far behind. */
const lifetime = 5_000;

const parse = (text: string): readonly [string, number] | undefined => {
  const [timeline = '', place = ''] = text.split('-');
  return /^[\da-f]{1,13}$/.test(place) ? [timeline, Number.parseInt(place, 16)] : undefined;
};

/** Whether a position is behind another one of the same timeline, as answers may overtake each other. */
const isBefore = (text: string, other: string): boolean => {
  const [a, b] = [parse(text), parse(other)];
  return a !== undefined && b !== undefined && a[0] === b[0] && a[1] < b[1];
};

/**
 * Remembers where the last write is, so that reads see it whichever instance of the service they reach. Only of use
 * where the service reads from a replica: elsewhere no answer has a position, and no request gets one.
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
    if (Date.now() > this.#until || !isBefore(text, this.#text)) this.#text = text;
    this.#until = Date.now() + lifetime;
  }
}
