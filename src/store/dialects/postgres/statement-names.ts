/** Statements that each session of the server keeps prepared, at most. */
const generationSize = 500;

/**
 * Names for prepared statements. The server keeps a named statement for as long as its session lasts, so when a
 * generation of names is full the next one begins, and sessions that hold the old one are replaced as they come back.
 */
export class StatementNames {
  readonly #size: number;
  readonly #names = new Map<string, string>();
  #generation = 0;

  constructor(size = generationSize) {
    this.#size = size;
  }

  get generation(): number {
    return this.#generation;
  }

  nameOf(sql: string): string {
    const known = this.#names.get(sql);
    if (known !== undefined) return known;
    if (this.#names.size >= this.#size) {
      this.#names.clear();
      this.#generation += 1;
    }
    const name = `g${this.#generation}_${this.#names.size}`;
    this.#names.set(sql, name);
    return name;
  }
}
