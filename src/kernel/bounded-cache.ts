import { type BoundedCacheName, caches } from './caches.ts';

/**
 * A cache of bounded size in two generations: what was used lately survives, a hit costs one look-up. It is made by
 * the name of its row in the map of caches (caches.ts), which says what its entries hang on, and holds at most twice
 * the `room` that stands there.
 */
export class BoundedCache<Value extends object> {
  readonly #room: number;
  #young = new Map<string, Value>();
  #old = new Map<string, Value>();

  constructor(name: BoundedCacheName) {
    this.#room = caches[name].room;
  }

  get(key: string): Value | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  /** What is known under the key; made, and known from now on, where nothing is. */
  getOrMake(key: string, make: () => Value): Value {
    const known = this.get(key);
    if (known !== undefined) return known;
    const made = make();
    this.set(key, made);
    return made;
  }

  set(key: string, value: Value): void {
    if (this.#young.size >= this.#room) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
  }

  /** Knows nothing any more. */
  clear(): void {
    // Cleared, a map would leave what it held behind, for as long as its tables live (see `PassingMap`).
    this.#young = new Map();
    this.#old = new Map();
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }
}
