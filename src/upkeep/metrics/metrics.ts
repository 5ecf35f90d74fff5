import type { Registry } from 'prom-client';
import type { Figure } from '../../kernel/figure.ts';
import type { AnswerTimes, Durations } from './answer-times.ts';
import type { DatabaseReadings } from './database-readings.ts';
import { addAnswerTimes, addFigure, addStatementTimes } from './exported.ts';
import { processRegistry } from './process-registry.ts';

export interface MetricsParts {
  readonly times: AnswerTimes;
  readonly statements: Durations;
  /** Figures that the process has in memory; read at each scrape. */
  readonly figures: () => readonly Figure[];
  readonly readings: DatabaseReadings;
  /** True if the service is about to stop. */
  readonly stopping: { readonly begun: boolean };
}

/** A gauge of 0 or 1; over several processes the minimum, so that one failure shows. */
const yes = (name: string, help: string, value: boolean): Figure => ({
  name,
  help,
  type: 'gauge',
  across: 'min',
  samples: [{ value: value ? 1 : 0 }],
});

/** All metrics of this process at this moment, in a registry of its own. */
export const readMetrics = async (parts: MetricsParts): Promise<Registry> => {
  const { Registry } = await import('prom-client');
  const registry = new Registry();
  const stored = await parts.readings.read();
  const up = stored !== undefined;
  addAnswerTimes(registry, parts.times);
  addStatementTimes(registry, parts.statements);
  for (const figure of [
    ...parts.figures(),
    yes('database_up', 'Whether the database responds, and would accept a write, within a second.', up),
    yes(
      'ready',
      'Whether the service is ready, as ?ready of the health check reports.',
      up && !parts.stopping.begun,
    ),
    ...(stored ?? []),
  ])
    addFigure(registry, figure);
  for (const metric of (await processRegistry()).getMetricsAsArray())
    registry.registerMetric(metric as unknown as Parameters<Registry['registerMetric']>[0]);
  return registry;
};
