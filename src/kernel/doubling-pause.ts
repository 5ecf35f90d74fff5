/** The pause between failing attempts, in milliseconds: it doubles with each attempt, up to a maximum. */
export class DoublingPause {
  readonly #first: number;
  readonly #longest: number;
  #next: number;

  constructor(first: number, longest: number) {
    this.#first = first;
    this.#longest = longest;
    this.#next = first;
  }

  /** Returns the pause before the next attempt. */
  next(): number {
    const pause = this.#next;
    this.#next = Math.min(pause * 2, this.#longest);
    return pause;
  }

  /** Begins with the first pause again, after a success. */
  reset(): void {
    this.#next = this.#first;
  }
}
