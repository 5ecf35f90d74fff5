import type { Endpoint } from '../http/endpoint.ts';
import type { AnswerObserver, SentAnswer } from '../http/request.ts';

/** Upper bounds of the histogram, in seconds: from what a look-up takes to what somebody gives up on. */
export const bounds = [
  ...[0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1],
  ...[0.25, 0.5, 1, 2.5, 5, 10, 30],
] as const;

const milliseconds = bounds.map((seconds) => seconds * 1000);

/**
 * Routes, each with its method, that are told apart; the others are one, `other`. Each one is some twenty series: with
 * 500 of them a scrape has 11,000 at most, whatever the application serves.
 */
export const routesToldApart = 500;

/** Methods that are told apart where no endpoint says which one it is: callers may make up as many as they like. */
const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** How long things took. */
export class Durations {
  /** Things by the first bound that they keep; the last entry is of those that keep none. */
  readonly counts = new Float64Array(bounds.length + 1);
  /** Milliseconds of all. */
  total = 0;

  add(time: number): void {
    this.total += time;
    let index = 0;
    while (index < milliseconds.length && time > (milliseconds[index] ?? 0)) index += 1;
    this.counts[index] = (this.counts[index] ?? 0) + 1;
  }
}

/** The answers of one route and method. */
export class RouteTimes {
  readonly route: string;
  readonly method: string;
  /** Answers by status. */
  readonly statuses = new Map<number, number>();
  readonly durations = new Durations();
  /** Milliseconds of all answers in which the database was asked. */
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
 * Counts and measures answers by route. The counting is an addition in a few arrays that belong to the endpoint, some
 * 15 ns; a library that looks its labels up for each observation takes forty times as long. What is exported is made of
 * it when somebody asks.
 */
export class AnswerTimes {
  readonly #basePath: string;
  readonly #routes = new Map<string, RouteTimes>();
  /** Refusals and failures by code: as many entries as there are codes. */
  readonly refusals = new Map<number, number>();

  constructor(basePath: string) {
    this.#basePath = basePath;
  }

  get routes(): Iterable<RouteTimes> {
    return this.#routes.values();
  }

  /** Who measures the answers of an endpoint, or of requests that reach none. HEAD counts as GET, and PUT as PATCH. */
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
    const known = this.#routes.get(key);
    if (known !== undefined) return known;
    if (this.#routes.size >= routesToldApart && route !== 'other') return this.#of('other', 'other');
    const times = new RouteTimes(route, method);
    this.#routes.set(key, times);
    return times;
  }
}
