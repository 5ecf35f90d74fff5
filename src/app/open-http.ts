/** Creates the HTTP server of a process: counted and measured endpoints, limits of connections, uploads. */

import { join } from 'node:path';
import type { Logger } from 'pino';
import type { KeyCalls, KeyUsage, KeyUses } from '../accounts/api-keys.ts';
import { arrivalOf, signInPagePath } from '../accounts/oidc.ts';
import type { SecurityEventStore } from '../accounts/security-events.ts';
import { isOfKeys } from '../auth/registry.ts';
import { accountPages } from '../console/account-pages.ts';
import { openAdminPages } from '../console/shell.ts';
import type { Database } from '../database/database.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { createPipeline } from '../http/pipeline.ts';
import { positionHeader, replicaReads } from '../http/replica-reads.ts';
import { createHttpServer, type HttpOptions, type HttpServer } from '../http/server.ts';
import { UploadFolders } from '../http/uploads.ts';
import type { RefusalStore } from '../upkeep/refusals.ts';
import type { RequestCounts, RouteTimesStore } from '../upkeep/usage.ts';
import type { Tracing } from '../upkeep/watch.ts';
import { allEndpoints } from './all-endpoints.ts';
import type { Application } from './application.ts';
import type { Closing } from './closing.ts';
import type { Composed } from './compose.ts';
import type { Config } from './config.ts';
import type { Metering } from './metering.ts';
import { connectionsWithin } from './open-files.ts';
import { servedBy } from './work.ts';

/** Endpoints whose refusals are failed sign-ins. */
const signInOperations: ReadonlySet<string> = new Set(['login', 'createSession']);

/** Parts that count requests. */
interface CountingParts {
  readonly requestCounts: RequestCounts;
  readonly keyUsage: KeyUsage;
  readonly keyCalls: KeyCalls;
  readonly keyUses: KeyUses;
  readonly securityEvents: SecurityEventStore;
  readonly refusals: RefusalStore;
}

/** True for endpoints of the pages: administration area and documentation. Their requests are no use of the API. */
const isOfPages = (path: string): boolean => path.startsWith('/admin/') || path.startsWith('/api-docs');

/** Counts the responses of an endpoint, records refusals, and reports responses of the administration area. */
const counterOf =
  ({
    requestCounts,
    keyUsage,
    keyCalls,
    keyUses,
    securityEvents,
    refusals,
  }: CountingParts): HttpOptions['counterOf'] =>
  ({ operation, method, path, docs, policy }) => {
    // The files of a page do not count as requests.
    if (docs.hidden === true) return undefined;
    const inAdministration = path.startsWith('/admin/');
    const ofPages = isOfPages(path);
    if (signInOperations.has(operation))
      return inAdministration ? requestCounts.countFailedSignIn : requestCounts.countSignIn;
    // With row rules, the response for a record out of reach is 404.
    const narrowed =
      policy.kind === 'resource' && policy.model.rules.isolation !== undefined
        ? policy.model.table
        : undefined;
    return (principal, status, request, code) => {
      // The pages take no keys.
      if (!ofPages) {
        requestCounts.count(principal, status);
        if (principal.kind === 'user' && isOfKeys(principal.method)) {
          keyUsage.count(principal, status, request);
          keyCalls.count(principal, method, path, status);
          keyUses.count(principal);
        }
      }
      if (status === 403) {
        refusals.record(principal, request, code);
        if (!inAdministration) return;
        const by = principal.kind === 'user' ? { id: principal.id, username: principal.username } : undefined;
        securityEvents.record({
          action: 'admin.refused',
          address: request.address,
          by,
          detail: { method, path },
        });
      } else if (status === 401 && request.claim !== undefined)
        refusals.recordClaim(request.claim, request, code);
      else if (status === 404 && narrowed !== undefined) refusals.record(principal, request, code, narrowed);
    };
  };

