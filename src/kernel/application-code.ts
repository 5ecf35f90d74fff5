import { Problem } from './problem.ts';

/** Is told which code of the application runs, for when the main thread stands still. */
export interface CodeWatch {
  /** `what` is about to run; answers what `left` is to be told. */
  entered(what: string): number;
  /** What was entered has given the thread back, and waits for something. */
  waits(): void;
  left(entry: number): void;
}

const nobodyWatches: CodeWatch = { entered: () => 0, waits: () => {}, left: () => {} };

/** Runs the application's own code, its hooks and endpoints, for a limited time. */
export class ApplicationCode {
  readonly #limit: number;
  readonly #watch: CodeWatch;

  /** `limit` in milliseconds */
  constructor(limit: number, watch: CodeWatch = nobodyWatches) {
    this.#limit = limit;
    this.#watch = watch;
  }

  /**
   * Answers what `work` answers. What it answers later than the limit, nobody hears; `expired` is called then.
   * @throws Problem `handler_timeout`, and what `work` throws
   */
  run<T>(what: string, work: () => T | PromiseLike<T>, expired?: () => void): T | Promise<T> {
    const entry = this.#watch.entered(what);
    let result: T | PromiseLike<T>;
    try {
      result = work();
    } catch (error) {
      this.#watch.left(entry);
      throw error;
    }
    if (!isPromise(result)) {
      this.#watch.left(entry);
      return result;
    }
    this.#watch.waits();
    return this.#inTime(what, result, entry, expired);
  }

  #inTime<T>(what: string, result: PromiseLike<T>, entry: number, expired?: () => void): Promise<T> {
    return new Promise((resolve, reject) => {
      const over = (): void => {
        clearTimeout(timer);
        this.#watch.left(entry);
      };
      const timer = setTimeout(() => {
        over();
        const cause = new Error(`${what} took longer than ${this.#limit / 1000} s`);
        reject(new Problem('handler_timeout', { headers: { 'Retry-After': '5' }, cause }));
        expired?.();
      }, this.#limit);
      // A process that ends does not wait for it.
      timer.unref();
      result.then(
        (value) => {
          over();
          resolve(value);
        },
        (error: unknown) => {
          over();
          reject(error);
        },
      );
    });
  }
}

/** Whether what the application's code answers is still to come. */
export const isPromise = <T>(value: T | PromiseLike<T>): value is PromiseLike<T> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';

/** What a hook's failure is to its caller: its time was over, or it broke, and says nothing. */
export const hookFailure = (cause: unknown): Problem =>
  cause instanceof Problem && cause.problem === 'handler_timeout'
    ? cause
    : new Problem('internal', { cause });
