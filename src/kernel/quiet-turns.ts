import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';

/** Milliseconds after which work in the background goes on, however many requests there are. */
const longest = 25;

/** Milliseconds between two looks, which is also how long it has to be quiet. */
const look = 2;

/**
 * When work in the background may go on: while no request is worked on, and otherwise once in 25 ms. So requests hardly
 * notice that it is there, and it comes to its end all the same.
 */
export class QuietTurns {
  #working = 0;
  #begun = false;
  #last: Promise<void> = Promise.resolve();

  /** Told when a request begins, and when its answer is decided. */
  readonly begun = (): void => {
    this.#working += 1;
    this.#begun = true;
  };

  readonly ended = (): void => {
    this.#working -= 1;
  };

  /** Resolves when one piece of work may begin; those who wait come one after the other. */
  next(): Promise<void> {
    this.#last = this.#last.then(() => this.#wait());
    return this.#last;
  }

  async #wait(): Promise<void> {
    const until = performance.now() + longest;
    await turn();
    while (!this.#isQuiet() && performance.now() < until) await delay(look);
  }

  /** Whether no request is worked on, and none has begun since the last look. */
  #isQuiet(): boolean {
    const begun = this.#begun;
    this.#begun = false;
    return !begun && this.#working === 0;
  }
}
