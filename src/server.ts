import { mkdir } from 'node:fs/promises';
import { createServer as createNetServer } from 'node:net';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { pino } from 'pino';
import type { Application } from './application.ts';
import { createLogin } from './auth/login.ts';
import { throttleWindow } from './auth/login-throttle.ts';
import { createPasswords } from './auth/password.ts';
import { createAuthMethods } from './auth/registry.ts';
import { type Config, withPort } from './config.ts';
import { adminArea } from './endpoints/admin/records.ts';
import { applicationEndpoints } from './endpoints/application-endpoints.ts';
import { fixedEndpoints } from './endpoints/fixed.ts';
import { permissionEntriesOf } from './endpoints/permission-entries.ts';
import { apiArea, resourceEndpoints } from './endpoints/resources/resource-endpoints.ts';
import type { Services } from './endpoints/services.ts';
import { ensureFirstAdmin, type FirstAdmin } from './first-admin.ts';
import type { Endpoint } from './http/endpoint.ts';
import { Envelope } from './http/envelope.ts';
import { createHttpServer } from './http/fastify.ts';
import { createPipeline } from './http/pipeline.ts';
import { type Clock, systemClock } from './kernel/clock.ts';
import { catalogueOf } from './kernel/messages/messages.ts';
import { applyMigrations, pendingMigrations } from './migrate.ts';
import type { Models } from './model/models.ts';
import { createResource, type ResourceContext } from './operations/resource.ts';
import { createKeyed } from './secrets.ts';
import type { Database } from './store/database.ts';
import { type DatabaseTarget, databaseTarget } from './store/dialects/target.ts';
import { openDatabase } from './store/open.ts';
import { createKeyStore } from './store/tables/api-keys.ts';
import { createIdempotency } from './store/tables/idempotency.ts';
import { createAccountStore, createIdentityStore } from './store/tables/identities.ts';
import { createLoginAttempts, sweepLoginAttempts } from './store/tables/login-attempts.ts';
import { createPaymentStore } from './store/tables/payments.ts';
import { createRoleStore } from './store/tables/roles.ts';
import { createSessionStore } from './store/tables/sessions.ts';
import { createUsageRecorder, type Usage } from './store/tables/usage.ts';
import { createUserStore } from './store/tables/users.ts';
import { openVault, type Vault } from './vault/vault.ts';

export interface ServerOptions {
  readonly config: Config;
  readonly application: Application;
  readonly clock?: Clock;
  /** Pino-compatible; one that writes to stdout at the configured level unless given. */
  readonly logger?: FastifyBaseLogger;
}

export interface Server {
  /** With the port that was taken. */
  readonly config: Config;
  /** The first super_admin, if this start made one. */
  readonly firstAdmin: FirstAdmin | undefined;
  readonly services: Services;
  /** Takes no new connections, lets what is in flight end, closes the database. Within 10 seconds. */
  close(): Promise<void>;
}

/** Milliseconds that requests in flight get at a stop before their connections are cut. */
const grace = 8_000;

/** Milliseconds between two clean-ups of what has run out. */
const sweepInterval = 600_000;

/** A port that is free now, where the configuration asks for any. */
const choosePort = (config: Config): Promise<Config> => {
  if (config.port !== 0) return Promise.resolve(config);
  return new Promise((resolve, reject) => {
    const probe = createNetServer();
    probe.once('error', reject);
    probe.listen(0, config.host, () => {
      const address = probe.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      probe.close(() => resolve(withPort(config, port)));
    });
  });
};

const bringUpToDate = async (
  config: Config,
  application: Application,
  target: DatabaseTarget,
  logger: FastifyBaseLogger,
): Promise<void> => {
  if (config.migrate === 'off') {
    const waiting = await pendingMigrations(target, application);
    if (waiting.length > 0) throw new Error(`MIGRATE=off and migrations are pending: ${waiting.join(', ')}`);
    return;
  }
  const applied = await applyMigrations(target, application);
  if (applied.length > 0) logger.info({ applied }, 'migrated');
};

const openCredentials = async (config: Config, logger: FastifyBaseLogger): Promise<Vault> => {
  const vault = await openVault({
    file: config.credentialsFile,
    keyFile: config.credentialsKeyFile,
    key: config.credentialsKey,
    production: config.production,
    onError: (error) => logger.error({ err: error }, 'credentials'),
  });
  vault.watch();
  return vault;
};

interface Parts {
  readonly config: Config;
  readonly application: Application;
  readonly clock: Clock;
  readonly logger: FastifyBaseLogger;
  readonly database: Database;
  readonly vault: Vault;
  readonly usage: Usage;
}

