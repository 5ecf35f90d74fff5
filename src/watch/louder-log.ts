import type { Logger } from 'pino';

/** Milliseconds for which the log says more once it was asked to. */
const duration = 600_000;

/** The level that it has meanwhile: every statement is logged. */
const louder = 'debug';

/**
 * Lets a process that runs say more for 10 minutes, without a restart that would lose what is looked for. Asked again
 * meanwhile, the time starts again; a level that says as much already stays.
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
    this.#timer = setTimeout(() => this.lower(), duration).unref();
    if (!this.#logger.isLevelEnabled(louder)) this.#logger.level = louder;
    this.#logger.info({ logLevel: this.#logger.level, minutes: duration / 60_000 }, 'the log says more');
  }

  /** Ends the ten minutes. */
  lower(): void {
    clearTimeout(this.#timer);
    this.#logger.info({ logLevel: this.#usual }, 'the log is as before');
    this.#logger.level = this.#usual;
  }
}
