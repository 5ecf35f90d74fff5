/** Converts figures, counts and durations into the form of prom-client's registry. */

import type { AggregatorRegistry, Metric, Registry } from 'prom-client';
import type { Figure } from '../../kernel/figure.ts';
import { type AnswerTimes, bounds, type Durations } from './answer-times.ts';

/** Prefix of all our names. */
export const prefix = 'gatewright_';

/** A value in the form of prom-client's registry. */
interface ExportedValue {
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
  /** Present where it differs from the name of the metric: the parts of a histogram. */
  readonly metricName?: string;
}

interface Exported {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly aggregator: Figure['across'];
  readonly values: readonly ExportedValue[];
}

/** All metrics of one process, in the form in which a worker sends them to the primary. */
export type Readings = Awaited<
  ReturnType<AggregatorRegistry<'text/plain; version=0.0.4; charset=utf-8'>['getMetricsAsJSON']>
>;

/**
 * Adds a metric to a registry. The classes of prom-client store values and look up labels at each observation; ours
 * are computed at each scrape. Its own `aggregate` creates metrics in the same way: an object with `get`.
 */
const add = (registry: Registry, exported: Exported): void =>
  registry.registerMetric({ ...exported, get: async () => exported } as unknown as Metric);

export const addFigure = (registry: Registry, { name, help, type, across, samples }: Figure): void =>
  add(registry, {
    name: prefix + name,
    help,
    type,
    aggregator: across,
    values: samples.map(({ labels = {}, value }) => ({ labels, value })),
  });

const histogramOf = (
  name: string,
  labels: ExportedValue['labels'],
  { counts, total }: Durations,
): readonly ExportedValue[] => {
  let count = 0;
  const buckets = [...counts].map((added, index) => {
    count += added;
    return { labels: { ...labels, le: bounds[index] ?? '+Inf' }, value: count, metricName: `${name}_bucket` };
  });
  return [
    ...buckets,
    { labels, value: total / 1000, metricName: `${name}_sum` },
    { labels, value: count, metricName: `${name}_count` },
  ];
};

const histogram = { type: 'histogram', aggregator: 'sum' } as const;

export const addAnswerTimes = (registry: Registry, { routes, refusals }: AnswerTimes): void => {
  const all = [...routes];
  const requests = all.flatMap(({ route, method, statuses }) =>
    [...statuses].map(([status, value]) => ({ labels: { route, method, status }, value })),
  );
  add(registry, {
    name: `${prefix}http_requests_total`,
    help: 'Responses by registered route, method and status.',
    type: 'counter',
    aggregator: 'sum',
    values: requests,
  });
  add(registry, {
    name: `${prefix}http_refusals_total`,
    help: 'Requests that were refused or failed, by the code of the envelope.',
    type: 'counter',
    aggregator: 'sum',
    values: [...refusals].map(([code, value]) => ({ labels: { code }, value })),
  });
  add(registry, {
    name: `${prefix}http_database_seconds_total`,
    help: 'Time that requests waited for the database, by route and method.',
    type: 'counter',
    aggregator: 'sum',
    values: all.map(({ route, method, database }) => ({ labels: { route, method }, value: database / 1000 })),
  });
  const name = `${prefix}http_request_duration_seconds`;
  add(registry, {
    ...histogram,
    name,
    help: 'Time from the arrival of a request to the end of its response; for a stream of events, to its beginning.',
    values: all.flatMap(({ route, method, durations }) => histogramOf(name, { route, method }, durations)),
  });
};

export const addStatementTimes = (registry: Registry, durations: Durations): void => {
  const name = `${prefix}database_statement_duration_seconds`;
  add(registry, {
    ...histogram,
    name,
    help: 'Time of a statement, including its wait for a session or for the writer.',
    values: histogramOf(name, {}, durations),
  });
};
