/** Steps of work, and milliseconds, after which others get their turn. */
const slice = { steps: 32, milliseconds: 1 } as const;

/** How many times as long as the work the others get, where they have something to do. */
const share = 6;

/** Milliseconds of a turn in which nobody had anything to do. */
const idle = 0.3;

const immediate = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const tick = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve));

/** Lets work that can wait go on in slices, between which requests get most of the time. */
export class Slices {
  #begun = performance.now();
  #steps = 0;

  /** Work goes on after something else was waited for. */
  resume(): void {
    this.#begun = performance.now();
    this.#steps = 0;
  }

  /** One more step is done; whether the others shall have their turn. */
  step(): boolean {
    this.#steps += 1;
    return this.#steps >= slice.steps || performance.now() - this.#begun >= slice.milliseconds;
  }

  /** Resolves when the others have had their turn. */
  async yield(): Promise<void> {
    // What was given away is written first by whoever waits for it, and then by the connection.
    await tick();
    await tick();
    const worked = performance.now() - this.#begun;
    for (let others = 0; others < share * worked; ) {
      const before = performance.now();
      await immediate();
      const turn = performance.now() - before;
      if (turn < idle) break;
      others += turn;
    }
    this.resume();
  }
}
