export interface BatchedCounterOptions<Key extends number | string, Entry> {
  /** Entries that wait at most; what has another key is not counted while there are so many. */
  readonly maxEntries: number;
  /** Entries that are written at once, largest first and ending with 1; all of a batch unless given. */
  readonly writeSizes?: readonly number[];
  /** Adds an entry to the one of the same key that came before it, if there is one; that one may be changed. */
  readonly merge: (earlier: Entry | undefined, added: Entry) => Entry;
  /** Adds what has to be looked up or closed before a batch is written. */
  readonly gather?: () => Promise<void>;
  /** Writes entries, all or none of them. @throws what keeps it from doing so */
  readonly write: (entries: readonly (readonly [Key, Entry])[]) => Promise<void>;
}

/**
 * Counter in memory that is written in batches: entries by key, merged until they are written, so that no request waits
 * for the database. Entries that could not be written are merged with what came meanwhile and written with the next
 * batch, once. A batch is in the order of its keys, so that two instances never wait for each other's rows crosswise;
 * batches come one after the other.
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
    if (earlier === undefined && this.isFull) return;
    this.#entries.set(key, this.#options.merge(earlier, entry));
  }

  /** Writes what was added up to now, after the batch that is being written. */
  readonly flush = (): Promise<void> => {
    this.#last = this.#last.then(this.#flush, this.#flush);
    return this.#last;
  };

  /**
   * Begins to write batches. Returns what ends that and writes the last one.
   * @param intervalMs milliseconds between two batches
   * @param onError called with the first failure until a batch was written again
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
