import { hash } from 'node:crypto';

/** Statements that each session of the server keeps prepared, at most. */
const generationSize = 500;

/** Names statements by their content: with a pooler a session serves several processes, and names must not clash. */
const nameOf = (sql: string): string => `gw_${hash('sha256', sql).slice(0, 32)}`;

/**
 * Names for prepared statements. The server keeps a named statement for as long as its session lasts, so when a
 * generation of names is full the next one begins, and sessions that hold the old one are replaced.
 */
export class StatementNames {
  readonly #size: number;
  readonly #names = new Map<string, string>();
  #generation = 0;
  #on: boolean;

  /** @param on false where sessions keep nothing from one transaction to the next: nothing is prepared by name */
  constructor(on = true, size = generationSize) {
    this.#on = on;
    this.#size = size;
  }

  get generation(): number {
    return this.#generation;
  }

  /** Undefined where the statement is to go without a name. */
  nameOf(sql: string): string | undefined {
    if (!this.#on) return undefined;
    const known = this.#names.get(sql);
    if (known !== undefined) return known;
    if (this.#names.size >= this.#size) {
      this.#names.clear();
      this.renew();
    }
    const name = nameOf(sql);
    this.#names.set(sql, name);
    return name;
  }

  /** All sessions are to be replaced as they come and go. */
  renew(): void {
    this.#generation += 1;
  }

  /** Names turned out to mean nothing here, or something else. */
  turnOff(): void {
    this.#on = false;
  }
}
