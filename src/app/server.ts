/** Starts a service from its configuration and its application, and stops it: `createServer`. */

import type { OutgoingHttpHeaders } from 'node:http';
import type { Logger } from 'pino';
import { notifyOfExpiry, sweepRevokedKeys } from '../accounts/api-keys.ts';
import type { Nonces } from '../accounts/applications.ts';
import type { SecurityEventStore } from '../accounts/security-events.ts';
import { type SessionStore, sweepLoginAttempts, type TokenStore } from '../accounts/sessions.ts';
import { throttleWindow } from '../auth/login-throttle.ts';
import type { Passwords } from '../auth/password.ts';
import type { SecurityEvents } from '../auth/security-events.ts';
import type { Peers } from '../database/target.ts';
import { databaseTarget } from '../database/targets.ts';
import type { JobService, WorkerTimes } from '../delivery/jobs.ts';
import type { OutgoingMail } from '../delivery/mail.ts';
import type { WebhookTimes } from '../delivery/webhooks.ts';
import type { Buckets } from '../http/buckets.ts';
import type { Endpoint, HttpMethod } from '../http/endpoint.ts';
import type { HttpServer } from '../http/server.ts';
import { type Clock, ServiceClock } from '../kernel/clock.ts';
import type { TableContext } from '../ledger/context.ts';
import type { Idempotency } from '../ledger/idempotency.ts';
import { haveEvents } from '../model/models.ts';
import { MainThreadWatch } from '../upkeep/watch.ts';
import { openVault, type Vault } from '../vault/vault.ts';
import { type Application, inLanguages } from './application.ts';
import { mendStoredTimes, watchClock } from './clock-watch.ts';
import { Closing } from './closing.ts';
import { type Composed, compose } from './compose.ts';
import { type Config, withPort } from './config.ts';
import { startCounters, sweepCounters, type WrittenCounter } from './counters.ts';
import { recordRefusedFile, watchCredentials } from './credentials-watch.ts';
import { ensureFirstAdmin, type FirstAdmin } from './first-admin.ts';
import { startApplication } from './lifecycle.ts';
import { createLogger } from './log.ts';
import { type Metering, openMetering } from './metering.ts';
import { listen, openHttp } from './open-http.ts';
import { openWatched } from './open-watched.ts';
import { assertMetricsPort, prepareStart, probePort } from './preflight.ts';
import { resealOnChange } from './secrets.ts';
import { prepareWork } from './work.ts';

export interface ServerOptions {
  readonly config: Config;
  readonly application: Application;
  readonly clock?: Clock;
  /** True if the log reports a blocked main thread; for a process that only serves. */
  readonly watch?: boolean;
  /** True if `onStart` and `onStop` of the application run; for the commands that serve. */
  readonly lifecycle?: boolean;
  /** True if the pages of `gatewright dev` are served. */
  readonly development?: boolean;
  /** The port on which other workers of this service already listen; it is shared with them. */
  readonly sharedPort?: number | undefined;
  /** Wakes the other workers of this service. */
  readonly peers?: Peers | undefined;
  /** Receives every message in place of SMTP and log, for tests of an application. */
  readonly captureMail?: (mail: OutgoingMail) => void;
  /** Hashes passwords, for tests; the service's own unless given. */
  readonly passwords?: Passwords | undefined;
  /** Times for tests, in place of the service's own. */
  readonly jobTimes?: Partial<WorkerTimes>;
  readonly webhookTimes?: Partial<WebhookTimes>;
  /** Compatible with Pino; unless given, one that writes to stdout at the configured level. */
  readonly logger?: Logger;
  /** Time for which a client may leave a long response unread before the connection is cut; 30 s unless given. */
  readonly stallTimeoutMs?: number;
}

