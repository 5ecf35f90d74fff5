/**
 * Builds every store, worker and authentication method of a service from its database, credentials and configuration.
 */

import type { Logger } from 'pino';
import { createKeyCalls, createKeyUsage, createKeyUses } from '../accounts/api-keys.ts';
import { createNonceStore, createSeenCredentials } from '../accounts/applications.ts';
import { createAttention } from '../accounts/attention.ts';
import { createInvitationStore } from '../accounts/invitations.ts';
import { createLinkedAccounts, createProviders } from '../accounts/oidc.ts';
import { createRoleStore, permissionEntriesOf } from '../accounts/roles.ts';
import {
  createFactorSetups,
  createSecondFactorStore,
  createSignInTickets,
} from '../accounts/second-factors.ts';
import { createSecurityEvents } from '../accounts/security-events.ts';
import { createLoginAttempts, createSessionStore, createTokenStore } from '../accounts/sessions.ts';
import {
  createAccountLinks,
  createAccountStore,
  createAccounts,
  createCallerStore,
  createIdentityStore,
  createNotifyUser,
  createUserStore,
  managedUserEntity,
} from '../accounts/users.ts';
import { createLogin } from '../auth/login.ts';
import { createPasskeys } from '../auth/passkeys.ts';
import { createPasswords } from '../auth/password.ts';
import { anonymous } from '../auth/principal.ts';
import { openMethods } from '../auth/registry.ts';
import { createDocumentation, type Documentation, mailPreviewEndpoints } from '../console/docs.ts';
import { type AdminMetaParts, adminMetaEndpoints } from '../console/meta.ts';
import type { Database } from '../database/database.ts';
import { Changes, EventSignal } from '../delivery/events.ts';
import { createJobs, type WorkerTimes, withOwnJobs } from '../delivery/jobs.ts';
import { createMailQueue, createMailSender } from '../delivery/mail.ts';
import { createWebhooks, type Webhooks, type WebhookTimes } from '../delivery/webhooks.ts';
import { createBuckets } from '../http/buckets.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { createLimiter } from '../http/limiter.ts';
import { withRateLimits } from '../http/rate-limits.ts';
import { Routes } from '../http/routes.ts';
import { ApplicationCode, type CodeWatch } from '../kernel/application-code.ts';
import type { Clock } from '../kernel/clock.ts';
import { workLogFields } from '../kernel/current-work.ts';
import { createLanguages, type Locale } from '../kernel/messages.ts';
import type { Stopping } from '../kernel/stopping.ts';
import { createEventLog } from '../ledger/event-log.ts';
import { createIdempotency } from '../ledger/idempotency.ts';
import { createImports } from '../ledger/imports.ts';
import { createPaymentStore } from '../ledger/payments.ts';
import type { Models } from '../model/models.ts';
import type { Scope } from '../model/scope.ts';
import { createVersionPurge } from '../records/history.ts';
import { createTrash } from '../records/trash.ts';
import { publicUserEntity } from '../records/user-entity.ts';
import { adminArea } from '../resources/admin-area.ts';
import {
  type ApplicationEndpointParts,
  applicationEndpoints,
  keyScopesOf,
} from '../resources/application-endpoints.ts';
import { apiArea } from '../resources/area.ts';
import { metaEndpoints } from '../resources/meta.ts';
import {
  type Acting,
  type CodeLimit,
  cascadeLimits,
  createScopes,
  maxBatch,
  type ResourceContext,
  type ServedResource,
  serveResource,
} from '../resources/operations.ts';
import { resourceEndpoints } from '../resources/resource-endpoints.ts';
import { createRefusals } from '../upkeep/refusals.ts';
import { createRequestCounts, createRouteTimes, type Usage } from '../upkeep/usage.ts';
import type { Vault } from '../vault/vault.ts';
import type { Application } from './application.ts';
import type { Config } from './config.ts';
import { settingsOf } from './config.ts';
import { type FixedEndpointParts, fixedEndpoints } from './endpoints.ts';
import { connectionsWithin } from './open-files.ts';
import { createKeyed } from './secrets.ts';
import { packageVersion } from './version.ts';

