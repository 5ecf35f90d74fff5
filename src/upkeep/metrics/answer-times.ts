/** Counts and durations of responses by route, kept in arrays so that an observation costs a few additions. */

import type { Endpoint } from '../../http/endpoint.ts';
import type { AnswerObserver, SentAnswer } from '../../http/request.ts';

/** Upper bounds of the histogram, in seconds: from the time of a look-up to that at which a user gives up. */
export const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] as const;

const milliseconds = bounds.map((seconds) => seconds * 1000);

/**
 * Maximum number of routes, each with its method, with series of their own; further ones are counted as `other`. A
 * route has some twenty series, so a scrape has 11,000 at most, however many routes there are.
 */
export const maxRoutes = 500;

/** Methods with series of their own for requests that reach no endpoint: clients may invent any number of others. */
const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** A histogram of durations. */
export class Durations {
  /** Counts by the smallest bound that is not exceeded; the last entry counts those beyond all bounds. */
  readonly counts = new Float64Array(bounds.length + 1);
  /** Sum in milliseconds. */
  total = 0;

  add(time: number): void {
    this.total += time;
    let index = 0;
    while (index < milliseconds.length && time > (milliseconds[index] ?? 0)) index += 1;
    this.counts[index] = (this.counts[index] ?? 0) + 1;
  }
}

/** Responses of one route and method. */
export class RouteTimes {
  readonly route: string;
  readonly method: string;
  /** Number of responses by status. */
  readonly statuses = new Map<number, number>();
  readonly durations = new Durations();
  /** Milliseconds of database time in all responses. */
  database = 0;

  constructor(route: string, method: string) {
    this.route = route;
    this.method = method;
  }

  add({ status, milliseconds, databaseMilliseconds }: SentAnswer): void {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    this.durations.add(milliseconds);
    this.database += databaseMilliseconds;
  }
}

/**
 * Counts and measures responses by route. An observation is an addition in a few arrays that belong to the endpoint,
 * some 15 ns; a library that looks up labels for each observation takes forty times as long. The exported form is
 * created for each scrape.
 */
export class AnswerTimes {
  readonly #basePath: string;
  readonly #routes = new Map<string, RouteTimes>();
  /** Refusals and failures by code; bounded by the number of codes. */
  readonly refusals = new Map<number, number>();

  constructor(basePath: string) {
    this.#basePath = basePath;
  }

  get routes(): Iterable<RouteTimes> {
    return this.#routes.values();
  }

  /**
   * Returns the observer of an endpoint's responses, or of requests that reach none. HEAD counts as GET, PUT as
   * PATCH.
   */
  readonly observerOf = (endpoint: Endpoint | undefined): AnswerObserver => {
    if (endpoint === undefined)
      return (sent) =>
        this.#add(this.#of('unmatched', methods.has(sent.method) ? sent.method : 'other'), sent);
    const route = this.#basePath + endpoint.path;
    let times: RouteTimes | undefined;
    return (sent) => {
      times ??= this.#of(route, endpoint.method);
      this.#add(times, sent);
    };
  };

  #add(times: RouteTimes, sent: SentAnswer): void {
    times.add(sent);
    if (sent.code !== undefined) this.refusals.set(sent.code, (this.refusals.get(sent.code) ?? 0) + 1);
  }

  #of(route: string, method: string): RouteTimes {
    const key = `${method} ${route}`;
    const existing = this.#routes.get(key);
    if (existing !== undefined) return existing;
    if (this.#routes.size >= maxRoutes && route !== 'other') return this.#of('other', 'other');
    const times = new RouteTimes(route, method);
    this.#routes.set(key, times);
    return times;
  }
}
