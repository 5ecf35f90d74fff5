import { setTimeout as delay } from 'node:timers/promises';
import type { Figure } from '../../kernel/figure.ts';

/** Milliseconds for which figures of the database are served again. */
const maxAgeMs = 5_000;

/** Milliseconds that a scrape waits for the database. */
const timeoutMs = 1_000;

export interface DatabaseReadingsParts {
  /** Reads figures from the database. */
  readonly stored: () => Promise<readonly Figure[]>;
  /** Resolves if a write would be accepted; its cost is bounded. */
  readonly ready: () => Promise<void>;
  /** A monotonic clock, in milliseconds. */
  readonly now?: () => number;
}

/**
 * Figures that only the database has, read at most once in 5 s, one reading at a time. A scrape waits a second at
 * most: without the database it has fewer figures, but is never late.
 */
export class DatabaseReadings {
  readonly #parts: Required<DatabaseReadingsParts>;
  #known: { readonly at: number; readonly figures: readonly Figure[] } | undefined;
  #looking: Promise<readonly Figure[]> | undefined;

  constructor(parts: DatabaseReadingsParts) {
    this.#parts = { now: () => performance.now(), ...parts };
  }

  /** Undefined where the database does not respond, or would accept no write. */
  async read(): Promise<readonly Figure[] | undefined> {
    const late = new AbortController();
    const both = Promise.all([this.#figures(), this.#parts.ready()]).then(
      ([figures]) => figures,
      () => undefined,
    );
    try {
      return await Promise.race([both, delay(timeoutMs, undefined, { signal: late.signal })]);
    } finally {
      late.abort();
    }
  }

  async #figures(): Promise<readonly Figure[]> {
    const { stored, now } = this.#parts;
    if (this.#known !== undefined && now() - this.#known.at < maxAgeMs) return this.#known.figures;
    this.#looking ??= stored().finally(() => {
      this.#looking = undefined;
    });
    const figures = await this.#looking;
    this.#known = { at: now(), figures };
    return figures;
  }
}
