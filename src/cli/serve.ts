/** Serves an application in this process until a signal, with readable messages where the start fails. */

import { flushCompileCache } from 'node:module';
import type { Logger } from 'pino';
import type { Config } from '../app/config.ts';
import { awaitDatabase } from '../app/database-wait.ts';
import { createServer, type Server } from '../app/server.ts';
import { databaseTarget } from '../database/targets.ts';
import { LouderLog } from '../upkeep/watch.ts';
import { openApplication } from './application.ts';
import { greet } from './greeting.ts';
import type { Io } from './io.ts';
import { endAfter, endAfterFailure, endIfKeptAlive, endNow, type StopSignal } from './stop-signal.ts';
import { logUncaught } from './uncaught.ts';
import { orphanDrain, type WorkerRole } from './workers/worker.ts';

export interface ServeOptions {
  readonly config: Config;
  readonly logger: Logger;
  readonly io: Pick<Io, 'print'>;
  readonly stopped: Promise<StopSignal>;
  /** Undefined for the only process. */
  readonly worker: WorkerRole | undefined;
}

/** A stop that is requested meanwhile ends the process at once, since nothing has begun. */
const awaitOwnDatabase = async ({ config, logger, stopped }: ServeOptions): Promise<void> => {
  let isOver = false;
  void stopped.then(() => {
    if (!isOver) endNow(0);
  });
  await awaitDatabase(databaseTarget(config.databaseUrl), config, (fields, message) =>
    logger.warn(fields, message),
  );
  isOver = true;
};

/**
 * Ends the process even if timers of an application that failed to start keep it alive. The reason is logged as well,
 * since the log may be all that is collected.
 */
const startServer = async (options: ServeOptions): Promise<Server> => {
  const { config, logger, worker } = options;
  const process = { watch: true, lifecycle: true, sharedPort: worker?.port, peers: worker?.peers };
  try {
    const application = await openApplication();
    await awaitOwnDatabase(options);
    const server = createServer({ config, logger, application, ...process });
    return await (worker?.starting(server) ?? server);
  } catch (error) {
    logger.fatal({ err: error }, 'the service does not start');
    endIfKeptAlive();
    throw error;
  }
};

/** Serves the application in the current folder until it is stopped, and then ends the process. */
export const serve = async (options: ServeOptions): Promise<never> => {
  const { config, logger, io, stopped, worker } = options;
  let started: Server | undefined;
  logUncaught(logger, () => void endAfterFailure(started));
  const log = new LouderLog(logger);
  process.on('SIGUSR2', () => log.raise());
  const server = await startServer(options);
  started = server;
  if (worker?.port === undefined) greet(server, io);
  worker?.started(server.config.port);
  // Node writes its cache of compiled code at exit, which a killed process does not reach.
  flushCompileCache();
  if ((await stopped) === 'SIGINT') return endAfter(server, 0);
  return endAfter(server, worker?.isOrphan() ? Math.min(orphanDrain, config.drain) : config.drain);
};
