import type { Registry } from 'prom-client';

/** What prom-client says of Node that costs more than it tells: the names of all connections, one by one. */
const leftOut = [
  ...['nodejs_active_handles', 'nodejs_active_handles_total'],
  ...['nodejs_active_requests', 'nodejs_active_requests_total'],
  ...['nodejs_active_resources', 'nodejs_active_resources_total'],
];

let opened: Promise<Registry> | undefined;

const open = async (): Promise<Registry> => {
  const { Registry, collectDefaultMetrics } = await import('prom-client');
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const name of leftOut) registry.removeSingleMetric(name);
  return registry;
};

/** Node's own metrics: one registry for the process, as what they observe with cannot be ended. */
export const processRegistry = (): Promise<Registry> => {
  opened ??= open();
  return opened;
};