/** Parts that a process opens once and everything else is built from. */
export interface Parts {
  readonly config: Config;
  readonly application: Application;
  readonly clock: Clock;
  /** Clock of the jobs that remove expired rows. */
  readonly removalClock: Clock;
  readonly logger: Logger;
  readonly database: Database;
  readonly vault: Vault;
  readonly usage: Usage;
  /** Resolves if a write would be accepted. @throws Problem `database_unavailable` */
  readonly ready: () => Promise<void>;
  readonly stopping: Stopping;
  /** Receives the application code that is running; not watched unless given. */
  readonly watch?: CodeWatch | undefined;
  readonly jobTimes?: Partial<WorkerTimes> | undefined;
  readonly webhookTimes?: Partial<WebhookTimes> | undefined;
}

/**
 * Builds the services of the endpoints, and the authentication methods of the guard, from storage, secrets and rules.
 */
export const compose = async (parts: Parts) => {
  const { config, application, clock, removalClock, logger, database, vault, usage, stopping } = parts;
  const context = { database, clock };
  const languages = createLanguages(config, application.catalogues);
  const { first: catalogue } = languages;
  const code = new ApplicationCode(config.handlerTimeout * 1000, parts.watch);
  const events = createEventLog(database);
  const eventSignal = new EventSignal(database, events);
  const trash = createTrash(database);
  const keyed = await createKeyed(config, vault, createLoginAttempts(context), clock);
  const { mail } = application.config;
  assertMail(config, mail);
  const jobs = createJobs({
    database,
    jobs: withOwnJobs(application.jobs, {
      removalClock,
      models: application.models,
      events,
      trash,
      trashDays: config.trashDays,
      purgeVersions: createVersionPurge(database),
      historyDays: config.historyDays,
      webhooks: () => webhooks,
      mail: mail && {
        send: createMailSender({
          mail,
          baseUrl: config.baseUrl,
          secrets: keyed.mailSecrets,
          clock,
          logger,
          password: () => vault.smtpPassword,
        }),
        links: () => accountLinks,
      },
    }),
    catalogue,
    times: parts.jobTimes,
  });
  const passwords = createPasswords();
  const idempotency = createIdempotency({ ...context, removalClock });
  const report = (error: unknown, what: string): void =>
    logger.error({ err: error, ...workLogFields() }, what);
  const securityEvents = createSecurityEvents(
    context,
    (level, line) => logger[level](line, 'security event'),
    (error) => logger.warn({ err: error }, 'security events'),
  );
  const identities = createIdentityStore(database, usage.sessionUsed, config.adminSecondFactor);
  const transactionLimit = config.transactionTimeout * 1000;
  const resources: ReadonlyMap<string, ServedResource> = createResources(application.models, {
    ...context,
    locale: catalogue.locale,
    languages,
    idempotency,
    trash,
    trashDays: config.trashDays,
    report,
    code,
    transactionLimit,
    events,
    eventsCommitted: eventSignal.onCommit,
    // Scopes are built from the resources, whose hooks receive scopes.
    scopeOf: (acting) => scopeOf(acting),
  });
  const { outbox, wake } = jobs;
  const mailQueue =
    mail && createMailQueue({ outbox, wake, secrets: keyed.mailSecrets, locale: catalogue.locale });
  const notifyUser = createNotifyUser(mailQueue);
  const users = createUserStore(context, notifyUser);
  const userTokens = createTokenStore(context);
  const invitations = createInvitationStore(context, mailQueue);
  const accountLinks = mailQueue && createAccountLinks({ ...context, users, outbox, mail: mailQueue });
  const accounts = createAccounts({
    ...context,
    users,
    passwords,
    userTokens,
    tokens: keyed.tokens,
    invitations,
    baseUrl: config.baseUrl,
    catalogue,
    models: application.models,
  });
  const scopeOf = createScopes({ database, clock, resources, jobs: jobs.port, accounts, transactionLimit });
  const webhooks: Webhooks = createWebhooks({
    ...context,
    events,
    resources,
    identities,
    logger,
    jobs,
    models: application.models,
    area: apiArea,
    signal: eventSignal,
    secrets: keyed.webhookSecrets,
    allowPrivate: config.webhookPrivate,
    places: config.jobsConcurrency,
    times: parts.webhookTimes,
  });
  const nonces = createNonceStore(context);
  const authenticating = {
    tokens: keyed.tokens,
    cookies: keyed.cookies,
    identities,
    applications: vault,
    nonces,
    baseUrl: config.baseUrl,
    usage: {
      keyUsed: (id: number, hash: string, now: number, address: string) => {
        usage.keyUsed(id, hash, now);
        securityEvents.keyUsed(id, address, now);
      },
      applicationUsed: usage.applicationUsed,
    },
    clock,
  };
  const buckets = createBuckets(database, (error) => logger.warn({ err: error }, 'limits'), config.workers);
  const services = {
    languages,
    locale: catalogue.locale,
    catalogue,
    baseUrl: config.baseUrl,
    clock,
    about: { version: await packageVersion(), settings: settingsOf(config) },
    database,
    ready: parts.ready,
    tokens: keyed.tokens,
    cookies: keyed.cookies,
    passwords,
    login: createLogin({
      accounts: createAccountStore(database),
      passwords,
      throttle: keyed.throttle,
      events: securityEvents,
    }),
    identities,
    routes: new Routes(),
    users,
    roles: createRoleStore(context),
    sessions: createSessionStore(context),
    invitations,
    mail: mailQueue,
    notifyUser,
    accountLinks,
    linkedAccounts: createLinkedAccounts({ ...context, users, notify: notifyUser }),
    providers: createProviders(
      application.config.providers ?? {},
      config.baseUrl,
      (name) => vault.clientSecretOf(name),
      context.clock,
    ),
    providerSecrets: keyed.providerSecrets,
    registration: application.config.registration || undefined,
    secondFactors: createSecondFactorStore(context, config.adminSecondFactor === 'required'),
    factorSetups: createFactorSetups(context, notifyUser),
    signInTickets: createSignInTickets(context),
    userTokens,
    nonces,
    totpSecrets: keyed.totpSecrets,
    passkeys: createPasskeys(config.baseUrl),
    secondFactorRequired: config.adminSecondFactor === 'required',
    throttle: keyed.throttle,
    payments: createPaymentStore(context),
    idempotency,
    requestCounts: createRequestCounts(context),
    keyUsage: createKeyUsage(context),
    keyCalls: createKeyCalls(context),
    keyUses: createKeyUses(context),
    buckets,
    limiter: createLimiter(buckets, clock),
    attention: createAttention(context),
    routeTimes: createRouteTimes(context),
    refusals: createRefusals(context, (id) => vault.applications().some(({ app_id }) => app_id === id)),
    imports: createImports(context),
    securityEvents,
    callers: createCallerStore(context),
    seenCredentials: createSeenCredentials(context),
    keyScopes: keyScopesOf(application),
    applications: vault,
    resources,
    events,
    eventSignal,
    changes: new Changes({
      log: events,
      signal: eventSignal,
      resources,
      methods: openMethods({
        ...authenticating,
        identities: { ...identities, bySession: identities.readSession },
        usage: { keyUsed: () => {}, applicationUsed: () => {} },
      }),
      stopping,
      onError: (error) => logger.warn({ err: error }, 'events could not be streamed'),
      // Leave room for all other requests.
      maxStreams: Math.floor(connectionsWithin(config) * 0.75),
    }),
    permissionEntries: permissionEntriesOf(application.models.values()),
    takesPayments: application.config.payment !== false,
    onPayment: application.config.onPayment,
    scopeOf,
    systemScope: (reason: string, limit?: CodeLimit): Scope<'all'> =>
      scopeOf({ ...ofApplication, limit }).asSystem(reason),
    code,
    stopping,
    jobs,
    jobNames: jobs.names,
    webhooks,
  };
  const methods = openMethods(authenticating);
  return { services, methods, jobs };
};