/** Joins storage, secrets and rules to what the endpoints work with, and to the methods that the guard tries. */
const compose = async ({ config, application, clock, logger, database, vault, usage }: Parts) => {
  const context = { database, clock };
  const passwords = createPasswords();
  const idempotency = createIdempotency(context);
  const report = (error: unknown, what: string): void => logger.error({ err: error }, what);
  const keyed = await createKeyed(config, vault, createLoginAttempts(context), clock);
  const services: Services = {
    locale: config.locale,
    catalogue: catalogueOf(config.locale),
    baseUrl: config.baseUrl,
    clock,
    database,
    tokens: keyed.tokens,
    cookies: keyed.cookies,
    passwords,
    login: createLogin({ accounts: createAccountStore(database), passwords, throttle: keyed.throttle }),
    users: createUserStore(context),
    keys: createKeyStore(context),
    roles: createRoleStore(context),
    sessions: createSessionStore(context),
    payments: createPaymentStore(context),
    idempotency,
    applications: vault,
    resources: createResources(application.models, {
      ...context,
      locale: config.locale,
      idempotency,
      report,
    }),
    permissionEntries: permissionEntriesOf(application.models.values()),
    onPayment: application.config.onPayment,
  };
  const methods = createAuthMethods({
    tokens: keyed.tokens,
    cookies: keyed.cookies,
    identities: createIdentityStore(database, usage.sessionUsed),
    applications: vault,
    usage,
    clock,
  });
  return { services, methods };
};

const createResources = (models: Models, context: Omit<ResourceContext, 'models'>) =>
  new Map([...models].map(([name, model]) => [name, createResource(model, { ...context, models })]));

/** Everything that the service answers: what it always has, its resources, and the application's own endpoints. */
const allEndpoints = (services: Services, application: Application): Endpoint[] => [
  ...fixedEndpoints(services),
  ...[...services.resources.values()].flatMap((resource) => [
    ...resourceEndpoints(resource, apiArea, services.baseUrl),
    ...resourceEndpoints(resource, adminArea, services.baseUrl),
  ]),
  ...applicationEndpoints(services, application.endpoints),
];

const startSweeping = (services: Services, logger: FastifyBaseLogger): NodeJS.Timeout => {
  const sweep = async (): Promise<void> => {
    await services.idempotency.sweep();
    await sweepLoginAttempts(services, services.clock() - throttleWindow);
  };
  const timer = setInterval(() => {
    sweep().catch((error: unknown) => logger.warn({ err: error }, 'clean-up failed'));
  }, sweepInterval);
  return timer.unref();
};

const stopHttp = async (app: FastifyInstance): Promise<void> => {
  const cut = setTimeout(() => app.server.closeAllConnections(), grace);
  try {
    await app.close();
  } finally {
    clearTimeout(cut);
  }
};

/**
 * Starts the service: migrations, credentials, the first administrator, and the address it answers on.
 * @throws Error with one line that says what is missing or wrong
 */
export const createServer = async (options: ServerOptions): Promise<Server> => {
  const { application, clock = systemClock } = options;
  const config = await choosePort(options.config);
  const logger = options.logger ?? pino({ level: config.logLevel });
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  const vault = await openCredentials(config, logger);
  const target = databaseTarget(config.databaseUrl);
  const closers: (() => Promise<unknown> | undefined)[] = [async () => vault.close()];
  const close = async (): Promise<void> => {
    for (const step of closers.splice(0).reverse()) await step();
  };
  try {
    await bringUpToDate(config, application, target, logger);
    const database = await openDatabase(target, { poolSize: config.databasePool });
    closers.push(() => database.close());
    const usage = createUsageRecorder({ database, clock }, (error) =>
      logger.warn({ err: error }, 'last uses'),
    );
    closers.push(() => usage.stop());
    const { services, methods } = await compose({
      config,
      application,
      clock,
      logger,
      database,
      vault,
      usage,
    });
    await services.roles.register(services.permissionEntries);
    const firstAdmin = await ensureFirstAdmin(services.users, services.passwords, config.admin);
    const pipeline = createPipeline({ methods, envelope: new Envelope(services.catalogue) });
    const endpoints = allEndpoints(services, application);
    const app = await createHttpServer(endpoints, pipeline, { ...config, logger });
    const sweeping = startSweeping(services, logger);
    closers.push(async () => clearInterval(sweeping));
    closers.push(() => stopHttp(app));
    await app.listen({ port: config.port, host: config.host, listenTextResolver: () => 'listening' });
    return { config, firstAdmin, services, close };
  } catch (error) {
    await close();
    throw error;
  }
};
