import { AsyncLocalStorage } from 'node:async_hooks';

/** Measures the time in which at least one of several overlapping operations runs. In milliseconds. */
export class BusyTime {
  #running = 0;
  #since = 0;
  #total = 0;

  /** @param now by `performance.now()`, as everywhere here */
  begin(now: number): void {
    if (this.#running === 0) this.#since = now;
    this.#running += 1;
  }

  end(now: number): void {
    this.#running -= 1;
    if (this.#running === 0) this.#total += now - this.#since;
  }

  until(now: number): number {
    return this.#running === 0 ? this.#total : this.#total + now - this.#since;
  }
}

/** A request or a job in progress, as the log names it. */
export interface Work {
  /** Path of the endpoint as registered, or `job` and its name; undefined before the endpoint is found. */
  readonly route: string | undefined;
  readonly requestId: string | undefined;
  /** W3C Trace Context; undefined without one. */
  readonly traceparent: string | undefined;
  /** Time spent on database statements. */
  readonly database: BusyTime;
}

const storage = new AsyncLocalStorage<Work>();

/** Runs `task`, and everything that it awaits, as part of this work. */
export const runAs = <Arguments extends readonly unknown[], T>(
  work: Work,
  task: (...given: Arguments) => T,
  ...given: Arguments
): T => storage.run(work, task, ...given);

/** Returns the request or job to which the calling code belongs; undefined for the service's own background work. */
export const currentWork = (): Work | undefined => storage.getStore();

/** Returns the fields that identify the current work in a log line. */
export const workLogFields = (): Partial<Pick<Work, 'route' | 'requestId' | 'traceparent'>> => {
  const work = storage.getStore();
  if (work === undefined) return {};
  const { route, requestId, traceparent } = work;
  return { requestId, route, traceparent };
};
