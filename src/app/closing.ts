import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';

/** Milliseconds that closing may take before the log says that it does not end. */
const patience = 8_500;

type ClosingStep = () => Promise<unknown> | undefined;

/** What a process has opened, closed in the opposite order. */
export class Closing {
  readonly #logger: Logger;
  readonly #steps: ClosingStep[] = [];
  /** Begun as soon as anybody asks: `?ready` says no from then on, and each answer is the last of its connection. */
  readonly stopping = { begun: false };
  #closed: Promise<void> | undefined;
  #deadline = Infinity;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Has `step` run at the end, before those that came before it. */
  push(step: ClosingStep): void {
    this.#steps.push(step);
  }

  /** Has `step` run behind all others: for what tells how the stop goes. */
  pushFirst(step: ClosingStep): void {
    this.#steps.unshift(step);
  }

  /** Milliseconds that are left until the log says that it does not end. */
  get left(): number {
    return this.#deadline - performance.now();
  }

  /**
   * Answers on for `drain` seconds, then closes everything. Who asks again gets what the first got.
   * @throws Error of the first part that could not be closed; the others are closed all the same
   */
  close(drain: number): Promise<void> {
    this.#closed ??= this.#close(drain);
    return this.#closed;
  }

  async #close(drain: number): Promise<void> {
    this.stopping.begun = true;
    if (drain > 0) {
      this.#logger.info({ seconds: drain }, 'stopping');
      await delay(drain * 1000);
    }
    this.#deadline = performance.now() + patience;
    const late = setTimeout(
      () => this.#logger.warn('something keeps the service from closing'),
      patience,
    ).unref();
    try {
      await this.#closeAll();
    } finally {
      clearTimeout(late);
    }
  }

  async #closeAll(): Promise<void> {
    const failures: unknown[] = [];
    for (const step of this.#steps.splice(0).reverse()) {
      try {
        await step();
      } catch (error) {
        this.#logger.error({ err: error }, 'a part of the service could not be closed');
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
