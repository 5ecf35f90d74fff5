import { AsyncLocalStorage } from 'node:async_hooks';

/** Milliseconds in which at least one of several things that may overlap was under way. */
export class BusyTime {
  #under = 0;
  #since = 0;
  #total = 0;

  /** @param now by `performance.now()`, as everywhere here */
  begin(now: number): void {
    if (this.#under === 0) this.#since = now;
    this.#under += 1;
  }

  end(now: number): void {
    this.#under -= 1;
    if (this.#under === 0) this.#total += now - this.#since;
  }

  until(now: number): number {
    return this.#under === 0 ? this.#total : this.#total + now - this.#since;
  }
}

/** What is being worked on, as the log names it: a request, or a job. */
export interface Work {
  /** Path of the request as it was registered, or `job` and its name; undefined while it is not known. */
  readonly route: string | undefined;
  readonly requestId: string | undefined;
  /** W3C Trace Context, as far as one came with the request. */
  readonly traceparent: string | undefined;
  /** How long the database was asked. */
  readonly database: BusyTime;
}

const storage = new AsyncLocalStorage<Work>();

/** Runs `task`, and all that it awaits, as part of this work. */
export const runAs = <Arguments extends readonly unknown[], T>(
  work: Work,
  task: (...given: Arguments) => T,
  ...given: Arguments
): T => storage.run(work, task, ...given);

/** What the code that asks is part of; undefined for what the service does by itself. */
export const currentWork = (): Work | undefined => storage.getStore();

/** What a log line about something that happens within a piece of work says of it. */
export const whereabouts = (): Partial<Pick<Work, 'route' | 'requestId' | 'traceparent'>> => {
  const work = storage.getStore();
  if (work === undefined) return {};
  const { route, requestId, traceparent } = work;
  return {
    ...(requestId === undefined ? {} : { requestId }),
    ...(route === undefined ? {} : { route }),
    ...(traceparent === undefined ? {} : { traceparent }),
  };
};
