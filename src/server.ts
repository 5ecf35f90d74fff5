import type { OutgoingHttpHeaders } from 'node:http';
import { createServer as createNetServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Application } from './application.ts';
import { throttleWindow } from './auth/login-throttle.ts';
import type { SecurityEvents } from './auth/security-events.ts';
import { allEndpoints, compose } from './compose.ts';
import { type Config, withPort } from './config.ts';
import { tellRefused, watchCredentials } from './credentials-watch.ts';
import { endpointsOf } from './describe.ts';
import { openAdminPages } from './endpoints/admin/shell.ts';
import type { Services } from './endpoints/services.ts';
import { assertFirstAdmin, ensureFirstAdmin, type FirstAdmin } from './first-admin.ts';
import type { Endpoint, HttpMethod } from './http/endpoint.ts';
import { Envelope } from './http/envelope.ts';
import { createPipeline } from './http/pipeline.ts';
import { Routes } from './http/routes.ts';
import { createHttpServer, type HttpOptions, type HttpServer } from './http/server.ts';
import { type Clock, systemClock } from './kernel/clock.ts';
import { createLogger } from './log.ts';
import { prepareDatabase } from './migrate.ts';
import { connectionsWithin } from './open-files.ts';
import { checkSchema } from './schema-check.ts';
import { assertSecret } from './secrets.ts';
import { type DatabaseTarget, databaseTarget } from './store/dialects/target.ts';
import { isEmptyFile } from './store/migrations/runner.ts';
import { openDatabase } from './store/open.ts';
import { sweepLoginAttempts } from './store/tables/login-attempts.ts';
import { createSeenCredentials } from './store/tables/seen-credentials.ts';
import { createUsageRecorder } from './store/tables/usage.ts';
import { watchDatabase } from './store/watch.ts';
import { openVault, type Vault } from './vault/vault.ts';
import { MainThreadWatch } from './watch/main-thread.ts';

export interface ServerOptions {
  readonly config: Config;
  readonly application: Application;
  readonly clock?: Clock;
  /** Whether the log says that the main thread stands still: for a process that does nothing but serve. */
  readonly watch?: boolean;
  /** Pino-compatible; one that writes to stdout at the configured level unless given. */
  readonly logger?: Logger;
  /** Milliseconds that a caller may leave a long answer unread before the connection is cut; 30 s unless given. */
  readonly stall?: number;
}

export interface InjectedRequest {
  readonly method: HttpMethod | 'HEAD';
  /** As a request line has it, with the query string. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface InjectedAnswer {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly text: string;
}

export interface Server {
  /** With the port that was taken. */
  readonly config: Config;
  /** The first super_admin, if this start made one. */
  readonly firstAdmin: FirstAdmin | undefined;
  readonly services: Services;
  /** Everything that is answered, in no particular order. */
  readonly endpoints: readonly Endpoint[];
  /** Runs a request through the whole service without a connection: for tests of many requests. */
  inject(request: InjectedRequest): Promise<InjectedAnswer>;
  /**
   * Stops the service. For `drain` seconds (none unless given) it is not ready, answers on, and closes each connection
   * with its answer. Then it takes no new connections, lets what is in flight end, and closes the database, within 10
   * seconds, but for what cannot be ended. What fails on the way is logged.
   * @throws Error where something could not be ended, such as a statement of SQLite that gives no row
   */
  close(options?: { readonly drain?: number }): Promise<void>;
}

const injecting =
  ({ answer: dispatch }: HttpServer): Server['inject'] =>
  async ({ method, path, headers, body }) => {
    const { default: inject } = await import('light-my-request');
    const answer = await inject(dispatch, {
      method,
      url: path,
      ...(headers === undefined ? {} : { headers }),
      ...(body === undefined ? {} : { payload: body }),
    });
    return { status: answer.statusCode, headers: answer.headers, text: answer.payload };
  };

/** Endpoints whose refusals are failed sign-ins. */
const signInOperations: ReadonlySet<string> = new Set(['login', 'createSession']);

