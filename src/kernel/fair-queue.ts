/** Reason for which a caller stopped waiting: the queue is full, a timeout, or the caller's signal was aborted. */
export type QueueRefusal = 'full' | 'late' | 'gone';

export interface FairQueueOptions {
  /** Callers that may wait in all. */
  readonly maxWaiting: number;
  /** Callers of one key that may wait; `maxWaiting` unless given. */
  readonly maxWaitingPerKey?: number;
  /** Creates the error with which a caller is refused; `cause` is the reason of its signal. */
  readonly refuse: (why: QueueRefusal, cause?: unknown) => unknown;
}

export interface WaitOptions {
  /** Aborted when the caller hangs up. */
  readonly signal?: AbortSignal | undefined;
  /** Limit of the waiting time; none unless given. */
  readonly timeoutMs?: number | undefined;
}

interface Waiter {
  readonly go: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A queue of callers that wait for a limited resource, fair between keys: first in, first out within a key, and round
 * robin between keys. The queue does not count the resource: its owner calls `next` whenever it has become free. When
 * the queue is full, the last caller of the key with the most callers makes room for one of a key with fewer.
 */
export class FairQueue {
  readonly #options: Required<FairQueueOptions>;
  /** Waiting callers by key, in the order in which the keys are next. */
  readonly #waiters = new Map<string, Set<Waiter>>();
  #size = 0;

  constructor(options: FairQueueOptions) {
    this.#options = { maxWaitingPerKey: options.maxWaiting, ...options };
  }

  /** Number of waiting callers. */
  get size(): number {
    return this.#size;
  }

  /** Keys of the waiting callers. */
  keys(): Iterable<string> {
    return this.#waiters.keys();
  }

  /** Resolves when it is the caller's turn. @throws the error of `refuse` */
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

  /** Resolves the first caller of the next admitted key. Returns the key; undefined when no such caller waits. */
  next(isAdmitted: (key: string) => boolean = () => true): string | undefined {
    for (const [key, ofKey] of this.#waiters) {
      if (!isAdmitted(key)) continue;
      // The key moves to the end.
      this.#waiters.delete(key);
      this.#waiters.set(key, ofKey);
      this.nextOf(key);
      return key;
    }
    return undefined;
  }

  /** Resolves the first caller of this key. Returns false when none waits. */
  nextOf(key: string): boolean {
    const [first] = this.#waiters.get(key) ?? [];
    if (first === undefined) return false;
    this.#remove(key, first);
    first.go();
    return true;
  }

  /** Rejects all waiting callers. */
  rejectAll(error: unknown): void {
    for (const [key, ofKey] of [...this.#waiters])
      for (const waiter of [...ofKey]) {
        this.#remove(key, waiter);
        waiter.reject(error);
      }
  }

  #countOf(key: string): number {
    return this.#waiters.get(key)?.size ?? 0;
  }

  /** True if there is room for a caller of this key; may refuse the last caller of a key with more. */
  #makeRoom(key: string): boolean {
    const { maxWaiting, maxWaitingPerKey, refuse } = this.#options;
    if (this.#countOf(key) >= maxWaitingPerKey) return false;
    if (this.#size < maxWaiting) return true;
    let largest = key;
    for (const [other, { size }] of this.#waiters) if (size > this.#countOf(largest)) largest = other;
    const last = [...(this.#waiters.get(largest) ?? [])].at(-1);
    if (last === undefined || this.#countOf(largest) <= this.#countOf(key) + 1) return false;
    this.#remove(largest, last);
    last.reject(refuse('full'));
    return true;
  }

  #add(key: string, waiter: Waiter): void {
    const ofKey = this.#waiters.get(key) ?? new Set();
    this.#waiters.set(key, ofKey);
    ofKey.add(waiter);
    this.#size += 1;
  }

  #remove(key: string, waiter: Waiter): void {
    const ofKey = this.#waiters.get(key);
    if (ofKey?.delete(waiter) !== true) return;
    this.#size -= 1;
    if (ofKey.size === 0) this.#waiters.delete(key);
  }
}
