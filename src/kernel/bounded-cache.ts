/**
 * A cache of bounded size in two generations: recently used entries survive, and a hit is one look-up. It holds between
 * `capacity` and twice as many entries. A comment at each cache says when its entries become invalid. No cache holds
 * identities, roles or grants, which every request reads from the database.
 */
export class BoundedCache<Value extends object> {
  readonly #capacity: number;
  #young = new Map<string, Value>();
  #old = new Map<string, Value>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get(key: string): Value | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  /** Returns the entry of the key, and makes it first where there is none. */
  getOrMake(key: string, make: () => Value): Value {
    const kept = this.get(key);
    if (kept !== undefined) return kept;
    const made = make();
    this.set(key, made);
    return made;
  }

  set(key: string, value: Value): void {
    if (this.#young.size >= this.#capacity) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
  }

  /** Removes every entry. */
  clear(): void {
    // A cleared map keeps its hash tables and their former entries until they are collected.
    this.#young = new Map();
    this.#old = new Map();
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }
}