/** Counts the answers of an endpoint, and tells of those that the administration area refuses. */
const counterOf =
  ({ requestCounts, securityEvents }: Services): HttpOptions['counterOf'] =>
  ({ operation, method, path, docs }) => {
    // The files of a page are nobody's requests of the service.
    if (docs.hidden === true) return undefined;
    if (signInOperations.has(operation)) return requestCounts.countSignIn;
    if (!path.startsWith('/admin/')) return requestCounts.count;
    return (principal, status, { address }) => {
      requestCounts.count(principal, status);
      if (status !== 403) return;
      const by = principal.kind === 'user' ? { id: principal.id, username: principal.username } : undefined;
      securityEvents.record({ action: 'admin.refused', address, by, detail: { method, path } });
    };
  };

/** Milliseconds that closing may take before the log says that it does not end. */
const patience = 8_500;

/** Milliseconds between two clean-ups of what has run out. */
const sweepInterval = 600_000;

/** Takes the port for a moment: one that is taken refuses the start before anything is written. */
const probePort = ({ port, host }: Config): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createNetServer();
    probe.once('error', reject);
    probe.listen(port, host, () => {
      const address = probe.address();
      const taken = typeof address === 'object' && address !== null ? address.port : port;
      probe.close(() => resolve(taken));
    });
  });

/** Applies what is pending where the models and the first administrator stand up to what comes of it. */
const bringUpToDate = async (
  config: Config,
  application: Application,
  target: DatabaseTarget,
  logger: Logger,
): Promise<void> => {
  // Of a file that is not there yet it is known what is in it.
  if (isEmptyFile(target)) await assertFirstAdmin(config);
  const { applied, later } = await prepareDatabase(config, application, target, async (ask) => {
    await checkSchema(ask, target.dialect, application.models, (line) => logger.warn(line));
    const [user] = await ask('select id from users limit 1');
    if (user === undefined) await assertFirstAdmin(config);
  });
  if (applied.length > 0) logger.info({ applied }, 'migrated');
  if (later.length > 0) logger.info({ later }, 'the database has migrations of a newer release');
};

/** Builds everything that the service would answer, and throws it away: what is wrong with it is told here. */
const checkEndpoints = async (application: Application, config: Config): Promise<void> => {
  const endpoints = await endpointsOf(application, config);
  new Routes().add(endpoints, config.basePath);
};

const openCredentials = async (
  config: Config,
  logger: Logger,
  onRefused: (error: Error) => void,
): Promise<Vault> => {
  const vault = await openVault({
    file: config.credentialsFile,
    keyFile: config.credentialsKeyFile,
    key: config.credentialsKey,
    production: config.production,
    onError: (error) => logger.error({ err: error }, 'credentials'),
    onRefused,
  });
  vault.watch();
  return vault;
};

const startSweeping = (services: Services, logger: Logger): NodeJS.Timeout => {
  const sweep = async (): Promise<void> => {
    await services.idempotency.sweep();
    await services.requestCounts.sweep();
    await services.securityEvents.sweep();
    await sweepLoginAttempts(services, services.clock() - throttleWindow);
  };
  const timer = setInterval(() => {
    sweep().catch((error: unknown) => logger.warn({ err: error }, 'clean-up failed'));
  }, sweepInterval);
  return timer.unref();
};

const listen = ({ server }: HttpServer, { port, host }: Config): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });

/** Ends one part after the other, also when one of them cannot. @throws Error of the first that could not */
const closeAll = async (
  closers: readonly (() => Promise<unknown> | undefined)[],
  logger: Logger,
): Promise<void> => {
  const failures: unknown[] = [];
  for (const step of closers) {
    try {
      await step();
    } catch (error) {
      logger.error({ err: error }, 'a part of the service could not be closed');
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
};

/** Who asks again gets what the first got. */
const memoized = <Argument, Result>(make: (argument: Argument) => Result) => {
  let made: { readonly result: Result } | undefined;
  return (argument: Argument): Result => {
    made ??= { result: make(argument) };
    return made.result;
  };
};

const startOn = async (config: Config, options: ServerOptions): Promise<Server> => {
  const { application, clock = systemClock } = options;
  const logger = options.logger ?? createLogger(config.logLevel);
  let events: SecurityEvents | undefined;
  const vault = await openCredentials(config, logger, (error) => {
    if (events !== undefined) tellRefused(events, error);
  });
  const target = databaseTarget(config.databaseUrl);
  const stopping = { begun: false };
  const codeWatch = options.watch === true ? new MainThreadWatch(logger) : undefined;
  const closers: (() => Promise<unknown> | undefined)[] = [
    async () => codeWatch?.close(),
    async () => vault.close(),
  ];
  const close = memoized(async (drain: number): Promise<void> => {
    stopping.begun = true;
    if (drain > 0) {
      logger.info({ seconds: drain }, 'stopping');
      await delay(drain * 1000);
    }
    const late = setTimeout(() => logger.warn('something keeps the service from closing'), patience).unref();
    try {
      await closeAll(closers.splice(0).reverse(), logger);
    } finally {
      clearTimeout(late);
    }
  });
  try {
    await assertSecret(config, vault);
    await checkEndpoints(application, config);
    // Up to here nothing has been written.
    await bringUpToDate(config, application, target, logger);
    const database = await openDatabase(target, {
      poolSize: config.databasePool,
      prepare: config.databasePrepare,
    });
    closers.push(() => database.close());
    if (database.claim?.() === false)
      logger.warn(
        'another service runs on this SQLite file: both answer, but each write waits for the other, and several instances are meant for PostgreSQL',
      );
    const watch = await watchDatabase({
      database,
      clock,
      report: (state, sentence) => (state === 'lost' ? logger.error(sentence) : logger.warn(sentence)),
    });
    closers.push(async () => watch.stop());
    const usage = createUsageRecorder({ database, clock }, (error) =>
      logger.warn({ err: error }, 'last uses'),
    );
    closers.push(() => usage.stop());
    const composed = await compose({
      config,
      application,
      clock,
      logger,
      database,
      vault,
      usage,
      ready: watch.ready,
      stopping,
      watch: codeWatch,
    });
    const { services, methods } = composed;
    events = services.securityEvents;
    closers.push(services.securityEvents.start());
    await watchCredentials(vault, config.credentialsFile, createSeenCredentials(services), events);
    await services.roles.register(services.permissionEntries);
    const firstAdmin = await ensureFirstAdmin(services.users, services.passwords, config);
    const pipeline = createPipeline({ methods, envelope: new Envelope(services.catalogue) });
    const pages = await openAdminPages(config);
    if (pages === undefined) logger.warn('the administration pages are not built: npm run build');
    const endpoints = [
      ...(await allEndpoints(composed, application, config)),
      ...(pages === undefined ? [] : pages.endpoints),
    ];
    const { requestCounts } = services;
    closers.push(requestCounts.start((error) => logger.warn({ err: error }, 'request counts')));
    const maxConnections = connectionsWithin(config);
    if (maxConnections < config.maxConnections)
      logger.warn(
        { maxConnections },
        'the limit of open files (ulimit -n) leaves room for fewer connections',
      );
    const http = createHttpServer(endpoints, pipeline, {
      ...config,
      maxConnections,
      logger,
      stopping,
      routes: services.routes,
      stall: options.stall,
      counterOf: counterOf(services),
      pages: pages === undefined ? [] : [pages.area],
      onTurn: database.beginTurn === undefined ? undefined : () => database.beginTurn?.(),
    });
    const sweeping = startSweeping(services, logger);
    closers.push(async () => clearInterval(sweeping));
    await listen(http, config);
    closers.push(() => http.close(() => database.interrupt()));
    logger.info({ host: config.host, port: config.port }, 'listening');
    return {
      config,
      firstAdmin,
      services,
      endpoints,
      inject: injecting(http),
      close: ({ drain = 0 } = {}) => close(drain),
    };
  } catch (error) {
    await close(0).catch(() => {});
    throw error;
  }
};

const isTaken = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';

/** How often a port that was free a moment ago may turn out to be taken. */
const portAttempts = 5;

/**
 * Starts the service: migrations, credentials, the first administrator, and the address it answers on.
 * @throws Error with one line that says what is missing or wrong
 */
export const createServer = async (options: ServerOptions): Promise<Server> => {
  for (let attempt = 1; ; attempt += 1) {
    const config = withPort(options.config, await probePort(options.config));
    try {
      return await startOn(config, options);
    } catch (error) {
      if (options.config.port !== 0 || !isTaken(error) || attempt === portAttempts) throw error;
    }
  }
};
