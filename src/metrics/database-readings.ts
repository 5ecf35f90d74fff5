import { setTimeout as delay } from 'node:timers/promises';
import type { Figure } from '../kernel/figure.ts';

/** Milliseconds for which what was read from the database is told again. */
const age = 5_000;

/** Milliseconds that a scrape waits for the database. */
const patience = 1_000;

export interface DatabaseReadingsParts {
  /** Reads figures that lie in the database. */
  readonly stored: () => Promise<readonly Figure[]>;
  /** Resolves where a write would be taken; what it costs is bounded by itself. */
  readonly ready: () => Promise<void>;
  /** Milliseconds that only grow. */
  readonly now?: () => number;
}

/**
 * What only the database knows, asked for at most once in 5 s and once at a time, however many ask. A scrape waits a
 * second at most: a database that is away makes it poorer, and never late.
 */
export class DatabaseReadings {
  readonly #parts: Required<DatabaseReadingsParts>;
  #known: { readonly at: number; readonly figures: readonly Figure[] } | undefined;
  #looking: Promise<readonly Figure[]> | undefined;

  constructor(parts: DatabaseReadingsParts) {
    this.#parts = { now: () => performance.now(), ...parts };
  }

  /** Undefined where the database does not answer, or would take no write. */
  async read(): Promise<readonly Figure[] | undefined> {
    const late = new AbortController();
    const both = Promise.all([this.#figures(), this.#parts.ready()]).then(
      ([figures]) => figures,
      () => undefined,
    );
    try {
      return await Promise.race([both, delay(patience, undefined, { signal: late.signal })]);
    } finally {
      late.abort();
    }
  }

  async #figures(): Promise<readonly Figure[]> {
    const { stored, now } = this.#parts;
    if (this.#known !== undefined && now() - this.#known.at < age) return this.#known.figures;
    this.#looking ??= stored().finally(() => {
      this.#looking = undefined;
    });
    const figures = await this.#looking;
    this.#known = { at: now(), figures };
    return figures;
  }
}
