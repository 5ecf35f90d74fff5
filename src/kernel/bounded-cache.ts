/**
 * A cache of bounded size in two generations: entries that were used lately survive, a hit costs one look-up. It keeps
 * between `capacity` and twice as many entries. What ends an entry before that is said where the cache is made. No cache
 * holds identities, roles or grants: the database is asked for these at every request.
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

  /** Returns the entry of the key, which is made and kept where there is none. */
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
    // A cleared map keeps its tables, and with them what they held, until these are collected.
    this.#young = new Map();
    this.#old = new Map();
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }
}
