/** Durations of responses by route and hour, for the administration area. */

import { toQuery } from '../../database/statement.ts';
import type { TableContext } from '../../ledger/context.ts';
import { CountedTable } from '../../ledger/counted-table.ts';
import { hourOf } from './request-counts.ts';

/** Times are kept for a day. */
const retentionMs = 24 * 3_600_000;

/** Upper bounds of durations, in milliseconds; the last one has everything beyond. */
const bounds = [
  1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1_000, 1_500, 2_000, 3_000, 5_000,
  10_000, 30_000, 3_600_000,
] as const;

/** Routes, methods and bounds of one batch at most; more are not counted while the database is away. */
const maxEntries = 20_000;

interface Counts {
  requests: number;
  refused: number;
  failed: number;
}

interface CountedRoute extends Counts {
  readonly method: string;
  readonly route: string;
  readonly bound: number;
}

/** Counts a response of a route. */
export type RouteObserver = (response: { readonly status: number; readonly milliseconds: number }) => void;

const none = (): Counts => ({ requests: 0, refused: 0, failed: 0 });

/** Responses of one route by bound, as far as they were not handed over. */
class RouteDurations {
  readonly method: string;
  readonly route: string;
  readonly #counts = bounds.map(none);
  isEmpty = true;

  constructor(method: string, route: string) {
    this.method = method;
    this.route = route;
  }

  add(status: number, milliseconds: number): void {
    let index = 0;
    while (index < bounds.length - 1 && milliseconds > (bounds[index] ?? 0)) index += 1;
    const counts = this.#counts[index];
    if (counts === undefined) return;
    counts.requests += 1;
    if (status >= 500) counts.failed += 1;
    else if (status >= 400) counts.refused += 1;
    this.isEmpty = false;
  }

  /** Returns the counts since the last call. */
  take(): readonly CountedRoute[] {
    const { method, route } = this;
    const taken = this.#counts.flatMap((counts, index) =>
      counts.requests === 0 ? [] : [{ method, route, bound: bounds[index] ?? 0, ...counts }],
    );
    for (const counts of this.#counts) Object.assign(counts, none());
    this.isEmpty = true;
    return taken;
  }
}

/** Milliseconds that a share of all responses took at most; null where there are none. */
const shareWithin = (share: number, counted: readonly (readonly [number, number])[]): number | null => {
  const needed = share * counted.reduce((sum, [, requests]) => sum + requests, 0);
  let upTo = 0;
  for (const [bound, requests] of counted) {
    upTo += requests;
    if (upTo >= needed) return bound;
  }
  return null;
};

/**
 * Durations of responses by route: some additions in memory for each. A batch counts with the hour in which it is
 * written.
 */
export class RouteTimesStore extends CountedTable<'gatewright_route_times', CountedRoute> {
  readonly #routes: RouteDurations[] = [];

  constructor(context: TableContext) {
    super(context, {
      name: 'times of routes',
      table: 'gatewright_route_times',
      key: ['hour', 'method', 'route', 'bound'],
      sums: ['requests', 'refused', 'failed'],
      written: { hour: hourOf },
      removal: { column: 'hour', ageMs: retentionMs, text: hourOf },
      maxEntries,
      rowsPerStatement: [100, 10, 1],
      merge: (pending, counted) => {
        pending.requests += counted.requests;
        pending.refused += counted.refused;
        pending.failed += counted.failed;
        return pending;
      },
      gather: async () => this.#gather(),
    });
  }

  /** Returns the function that counts the responses of a route. */
  observerOf(method: string, route: string): RouteObserver {
    const durations = new RouteDurations(method, route);
    this.#routes.push(durations);
    return ({ status, milliseconds }) => durations.add(status, milliseconds);
  }

  /** Milliseconds that half of all responses, and 95 % of them, took at most within a day: upper ends of steps. */
  async overall(): Promise<{ readonly p50: number | null; readonly p95: number | null }> {
    const bySteps = this.tables
      .selectFrom('gatewright_route_times')
      .select(({ fn }) => ['bound', fn.sum<number | string>('requests').as('requests')])
      .groupBy('bound')
      .orderBy('bound');
    type Row = { readonly bound: number; readonly requests: number | string };
    const rows = await this.database.all<Row>(toQuery(bySteps));
    const counted = rows.map(({ bound, requests }) => [bound, Number(requests)] as const);
    return { p50: shareWithin(0.5, counted), p95: shareWithin(0.95, counted) };
  }

  #gather(): void {
    for (const route of this.#routes) {
      if (route.isEmpty) continue;
      for (const counted of route.take())
        this.counter.add(`${counted.route} ${counted.method} ${counted.bound}`, counted);
    }
  }
}

export const createRouteTimes = (context: TableContext): RouteTimesStore => new RouteTimesStore(context);
