/** Connects the metrics with the parts that they measure. Their code is loaded only if METRICS_PORT is set. */

import type { Logger } from 'pino';
import type { SecurityEventStore } from '../accounts/security-events.ts';
import type { Database } from '../database/database.ts';
import type { StatementWatch } from '../database/measured.ts';
import { figuresOfReplica } from '../database/replica-figures.ts';
import { createStoredFigures } from '../database/stored-figures.ts';
import type { Changes } from '../delivery/events.ts';
import type { JobService } from '../delivery/jobs.ts';
import type { Webhooks } from '../delivery/webhooks.ts';
import type { HttpOptions, HttpServer } from '../http/server.ts';
import type { ServiceClock } from '../kernel/clock.ts';
import { type Figure, figure } from '../kernel/figure.ts';
import type { Stopping } from '../kernel/stopping.ts';
import type { Closing } from './closing.ts';
import type { Config } from './config.ts';
import { droppedFigure } from './log.ts';
import { packageVersion } from './version.ts';

/** Parts of the service that have figures, or delay a scrape. */
interface MeteredServices {
  readonly changes: Changes;
  readonly securityEvents: SecurityEventStore;
  readonly webhooks: Webhooks;
  /** Resolves where a write would be taken. @throws Problem `database_unavailable` */
  readonly ready: () => Promise<void>;
  readonly stopping: Stopping;
}

/** Sources of the metrics. */
interface Metered {
  readonly services: MeteredServices;
  readonly jobs: Pick<JobService, 'tickFigures'>;
  readonly http: HttpServer;
  readonly database: Database;
  /** True if a statement has met damaged data. */
  readonly damaged: () => boolean;
  readonly logger: Logger;
  readonly clock: Pick<ServiceClock, 'offset'>;
}

export interface Metering {
  readonly observerOf: HttpOptions['observerOf'];
  /** Records a statement that has ended, with its milliseconds. */
  statementEnded(milliseconds: number): void;
  /** Starts to serve scrapes; returns the port, undefined in a worker. @throws Error where the port is taken */
  begin(metered: Metered): Promise<number | undefined>;
}

/** Calls `ended` for each statement, and the metrics as well if there are any. */
export const withMetering = (
  ended: StatementWatch['ended'],
  metering: Metering | undefined,
): StatementWatch['ended'] => {
  if (metering === undefined) return ended;
  return (sql, milliseconds, work) => {
    metering.statementEnded(milliseconds);
    ended(sql, milliseconds, work);
  };
};

const counterFigure = (
  name: string,
  help: string,
  label: string,
  counts: Iterable<readonly [string, number]>,
): Figure => ({
  name,
  help,
  type: 'counter',
  across: 'sum',
  samples: [...counts].map(([of, value]) => ({ labels: { [label]: of }, value })),
});

const buildInfo = async ({ dialect }: Database): Promise<Figure> => ({
  name: 'build_info',
  type: 'gauge',
  across: 'max',
  help: 'Always 1: version of the service and of Node, and which database it is.',
  samples: [
    { labels: { version: await packageVersion(), node: process.version, database: dialect.name }, value: 1 },
  ],
});

/** Figures that the process has in memory. */
const figuresOf = ({ services, http, database, damaged, clock }: Metered): readonly Figure[] => [
  figure(
    'gauge',
    'http_requests_in_flight',
    'Requests in progress, including streams.',
    http.connections.inFlight,
  ),
  figure('gauge', 'http_connections', 'Open connections.', http.connections.size),
  counterFigure(
    'http_connections_lost_total',
    'Connections refused at the limit, displaced by another, or cut for flooding.',
    'reason',
    Object.entries(http.connections.lost),
  ),
  figure(
    'gauge',
    'http_body_memory_bytes',
    'Memory of BODY_MEMORY that request bodies use.',
    http.bodies.held,
  ),
  figure('gauge', 'event_streams', 'Open event streams.', services.changes.size),
  counterFigure(
    'security_events_total',
    'Security events by action; sign_in.locked are sign-ins refused for too many failures before.',
    'action',
    services.securityEvents.counts,
  ),
  counterFigure(
    'webhook_attempts_total',
    'Webhook delivery attempts by outcome (waiting: will be retried).',
    'outcome',
    services.webhooks.outcomes,
  ),
  {
    name: 'clock_offset_seconds',
    type: 'gauge',
    across: 'max',
    help: 'Seconds by which this machine’s clock is ahead of the database’s, which counts; below 0 if behind.',
    samples: [{ value: clock.offset / 1_000 }],
  },
  droppedFigure(),
  {
    name: 'database_damaged',
    type: 'gauge',
    across: 'max',
    help: 'Whether a statement has met damaged data since the start: 1 until the database is repaired and the service restarted.',
    samples: [{ value: damaged() ? 1 : 0 }],
  },
  ...(database.figures?.() ?? []),
  ...figuresOfReplica(database.replica?.state()),
];

/** Opens the metrics if METRICS_PORT is set. Otherwise none of their code is loaded and nothing is measured. */
export const openMetering = async (
  { metricsPort, metricsToken: token, host, basePath }: Config,
  closing: Closing,
): Promise<Metering | undefined> => {
  if (metricsPort === undefined) return undefined;
  const [{ AnswerTimes, DatabaseReadings, Durations, listenForScrapes, readMetrics }, { default: cluster }] =
    await Promise.all([import('../upkeep/metrics.ts'), import('node:cluster')]);
  const times = new AnswerTimes(basePath);
  const statements = new Durations();
  return {
    observerOf: times.observerOf,
    statementEnded: (milliseconds) => statements.add(milliseconds),
    begin: async (metered) => {
      const { services, database, logger } = metered;
      const build = await buildInfo(database);
      const ofTables = createStoredFigures(database);
      const stored = async () => (await Promise.all([ofTables(), metered.jobs.tickFigures()])).flat();
      const readings = new DatabaseReadings({ stored, ready: services.ready });
      const read = () =>
        readMetrics({
          times,
          statements,
          readings,
          stopping: services.stopping,
          figures: () => [build, ...figuresOf(metered)],
        });
      if (cluster.isWorker) {
        const { answerPrimary } = await import('../upkeep/metrics.ts');
        const end = answerPrimary(read);
        closing.pushFirst(async () => end());
        return undefined;
      }
      const listener = await listenForScrapes({
        host,
        port: metricsPort,
        token,
        logger,
        text: async () => (await read()).metrics(),
      });
      closing.pushFirst(() => listener.close());
      return listener.port;
    },
  };
};
