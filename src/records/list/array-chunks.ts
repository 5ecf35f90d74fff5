/**
 * Turns chunks of elements, joined by commas, into chunks of a JSON array with its brackets. Not a generator: `return`
 * must end the source even if nothing was read yet, or its snapshot would stay open.
 */
export class ArrayChunks implements AsyncIterableIterator<string> {
  /** The chunks without brackets. Read either these or the array. */
  readonly elements: AsyncIterator<string>;
  #opening = '[';
  #ended = false;

  constructor(elements: AsyncIterator<string>) {
    this.elements = elements;
  }

  async next(): Promise<IteratorResult<string>> {
    if (this.#ended) return { done: true, value: undefined };
    let { done, value } = await this.elements.next();
    while (done !== true && value === '') ({ done, value } = await this.elements.next());
    if (done === true) {
      this.#ended = true;
      return { done: false, value: this.#opening === '[' ? '[]' : ']' };
    }
    const chunk = this.#opening + value;
    this.#opening = ',';
    return { done: false, value: chunk };
  }

  async return(): Promise<IteratorResult<string>> {
    this.#ended = true;
    await this.elements.return?.();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