/** Measures the responses of the API by route, for administrators, and for the metrics where there are any. */
const observerOf =
  (
    { routeTimes }: { readonly routeTimes: RouteTimesStore },
    metering: Metering | undefined,
  ): HttpOptions['observerOf'] =>
  (endpoint) => {
    const metered = metering?.observerOf?.(endpoint);
    if (endpoint === undefined || endpoint.docs.hidden === true || isOfPages(endpoint.path))
      return metered ?? (() => {});
    const observe = routeTimes.observerOf(endpoint.method, endpoint.path);
    if (metered === undefined) return observe;
    return (sent) => {
      observe(sent);
      metered(sent);
    };
  };

/**
 * Time for which a connection stays with one of several workers. Clients keep connections as long as possible: a worker
 * that was restarted, or got the idle ones, would have little to do for hours.
 */
const sharedConnectionMaxAgeMs = 60_000;

/** Dependencies of the server that the endpoints do not have. */
export interface HttpParts {
  readonly config: Config;
  readonly application: Application;
  readonly logger: Logger;
  readonly closing: Closing;
  readonly database: Database;
  readonly tracing: Tracing | undefined;
  readonly metering: Metering | undefined;
  readonly options: { readonly stallTimeoutMs?: number; readonly development?: boolean };
}

/** The configured number of connections, or fewer if the system does not allow as many. */
const connectionsOf = (config: Config, logger: Logger): number => {
  const maxConnections = connectionsWithin(config);
  if (maxConnections < config.maxConnections)
    logger.warn({ maxConnections }, 'the limit of open files (ulimit -n) leaves room for fewer connections');
  return maxConnections;
};

const openUploads = async ({ config, closing, logger }: HttpParts): Promise<UploadFolders> => {
  const uploads = new UploadFolders(join(config.dataDir, 'uploads'), (error) =>
    logger.warn({ err: error }, 'uploaded files'),
  );
  await uploads.sweep();
  closing.push(() => uploads.close());
  return uploads;
};

/** Creates the server of all endpoints; it does not listen yet. */
export const openHttp = async (
  composed: Composed,
  parts: HttpParts,
): Promise<{ readonly http: HttpServer; readonly endpoints: readonly Endpoint[] }> => {
  const { config, application, logger, closing, database, tracing, metering, options } = parts;
  const { services, methods } = composed;
  const around = database.replica && replicaReads(database.replica, config.baseUrl);
  const pipeline = createPipeline({
    methods,
    languages: services.languages,
    limiter: services.limiter,
    around,
  });
  const { mail, registration, providers } = services;
  const offered = {
    mail: mail !== undefined,
    registration: registration !== undefined,
    providers: providers.size > 0,
  };
  const pages = await openAdminPages({ ...config, ...offered, application: application.about });
  if (pages === undefined) logger.warn('the administration pages are not built: npm run build');
  const admin = pages !== undefined;
  const { home } = application.config.accounts ?? {};
  const arrival = arrivalOf(home ?? (admin ? `${config.baseUrl}/admin/login` : undefined), config.baseUrl);
  const ofAccounts = accountPages(
    { ...config, ...offered, application: application.about, home, arrival, admin },
    signInPagePath,
  );
  const endpoints = servedBy(config, [
    ...(await allEndpoints(composed, application, config, options.development)),
    ...(pages?.endpoints ?? []),
    ...ofAccounts.endpoints,
  ]);
  closing.push(() => services.buckets.close());
  const http = createHttpServer(endpoints, pipeline, {
    ...config,
    maxConnections: connectionsOf(config, logger),
    maxConnectionAgeMs: config.workers > 1 ? sharedConnectionMaxAgeMs : undefined,
    corsHeaders: around && [positionHeader],
    logger,
    stopping: closing.stopping,
    uploads: await openUploads(parts),
    routes: services.routes,
    languages: services.languages,
    stallTimeoutMs: options.stallTimeoutMs,
    counterOf: counterOf(services),
    observerOf: observerOf(services, metering),
    // The first area of a path serves it.
    pages: config.jobs === 'only' ? [] : ofAccounts.areas.concat(pages?.area ?? []),
    onArrivals: database.renewSnapshot === undefined ? undefined : () => database.renewSnapshot?.(),
    around: tracing?.request,
  });
  return { http, endpoints };
};

export const listen = ({ server }: HttpServer, { port, host }: Config): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
