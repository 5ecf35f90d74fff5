/** What stands in a chain: its neighbours there, which the chain alone sets. */
export interface Link<T> {
  older: T | undefined;
  newer: T | undefined;
}

/**
 * Things that come and go, the oldest first. Of them a `Set` or `Map` that grows and shrinks all the time would leave its
 * old tables behind, each holding the next one and all that was in it: whatever stood in one, and all that hangs on it,
 * would live until the whole memory is searched. A chain is the things themselves, and holds nothing that has left it.
 */
export class Chain<T extends Link<T>> {
  #oldest: T | undefined;
  #newest: T | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get oldest(): T | undefined {
    return this.#oldest;
  }

  /** `link` stands in no chain. */
  add(link: T): void {
    link.older = this.#newest;
    if (this.#newest === undefined) this.#oldest = link;
    else this.#newest.newer = link;
    this.#newest = link;
    this.#size += 1;
  }

  /** False, and nothing happens, where `link` stands in no chain. */
  remove(link: T): boolean {
    const { older, newer } = link;
    if (older === undefined && this.#oldest !== link) return false;
    if (older === undefined) this.#oldest = newer;
    else older.newer = newer;
    if (newer === undefined) this.#newest = older;
    else newer.older = older;
    // What an old object points at lives as long as that one: nothing may be left of the chain.
    link.older = undefined;
    link.newer = undefined;
    this.#size -= 1;
    return true;
  }

  /** The oldest first. The one that was given last may leave meanwhile, no other. */
  *[Symbol.iterator](): Generator<T, void, undefined> {
    for (let link = this.#oldest; link !== undefined; ) {
      const { newer } = link;
      yield link;
      link = newer;
    }
  }
}
