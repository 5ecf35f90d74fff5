/**
 * Runs the application's hooks, endpoints and jobs under a time limit, and tells a watch which of them is
 * running.
 */

import { Problem } from './problem.ts';

/** Records which code of the application runs, so that a blocked main thread can be attributed to it. */
export interface CodeWatch {
  /** Called before the code of this name runs. Returns the entry for `leave`. */
  enter(name: string): number;
  /** Called when the code has returned a promise. */
  suspend(): void;
  /** Called when the code has ended. */
  leave(entry: number): void;
}

const noWatch: CodeWatch = { enter: () => 0, suspend: () => {}, leave: () => {} };

/** Runs code of the application, such as hooks and endpoints, with a time limit. */
export class ApplicationCode {
  readonly #timeoutMs: number;
  readonly #watch: CodeWatch;
  #pending = 0;
  #waiting: (() => void)[] = [];

  constructor(timeoutMs: number, watch: CodeWatch = noWatch) {
    this.#timeoutMs = timeoutMs;
    this.#watch = watch;
  }

  /**
   * Runs `work` and returns its result. After the timeout `onTimeout` is called, and the result is discarded.
   * @param name names the code in errors
   * @throws Problem `handler_timeout`, and the errors of `work`
   */
  run<T>(name: string, work: () => T | PromiseLike<T>, onTimeout?: () => void): T | Promise<T> {
    const entry = this.#watch.enter(name);
    let result: T | PromiseLike<T>;
    try {
      result = work();
    } catch (error) {
      this.#watch.leave(entry);
      throw error;
    }
    if (!isPromise(result)) {
      this.#watch.leave(entry);
      return result;
    }
    this.#watch.suspend();
    return this.#limitTime(name, result, entry, onTimeout);
  }

  /** Resolves once no code runs any more: hooks after a commit run beside the request that they follow. */
  ended(): Promise<void> {
    return this.#pending === 0 ? Promise.resolve() : new Promise((resolve) => this.#waiting.push(resolve));
  }

  #limitTime<T>(name: string, result: PromiseLike<T>, entry: number, onTimeout?: () => void): Promise<T> {
    this.#pending += 1;
    return new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer);
        this.#watch.leave(entry);
        this.#pending -= 1;
        if (this.#pending > 0) return;
        for (const go of this.#waiting) go();
        this.#waiting = [];
      };
      const timer = setTimeout(() => {
        end();
        const cause = new Error(`${name} took longer than ${this.#timeoutMs / 1000} s`);
        reject(new Problem('handler_timeout', { headers: { 'Retry-After': '5' }, cause }));
        onTimeout?.();
      }, this.#timeoutMs);
      // The timer does not keep the process alive.
      timer.unref();
      result.then(
        (value) => {
          end();
          resolve(value);
        },
        (error: unknown) => {
          end();
          reject(error);
        },
      );
    });
  }
}

/** True if a result of application code is a promise, of any class. */
export const isPromise = <T>(value: T | PromiseLike<T>): value is PromiseLike<T> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';

/** Returns the problem for the error of a hook: `handler_timeout` as it is, anything else as `internal`. */
export const hookFailure = (cause: unknown): Problem =>
  cause instanceof Problem && cause.problem === 'handler_timeout'
    ? cause
    : new Problem('internal', { cause });