/** Parts of all endpoints. */
type EndpointParts = FixedEndpointParts & ApplicationEndpointParts & AdminMetaParts;

export type Composed = Awaited<ReturnType<typeof compose>>;

/** @throws Error where the links of mail would be written to the log of a production system */
const assertMail = ({ production }: Config, mail: Application['config']['mail']): void => {
  if (production && mail === 'log')
    throw new Error(
      "mail: 'log' writes links with tokens to the log, and is not for production: set { smtp, from }",
    );
};

/** The actor of work that the application starts by itself. */
const ofApplication: Acting = {
  principal: anonymous,
  area: apiArea,
  actor: () => ({ principal: 'application', address: null }),
  depth: 0,
};

const createResources = (models: Models, context: Omit<ResourceContext, 'models' | 'resourceOf'>) => {
  const resourceOf = (name: string): ServedResource => {
    const resource = resources.get(name);
    if (resource === undefined) throw new Error(`no resource of ${name}`);
    return resource;
  };
  const resources: ReadonlyMap<string, ServedResource> = new Map(
    [...models].map(([name, model]) => [name, serveResource(model, { ...context, models, resourceOf })]),
  );
  return resources;
};

/** The endpoints of the service, of its resources, and the application's own. */
const ownEndpoints = (services: EndpointParts, application: Application): Endpoint[] => {
  const generated = [...services.resources.values()].flatMap((resource) => [
    ...resourceEndpoints(resource, apiArea, services.baseUrl),
    ...resourceEndpoints(resource, adminArea, services.baseUrl),
  ]);
  const all = [
    ...fixedEndpoints(services),
    ...generated,
    ...metaEndpoints(application.models, generated, services.languages),
    ...adminMetaEndpoints(services, application.models, generated),
    ...applicationEndpoints(services, application.endpoints),
  ];
  return withRateLimits(all, application.config.limits ?? {});
};