export interface InjectedRequest {
  readonly method: HttpMethod | 'HEAD';
  /** Path with its query string, as in a request line. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
}

export interface InjectedAnswer {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly text: string;
}

export interface Server {
  /** With the port that is in use. */
  readonly config: Config;
  /** Port of the metrics; undefined without METRICS_PORT, and in a worker. */
  readonly metricsPort: number | undefined;
  /** The first super_admin, if this start created one. */
  readonly firstAdmin: FirstAdmin | undefined;
  readonly services: Composed['services'];
  readonly logger: Logger;
  /** The application's jobs, for tests that run them by hand. */
  readonly jobs: JobService;
  /** All endpoints, in no particular order. */
  readonly endpoints: readonly Endpoint[];
  /** Runs a request through the whole service without a connection, for tests with many requests. */
  inject(request: InjectedRequest): Promise<InjectedAnswer>;
  /**
   * Stops the service. For `drain` seconds (none unless given) it is not ready, keeps serving, and closes each
   * connection after its response. Then it accepts no new connections, lets running requests finish, and closes the
   * database, within 10 seconds unless something cannot be ended. Failures on the way are logged.
   * @throws Error where something could not be ended, such as a statement of SQLite that returns no row
   */
  close(options?: { readonly drain?: number }): Promise<void>;
}

const createInject =
  ({ answer: dispatch }: HttpServer): Server['inject'] =>
  async ({ method, path, headers, body }) => {
    const { default: inject } = await import('light-my-request');
    const answer = await inject(dispatch, {
      method,
      url: path,
      headers: headers ?? {},
      payload: typeof body === 'object' ? Buffer.from(body) : (body ?? ''),
    });
    return { status: answer.statusCode, headers: answer.headers, text: answer.payload };
  };

/** Milliseconds between two removals of expired rows. */
const sweepInterval = 600_000;

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

/** Parts whose rows expire. */
interface SweptParts extends TableContext {
  readonly idempotency: Idempotency;
  readonly counters: readonly WrittenCounter[];
  readonly userTokens: TokenStore;
  readonly sessions: SessionStore;
  readonly nonces: Nonces;
  readonly buckets: Buckets;
  readonly securityEvents: SecurityEventStore;
}

const startSweeping = (services: SweptParts, removalClock: Clock, logger: Logger): NodeJS.Timeout => {
  const sweep = async (): Promise<void> => {
    const now = removalClock();
    await services.idempotency.sweep();
    await sweepCounters(services.counters, now);
    await services.userTokens.sweep(now);
    await services.sessions.sweep(now);
    await services.nonces.sweep(now);
    await services.buckets.sweep();
    await sweepRevokedKeys(services, now);
    for (const { name, ...detail } of await notifyOfExpiry(services, now))
      services.securityEvents.log({
        action: 'key.expiring',
        address: null,
        detail: { ...detail, key: name },
      });
    await sweepLoginAttempts(services, now - throttleWindow);
  };
  const timer = setInterval(() => {
    sweep().catch((error: unknown) => logger.warn({ err: error }, 'clean-up failed'));
  }, sweepInterval);
  return timer.unref();
};

/** The clocks of a service. A test injects a clock and moves it at will. */
const clocksOf = (injected: Clock | undefined) => {
  const service = new ServiceClock(injected);
  return {
    service,
    isInjected: injected !== undefined,
    clock: injected ?? service.now,
    removalClock: injected ?? service.removal,
  };
};

/** Parts of a process that exist before its database is opened. */
interface Starting {
  readonly config: Config;
  readonly options: ServerOptions;
  readonly application: Application;
  readonly logger: Logger;
  readonly closing: Closing;
  readonly vault: Vault;
  readonly codeWatch: MainThreadWatch | undefined;
  readonly clocks: ReturnType<typeof clocksOf>;
  readonly metering: Metering | undefined;
}

/** Migrates and opens the database, and composes the service on it. */
const openService = async (starting: Starting) => {
  const { config, options, application, logger, closing, vault, clocks, codeWatch } = starting;
  const { clock, removalClock } = clocks;
  const target = databaseTarget(config.databaseUrl, application.config.serviceTables);
  await prepareStart(config, application, target, vault, logger);
  const watched = await openWatched(target, { ...starting, clock });
  const { database, ready } = watched;
  if (clocks.isInjected) await mendStoredTimes(database, clock(), logger);
  else closing.push(await watchClock(clocks.service, database, logger));
  const composed = await compose({
    config,
    application,
    clock,
    removalClock,
    logger,
    database,
    databaseFile: target.file,
    vault,
    ready,
    stopping: closing.stopping,
    watch: codeWatch,
    passwords: options.passwords,
    jobTimes: options.jobTimes,
    webhookTimes: options.webhookTimes,
    captureMail: options.captureMail,
  });
  closing.push(() => composed.services.eventSignal.close());
  closing.push(async () => composed.files?.close());
  return { watched, composed };
};

