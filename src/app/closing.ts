/** The order in which a process closes its resources, within a limit of time. */

import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';

/** Milliseconds that closing may take before the log reports that it hangs. */
const closeTimeoutMs = 8_500;

type ClosingStep = () => Promise<unknown> | undefined;

/** The parts that a process has opened; they are closed in reverse order. */
export class Closing {
  readonly #logger: Logger;
  readonly #steps: ClosingStep[] = [];
  /** Set as soon as a stop is requested: `?ready` fails from then on, and each response closes its connection. */
  readonly stopping = { begun: false };
  #closed: Promise<void> | undefined;
  #deadline = Infinity;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Adds a step that runs on close, before all earlier ones. */
  push(step: ClosingStep): void {
    this.#steps.push(step);
  }

  /** Adds a step that runs after all others, for parts that report how the stop goes. */
  pushFirst(step: ClosingStep): void {
    this.#steps.unshift(step);
  }

  /** Milliseconds left until the log reports that closing hangs. */
  get left(): number {
    return this.#deadline - performance.now();
  }

  /**
   * Keeps serving for `drain` seconds, then closes everything. Every call returns the promise of the first one.
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
    this.#deadline = performance.now() + closeTimeoutMs;
    const late = setTimeout(
      () => this.#logger.warn('something keeps the service from closing'),
      closeTimeoutMs,
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
