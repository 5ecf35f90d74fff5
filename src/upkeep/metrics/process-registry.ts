import type { Registry } from 'prom-client';

/** Metrics of prom-client that cost more than they are worth: the names of all connections, one by one. */
const omittedMetrics = [
  'nodejs_active_handles',
  'nodejs_active_handles_total',
  'nodejs_active_requests',
  'nodejs_active_requests_total',
  'nodejs_active_resources',
  'nodejs_active_resources_total',
];

let opened: Promise<Registry> | undefined;

const open = async (): Promise<Registry> => {
  const { Registry, collectDefaultMetrics } = await import('prom-client');
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const name of omittedMetrics) registry.removeSingleMetric(name);
  return registry;
};

/** Node's own metrics: one registry for the process, as its observers cannot be stopped. */
export const processRegistry = (): Promise<Registry> => {
  opened ??= open();
  return opened;
};
