/**
 * Random choices that a seed repeats: a fault is found again by the seed that its message names. Not made smaller as
 * fast-check would: what is random is a whole database and its history, and a world is small from the start.
 */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 to 1, without 1. Mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from 0 to below `limit`. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(from: readonly T[]): T {
    const [first] = from;
    if (first === undefined) throw new RangeError('nothing to choose from');
    return from[this.below(from.length)] ?? first;
  }

  /** Some of them, in a random order; at least `least`. */
  some<T>(from: readonly T[], probability: number, least = 0): T[] {
    const rest = [...from];
    const shuffled = from.flatMap(() => rest.splice(this.below(rest.length), 1));
    return shuffled.filter((_, index) => index < least || this.chance(probability));
  }
}
