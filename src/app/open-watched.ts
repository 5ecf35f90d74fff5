/** Opens the database and its replica with slow statements logged, statements measured and outages watched. */

import type { Logger } from 'pino';
import type { OpenDatabase } from '../database/database.ts';
import { type DatabaseWatch, watchDatabase } from '../database/database-watch.ts';
import { measured, watchStatements } from '../database/measured.ts';
import { openDatabase } from '../database/open.ts';
import { busyLimit, type DatabaseTarget, type Peers, type ReplicaOptions } from '../database/target.ts';
import type { Clock } from '../kernel/clock.ts';
import { decisiveTables } from '../records/rows.ts';
import { openTracing, type Tracing } from '../upkeep/watch.ts';
import type { Application } from './application.ts';
import type { Closing } from './closing.ts';
import type { Config } from './config.ts';
import { type Metering, withMetering } from './metering.ts';
import { warnOfSessions } from './preflight.ts';
import { packageVersion } from './version.ts';

/** The replica that the service reads from; undefined where none is configured. */
const replicaOf = (
  { databaseReadUrl: url }: Config,
  { models }: Application,
  logger: Logger,
): ReplicaOptions | undefined =>
  url === undefined
    ? undefined
    : { url, decisive: decisiveTables(models), report: (_state, sentence) => logger.warn(sentence) };

/** Milliseconds for which a write waits for a transaction of another worker; undefined without workers. */
const busyLimitOf = (peers: Peers | undefined, { transactionTimeout }: Config): number | undefined =>
  peers && busyLimit + transactionTimeout * 1000;

/** Observers of a database that a service opens. */
export interface WatchedParts {
  readonly config: Config;
  readonly application: Application;
  readonly logger: Logger;
  readonly closing: Closing;
  readonly clock: Clock;
  readonly metering: Metering | undefined;
  readonly options: { readonly sharedPort?: number | undefined; readonly peers?: Peers | undefined };
}

export interface WatchedDatabase extends Pick<DatabaseWatch, 'ready' | 'damaged'> {
  readonly database: OpenDatabase;
  readonly tracing: Tracing | undefined;
}

/** Opens a database whose statements are measured, and which is watched until the service closes. */
export const openWatched = async (
  target: DatabaseTarget,
  { config, application, logger, closing, clock, metering, options }: WatchedParts,
): Promise<WatchedDatabase> => {
  const opened = await openDatabase(target, {
    poolSize: config.databasePool,
    prepare: config.databasePrepare,
    replica: replicaOf(config, application, logger),
    peers: options.peers,
    busyLimit: busyLimitOf(options.peers, config),
  });
  closing.push(() => opened.close());
  const tracing = await openTracing(target.telemetryName, await packageVersion());
  const statements = watchStatements(logger, config.slowQuery);
  let watch: DatabaseWatch | undefined;
  const database = measured(opened, {
    ended: withMetering(statements.ended, metering),
    begun: tracing?.begun,
    failed: (error) => watch?.failed(error),
  });
  const isFirst = options.sharedPort === undefined;
  const another = database.claim?.(isFirst ? 'first' : 'joins');
  if (another !== undefined) logger.warn(another);
  if (isFirst) await warnOfSessions(database, config, logger);
  watch = await watchDatabase({
    database,
    clock,
    report: (state, sentence) => (state === 'back' ? logger.warn(sentence) : logger.error(sentence)),
  });
  const { ready, damaged, stop } = watch;
  closing.push(async () => stop());
  return { database, tracing, ready, damaged };
};