/** The same services in another language. Endpoints that are built with them are for reading, not for running. */
const speaking = (services: EndpointParts, locale: Locale): EndpointParts => {
  if (locale === services.locale) return services;
  const catalogue = services.languages.catalogues.get(locale);
  if (catalogue === undefined) throw new Error(`no language ${locale}`);
  const translated = (resource: ServedResource): ServedResource => ({
    ...resource,
    context: { ...resource.context, locale },
  });
  return {
    ...services,
    locale,
    catalogue,
    resources: new Map([...services.resources].map(([name, resource]) => [name, translated(resource)])),
  };
};

/** The documentation of all endpoints. */
export const documentationOf = (
  { services }: Composed,
  application: Application,
  config: Config,
): Promise<Documentation> =>
  createDocumentation({
    languages: services.languages,
    models: application.models,
    users: { api: publicUserEntity.schema, admin: managedUserEntity.schema },
    baseUrl: config.baseUrl,
    bodyLimit: config.bodyLimit,
    writeLimits: { batch: maxBatch, cascade: cascadeLimits },
    positions: config.databaseReadUrl !== undefined,
    endpoints: (locale) => ownEndpoints(speaking(services, locale), application),
  });

/**
 * All endpoints of the service, including its own description unless that is off.
 * @param development whether the pages of `gatewright dev` are among them
 */
export const allEndpoints = async (
  composed: Composed,
  application: Application,
  config: Config,
  development = false,
): Promise<Endpoint[]> => {
  const { mail } = application.config;
  const preview = development && mail !== undefined ? mailPreviewEndpoints(mail, config.baseUrl) : [];
  const documentation = config.apiDocs ? await documentationOf(composed, application, config) : undefined;
  return [...ownEndpoints(composed.services, application), ...preview, ...(documentation?.endpoints ?? [])];
};
