import type { Registry } from 'prom-client';
import type { Figure } from '../kernel/figure.ts';
import type { AnswerTimes, Durations } from './answer-times.ts';
import type { DatabaseReadings } from './database-readings.ts';
import { addAnswerTimes, addFigure, addStatementTimes } from './exported.ts';
import { processRegistry } from './process-registry.ts';

export interface MetricsParts {
  readonly times: AnswerTimes;
  readonly statements: Durations;
  /** What the process knows by itself; read at each scrape. */
  readonly figures: () => readonly Figure[];
  readonly readings: DatabaseReadings;
  /** Whether the service is about to stop. */
  readonly stopping: { readonly begun: boolean };
}

/** Of several processes one that is not tells. */
const yes = (name: string, help: string, value: boolean): Figure => ({
  ...{ name, help, type: 'gauge', across: 'min' },
  samples: [{ value: value ? 1 : 0 }],
});

/** Everything that this process has to tell at this moment, in a registry of its own. */
export const readMetrics = async (parts: MetricsParts): Promise<Registry> => {
  const { Registry } = await import('prom-client');
  const registry = new Registry();
  const stored = await parts.readings.read();
  const up = stored !== undefined;
  addAnswerTimes(registry, parts.times);
  addStatementTimes(registry, parts.statements);
  for (const figure of [
    ...parts.figures(),
    yes('database_up', 'Whether the database answers, and would take a write, within a second.', up),
    yes(
      'ready',
      'Whether the service is ready: what ?ready of the health check says.',
      up && !parts.stopping.begun,
    ),
    ...(stored ?? []),
  ])
    addFigure(registry, figure);
  for (const metric of (await processRegistry()).getMetricsAsArray())
    registry.registerMetric(metric as unknown as Parameters<Registry['registerMetric']>[0]);
  return registry;
};
