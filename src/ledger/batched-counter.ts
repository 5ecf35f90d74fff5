/** The counter behind every count that requests leave: in memory first, written in batches. */

export interface BatchedCounterOptions<Key extends number | string, Entry> {
  /** Maximum number of pending entries; while it is reached, entries with other keys are not counted. */
  readonly maxEntries: number;
  /** Numbers of entries that one write takes, largest first and ending with 1; undefined: the whole batch. */
  readonly writeSizes?: readonly number[] | undefined;
  /** Merges an entry with the earlier one of the same key, which it may change and return. */
  readonly merge: (earlier: Entry, added: Entry) => Entry;
  /** Makes the first entry of a key; by default it is the one that was added. */
  readonly begin?: ((added: Entry) => Entry) | undefined;
  /** Adds entries that must be looked up or completed before a batch is written. */
  readonly gather?: (() => Promise<void>) | undefined;
  /** Writes entries, all or none of them. @throws the error of the write */
  readonly write: (entries: readonly (readonly [Key, Entry])[]) => Promise<void>;
}

/**
 * A counter in memory that is written in batches, so that no request waits for the database. Entries are merged by
 * key until they are written. After a failed write, they are merged with later ones and written once, with the next
 * batch. A batch is ordered by key, so that processes take row locks in one order; batches are written one after the
 * other.
 */
export class BatchedCounter<Key extends number | string, Entry> {
  readonly #options: BatchedCounterOptions<Key, Entry>;
  #entries = new Map<Key, Entry>();
  #last: Promise<void> = Promise.resolve();

  constructor(options: BatchedCounterOptions<Key, Entry>) {
    this.#options = options;
  }

  has(key: Key): boolean {
    return this.#entries.has(key);
  }

  get isFull(): boolean {
    return this.#entries.size >= this.#options.maxEntries;
  }

  add(key: Key, entry: Entry): void {
    const earlier = this.#entries.get(key);
    if (earlier !== undefined) {
      const merged = this.#options.merge(earlier, entry);
      if (merged !== earlier) this.#entries.set(key, merged);
    } else if (!this.isFull) this.#entries.set(key, this.#options.begin?.(entry) ?? entry);
  }

  /** Writes the entries added so far, after the batch that is being written. */
  readonly flush = (): Promise<void> => {
    this.#last = this.#last.then(this.#flush, this.#flush);
    return this.#last;
  };

  /**
   * Starts writing batches. Returns a function that stops it and writes the last batch.
   * @param intervalMs milliseconds between two batches
   * @param onError called with the first error after a successful batch
   */
  start(intervalMs: number, onError: (error: unknown) => void): () => Promise<void> {
    let isFailing = false;
    const attempt = async (): Promise<void> => {
      try {
        await this.flush();
        isFailing = false;
      } catch (error) {
        if (!isFailing) onError(error);
        isFailing = true;
      }
    };
    const timer = setInterval(attempt, intervalMs).unref();
    return async () => {
      clearInterval(timer);
      await attempt();
    };
  }

  readonly #flush = async (): Promise<void> => {
    await this.#options.gather?.();
    const entries = [...this.#entries].sort(([one], [other]) => (one < other ? -1 : 1));
    if (entries.length === 0) return;
    this.#entries = new Map();
    let written = 0;
    try {
      while (written < entries.length) {
        const size = this.#sizeOf(entries.length - written);
        await this.#options.write(entries.slice(written, written + size));
        written += size;
      }
    } catch (error) {
      const later = this.#entries;
      this.#entries = new Map(entries.slice(written));
      for (const [key, entry] of later) this.add(key, entry);
      throw error;
    }
  };

  #sizeOf(left: number): number {
    return this.#options.writeSizes?.find((size) => size <= left) ?? left;
  }
}
