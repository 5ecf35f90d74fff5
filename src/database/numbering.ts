import { Placeholder } from './statement.ts';

/** Numbers of a statement's parameters: an argument that stands in it several times is bound once. */
export class Numbering {
  readonly #known = new Map<string, number>();

  /** The number of a parameter; `add` appends it to those of the statement and returns how many they are. */
  of(parameter: unknown, add: () => number): number {
    if (!(parameter instanceof Placeholder)) return add();
    const known = this.#known.get(parameter.key);
    if (known !== undefined) return known;
    const number = add();
    this.#known.set(parameter.key, number);
    return number;
  }

  clear(): void {
    this.#known.clear();
  }
}
