/** Why a caller stopped waiting: too many wait, its time is over, or it hung up (then with the reason of its signal). */
export type QueueRefusal = 'full' | 'late' | 'gone';

export interface FairQueueOptions {
  /** Callers that may wait in all. */
  readonly maxWaiting: number;
  /** Callers of one key that may wait; as many as in all unless given. */
  readonly maxWaitingPerKey?: number;
  /** Makes the error with which a caller is refused. */
  readonly refuse: (why: QueueRefusal, cause?: unknown) => unknown;
}

export interface WaitOptions {
  /** Aborted when the caller hangs up. */
  readonly signal?: AbortSignal | undefined;
  /** How long the caller waits; without end unless given. */
  readonly timeoutMs?: number | undefined;
}

interface Waiter {
  readonly go: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Callers who wait for something scarce, in a line for each key: within a line the first comes first, and lines take
 * turns. The queue does not count what is scarce: its owner calls `next` whenever there is something to give. Where the
 * queue is full, the last of the longest line makes room for a caller of a shorter one, so that a crowd makes itself wait
 * and a caller who comes alone finds a place.
 */
export class FairQueue {
  readonly #options: Required<FairQueueOptions>;
  /** In the order of their turns. */
  readonly #lines = new Map<string, Set<Waiter>>();
  #size = 0;

  constructor(options: FairQueueOptions) {
    this.#options = { maxWaitingPerKey: options.maxWaiting, ...options };
  }

  /** Callers that wait. */
  get size(): number {
    return this.#size;
  }

  /** Keys of callers that wait. */
  keys(): Iterable<string> {
    return this.#lines.keys();
  }

  /** Resolves when it is the caller's turn. @throws what `refuse` makes */
  wait(key: string, { signal, timeoutMs }: WaitOptions = {}): Promise<void> {
    const { refuse } = this.#options;
    if (signal?.aborted === true) return Promise.reject(refuse('gone', signal.reason));
    if (!this.#makeRoom(key)) return Promise.reject(refuse('full'));
    return new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
      };
      const waiter: Waiter = {
        go: () => {
          end();
          resolve();
        },
        reject: (error) => {
          end();
          reject(error);
        },
      };
      const leave = (why: QueueRefusal): void => {
        this.#remove(key, waiter);
        waiter.reject(refuse(why, signal?.reason));
      };
      const abort = (): void => leave('gone');
      const timer = timeoutMs === undefined ? undefined : setTimeout(() => leave('late'), timeoutMs);
      signal?.addEventListener('abort', abort, { once: true });
      this.#add(key, waiter);
    });
  }

  /** Lets the first caller of the next line go whose key is admitted. Returns the key; undefined where there is none. */
  next(isAdmitted: (key: string) => boolean = () => true): string | undefined {
    for (const [key, line] of this.#lines) {
      if (!isAdmitted(key)) continue;
      // To the end: every other line comes first.
      this.#lines.delete(key);
      this.#lines.set(key, line);
      this.nextOf(key);
      return key;
    }
    return undefined;
  }

  /** Lets the first caller of this key go; false where none waits. */
  nextOf(key: string): boolean {
    const [first] = this.#lines.get(key) ?? [];
    if (first === undefined) return false;
    this.#remove(key, first);
    first.go();
    return true;
  }

  /** Refuses all callers that wait. */
  rejectAll(error: unknown): void {
    for (const [key, line] of [...this.#lines])
      for (const waiter of [...line]) {
        this.#remove(key, waiter);
        waiter.reject(error);
      }
  }

  #lengthOf(key: string): number {
    return this.#lines.get(key)?.size ?? 0;
  }

  /** Whether there is room in a line, be it that the last caller of a longer one is refused for it. */
  #makeRoom(key: string): boolean {
    const { maxWaiting, maxWaitingPerKey, refuse } = this.#options;
    if (this.#lengthOf(key) >= maxWaitingPerKey) return false;
    if (this.#size < maxWaiting) return true;
    let longest = key;
    for (const [other, { size }] of this.#lines) if (size > this.#lengthOf(longest)) longest = other;
    const last = [...(this.#lines.get(longest) ?? [])].at(-1);
    if (last === undefined || this.#lengthOf(longest) <= this.#lengthOf(key) + 1) return false;
    this.#remove(longest, last);
    last.reject(refuse('full'));
    return true;
  }

  #add(key: string, waiter: Waiter): void {
    const line = this.#lines.get(key) ?? new Set();
    this.#lines.set(key, line);
    line.add(waiter);
    this.#size += 1;
  }

  #remove(key: string, waiter: Waiter): void {
    const line = this.#lines.get(key);
    if (line?.delete(waiter) !== true) return;
    this.#size -= 1;
    if (line.size === 0) this.#lines.delete(key);
  }
}
