/** Checks of a start that need no request: free ports, valid endpoints, the first administrator, pending migrations. */

import { type AddressInfo, connect, createServer as createNetServer } from 'node:net';
import type { Logger } from 'pino';
import type { OpenDatabase } from '../database/database.ts';
import type { Found } from '../database/migrations.ts';
import type { DatabaseTarget } from '../database/target.ts';
import { Routes } from '../http/routes.ts';
import { errorMessage } from '../kernel/error-message.ts';
import type { Vault } from '../vault/vault.ts';
import type { Application } from './application.ts';
import type { Config } from './config.ts';
import { assertNotOlder } from './credentials-watch.ts';
import { endpointsOf } from './describe.ts';
import { assertFirstAdmin } from './first-admin.ts';
import { outdatedDatabase, outdatedNode } from './known-fixes.ts';
import { fillingMessage, prepareDatabase } from './migrate.ts';
import { checkSchema } from './schema-check.ts';
import { assertSecret } from './secrets.ts';

/** Checks that can refuse a start, ordered so that nothing is written before the last of them has passed. */

/** Milliseconds after which a port that neither accepts nor refuses a connection counts as taken. */
const probeTimeoutMs = 1_000;

/** The addresses to try where a service listens on all of them. */
const loopbacks: Readonly<Record<string, readonly string[]>> = {
  '0.0.0.0': ['127.0.0.1'],
  '::': ['127.0.0.1', '::1'],
};

const acceptsConnections = (port: number, host: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ port, host, timeout: probeTimeoutMs });
    const settle = (accepts: boolean) => (): void => {
      socket.destroy();
      resolve(accepts);
    };
    socket.once('connect', settle(true)).once('timeout', settle(true)).once('error', settle(false));
  });

const findFreePort = (host: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createNetServer();
    probe.once('error', reject);
    // Exclusive: a worker would otherwise share the port of the others.
    probe.listen({ port: 0, host, exclusive: true }, () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });

/**
 * Returns the port to listen on, a free one for port 0. A taken port, or a host that is not of this machine, refuses
 * the start before anything is written. The probe does not listen on a given port: a proxy that tries the port of a
 * stopped instance would be accepted for that moment, and its request lost.
 * @throws Error `EADDRINUSE` for a taken port, and whatever listening on the host throws
 */
export const probePort = async ({ port, host }: Pick<Config, 'port' | 'host'>): Promise<number> => {
  const free = await findFreePort(host);
  if (port === 0) return free;
  const probes = (loopbacks[host] ?? [host]).map((address) => acceptsConnections(port, address));
  if (!(await Promise.all(probes)).includes(true)) return port;
  throw Object.assign(new Error(`listen EADDRINUSE: address already in use ${host}:${port}`), {
    code: 'EADDRINUSE',
  });
};

/** Does the same for METRICS_PORT; a worker leaves it to its primary. @throws Error */
export const assertMetricsPort = async ({ metricsPort, host }: Config): Promise<void> => {
  if (metricsPort === undefined || (await import('node:cluster')).default.isWorker) return;
  await probePort({ port: metricsPort, host }).catch((error: unknown) => {
    throw new Error(`METRICS_PORT: ${errorMessage(error)}`, {
      cause: error,
    });
  });
};

/**
 * Builds all endpoints before anything is migrated, and discards them: their mistakes are reported here. Without
 * pending migrations the endpoints that are served are built before anything is written, so once is enough.
 */
const checkEndpoints = (application: Application, config: Config) => {
  let checked = false;
  return async ({ applied }: Found): Promise<void> => {
    if (checked || applied.every(({ pending }) => pending.length === 0)) return;
    const endpoints = await endpointsOf(application, config);
    new Routes().add(endpoints, config.basePath);
    checked = true;
  };
};

/**
 * Refuses an application that cannot be served, then applies pending migrations if models, credentials and the first
 * administrator fit the result.
 * @throws Error with one line that says what is missing or wrong; the database is unchanged then
 */
export const prepareStart = async (
  config: Config,
  application: Application,
  target: DatabaseTarget,
  vault: Vault,
  logger: Logger,
): Promise<void> => {
  for (const sentence of outdatedNode()) logger.warn(sentence);
  await assertSecret(config, vault);
  const check = checkEndpoints(application, config);
  const lost = target.lostWrites();
  if (lost !== undefined) logger.warn({ database: target.place }, lost);
  // A file that does not exist yet is an empty database.
  if (target.isEmpty()) await assertFirstAdmin(config);
  const { applied, later } = await prepareDatabase(config, application, target, {
    before: async (found) => {
      await check(found);
      await assertNotOlder(vault, config.credentialsFile, found);
    },
    after: async (ask) => {
      const dialect = await target.dialect();
      for (const sentence of await outdatedDatabase(ask, dialect)) logger.warn(sentence);
      await checkSchema(ask, dialect, application.models, (line) => logger.warn(line));
      const [user] = await ask(`select id from ${target.names.written('users')} limit 1`);
      if (user === undefined) await assertFirstAdmin(config);
    },
    onFilling: (table, records) => logger.info({ table, records }, fillingMessage),
  });
  if (applied.length > 0) logger.info({ applied }, 'migrated');
  if (later.length > 0) logger.info({ later }, 'the database has migrations of a newer release');
};

/** Warns if all workers jointly may open more sessions than the database has. */
export const warnOfSessions = async (
  database: Pick<OpenDatabase, 'sessionRoom'>,
  { workers }: Pick<Config, 'workers'>,
  logger: Logger,
): Promise<void> => {
  const room = await database.sessionRoom?.();
  if (room === undefined || workers * room.most <= room.allowed) return;
  logger.warn(
    { workers, connections: workers * room.most, allowed: room.allowed },
    'under load the service may open more connections than the database allows: lower DATABASE_POOL or WORKERS, or raise max_connections',
  );
};