type OpenedService = Awaited<ReturnType<typeof openService>>;

/** The first writes of a start: credentials seen, secrets sealed, permissions registered, the first administrator. */
const prepareContent = async (
  { config, vault, logger }: Starting,
  { composed: { services } }: OpenedService,
): Promise<FirstAdmin | undefined> => {
  await watchCredentials(vault, config.credentialsFile, services.seenCredentials, services.securityEvents);
  const resealing = {
    webhooks: services.webhooks.renewSecrets,
    authenticators: () => services.secondFactors.renewSecrets((sealed) => services.totpSecrets.renew(sealed)),
  };
  await resealOnChange(resealing, vault, logger);
  await services.roles.register(services.permissionEntries);
  return ensureFirstAdmin(services.users, services.passwords, config);
};

/** Listens, then starts the work beside requests: metrics, jobs and webhooks. Returns the port of the metrics. */
const serve = async (
  { config, application, logger, closing, codeWatch, clocks, metering }: Starting,
  { watched: { database, damaged }, composed: { services, jobs } }: OpenedService,
  http: HttpServer,
): Promise<number | undefined> => {
  const work = prepareWork(config, closing);
  await listen(http, config);
  closing.push(() => http.close(() => database.interrupt()));
  const metricsPort = await metering?.begin({
    services,
    jobs,
    http,
    database,
    damaged,
    logger,
    clock: clocks.service,
  });
  closing.push(async () => services.changes.close());
  const { stopping } = closing;
  work.begin(jobs, { systemScope: services.systemScope, watch: codeWatch, logger, stopping });
  if (config.jobs !== 'off' && haveEvents(application.models)) closing.push(services.webhooks.watch());
  logger.info({ host: config.host, port: config.port }, 'listening');
  return metricsPort;
};

const startOn = async (config: Config, options: ServerOptions): Promise<Server> => {
  const application = inLanguages(options.application, config);
  const logger = options.logger ?? createLogger(config.logLevel);
  let events: SecurityEvents | undefined;
  const vault = await openCredentials(config, logger, (error) => {
    if (events !== undefined) recordRefusedFile(events, error);
  });
  const codeWatch = options.watch === true ? new MainThreadWatch(logger) : undefined;
  const closing = new Closing(logger);
  closing.push(async () => codeWatch?.close());
  closing.push(async () => vault.close());
  const clocks = clocksOf(options.clock);
  const metering = await openMetering(config, closing);
  const starting = { config, options, application, logger, closing, vault, codeWatch, clocks, metering };
  try {
    const opened = await openService(starting);
    const { services, jobs } = opened.composed;
    events = services.securityEvents;
    startCounters(services.counters, closing, logger);
    // Before the first write: an application that cannot be served is refused here.
    const { http, endpoints } = await openHttp(opened.composed, { ...starting, ...opened.watched });
    const firstAdmin = await prepareContent(starting, opened);
    const sweeping = startSweeping(services, clocks.removalClock, logger);
    closing.push(async () => clearInterval(sweeping));
    if (options.lifecycle === true) await startApplication(application.config, services, closing, logger);
    const metricsPort = await serve(starting, opened, http);
    return {
      config,
      metricsPort,
      firstAdmin,
      services,
      logger,
      jobs,
      endpoints,
      inject: createInject(http),
      close: ({ drain = 0 } = {}) => closing.close(drain),
    };
  } catch (error) {
    await closing.close(0).catch(() => {});
    throw error;
  }
};

const isTaken = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';

/** Attempts to listen on a port that was free a moment ago. */
const portAttempts = 5;

/**
 * Starts the service: migrations, credentials, the first administrator, and the listening address.
 * @throws Error with one line that says what is missing or wrong
 */
export const createServer = async (options: ServerOptions): Promise<Server> => {
  await assertMetricsPort(options.config);
  for (let attempt = 1; ; attempt += 1) {
    const config = withPort(options.config, options.sharedPort ?? (await probePort(options.config)));
    try {
      return await startOn(config, options);
    } catch (error) {
      if (options.config.port !== 0 || !isTaken(error) || attempt === portAttempts) throw error;
    }
  }
};
