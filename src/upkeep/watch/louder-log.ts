import type { Logger } from 'pino';

/** Milliseconds for which the log is more verbose after a request. */
const durationMs = 600_000;

/** The level for that time: every statement is logged. */
const verboseLevel = 'debug';

/**
 * Makes the log of a running process more verbose for 10 minutes, without a restart that would lose the problem.
 * Another request starts the time again; a level that is at least as verbose stays.
 */
export class LouderLog {
  readonly #logger: Logger;
  readonly #usual: string;
  #timer: NodeJS.Timeout | undefined;

  constructor(logger: Logger) {
    this.#logger = logger;
    this.#usual = logger.level;
  }

  raise(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.lower(), durationMs).unref();
    if (!this.#logger.isLevelEnabled(verboseLevel)) this.#logger.level = verboseLevel;
    this.#logger.info({ logLevel: this.#logger.level, minutes: durationMs / 60_000 }, 'log level raised');
  }

  /** Ends the ten minutes. */
  lower(): void {
    clearTimeout(this.#timer);
    this.#logger.info({ logLevel: this.#usual }, 'log level restored');
    this.#logger.level = this.#usual;
  }
}
