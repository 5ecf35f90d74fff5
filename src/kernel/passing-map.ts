/** So many more may leave than are left before the table is made anew. */
const slack = 8;

/**
 * A map of what comes and goes all the time. A `Map` that grows and shrinks leaves its old tables behind, each holding the
 * next one and all that was in it (see `Chain`). Once a collection of all memory has taken one of them for something
 * that lasts, whatever stands in those behind it lives until the next such collection, and is copied by each smaller one:
 * on PostgreSQL that was a quarter of the speed. Here a new `Map` takes the place of one that many have left, and none
 * is cleared.
 */
export class PassingMap<Key, Value> {
  #map = new Map<Key, Value>();
  #left = 0;

  get size(): number {
    return this.#map.size;
  }

  get(key: Key): Value | undefined {
    return this.#map.get(key);
  }

  has(key: Key): boolean {
    return this.#map.has(key);
  }

  /** Behind all others where it is new; in its place where it is not. */
  set(key: Key, value: Value): void {
    this.#map.set(key, value);
  }

  /** Whether it was there. */
  delete(key: Key): boolean {
    if (!this.#map.delete(key)) return false;
    this.#left += 1;
    if (this.#map.size === 0) this.clear();
    else if (this.#left > this.#map.size + slack) this.#renew(this.#map);
    return true;
  }

  clear(): void {
    this.#renew([]);
  }

  /** All that are there at this moment, in the order in which they came. */
  entries(): readonly (readonly [Key, Value])[] {
    return [...this.#map];
  }

  keys(): readonly Key[] {
    return [...this.#map.keys()];
  }

  values(): readonly Value[] {
    return [...this.#map.values()];
  }

  #renew(entries: Iterable<readonly [Key, Value]>): void {
    this.#map = new Map(entries);
    this.#left = 0;
  }
}

/** The same for things by themselves. */
export class PassingSet<Thing> {
  readonly #things = new PassingMap<Thing, Thing>();

  get size(): number {
    return this.#things.size;
  }

  add(thing: Thing): void {
    this.#things.set(thing, thing);
  }

  /** Whether it was there. */
  delete(thing: Thing): boolean {
    return this.#things.delete(thing);
  }

  /** All that are there at this moment, in the order in which they came. */
  values(): readonly Thing[] {
    return this.#things.values();
  }
}
