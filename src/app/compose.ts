/**
 * Builds every store, worker and authentication method of a service from its database, credentials and configuration.
 */

import { dirname, join } from 'node:path';
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
import {
  createLoginAttempts,
  createSessionStore,
  createTokenStore,
  LongSignIns,
} from '../accounts/sessions.ts';
import {
  createAccountLinks,
  createAccountStore,
  createAccounts,
  createAccountsEnd,
  createCallerStore,
  createIdentityStore,
  createNotifyUser,
  createUserRemovals,
  createUserStore,
} from '../accounts/users.ts';
import type { LinkPlace } from '../auth/link-token.ts';
import { createLogin } from '../auth/login.ts';
import { createPasskeys } from '../auth/passkeys.ts';
import { createPasswords, type Passwords } from '../auth/password.ts';
import { anonymous } from '../auth/principal.ts';
import { openMethods } from '../auth/registry.ts';
import type { Database } from '../database/database.ts';
import { Changes, EventSignal } from '../delivery/events.ts';
import { createJobs, type JobService, type WorkerTimes, withOwnJobs } from '../delivery/jobs.ts';
import { createMailQueue, createMailSender, type OutgoingMail, OwnMailPort } from '../delivery/mail.ts';
import { createWebhooks, type Webhooks, type WebhookTimes } from '../delivery/webhooks.ts';
import { Buckets } from '../http/buckets.ts';
import { Limiter } from '../http/limiter.ts';
import { Routes } from '../http/routes.ts';
import { ApplicationCode, type CodeWatch } from '../kernel/application-code.ts';
import { fullName, nameInMail } from '../kernel/application-name.ts';
import type { Clock } from '../kernel/clock.ts';
import { workLogFields } from '../kernel/current-work.ts';
import { createLanguages } from '../kernel/messages.ts';
import type { Stopping } from '../kernel/stopping.ts';
import { EventLog } from '../ledger/event-log.ts';
import { createIdempotency } from '../ledger/idempotency.ts';
import { ImportStore } from '../ledger/imports.ts';
import { createPaymentStore } from '../ledger/payments.ts';
import type { Models } from '../model/models.ts';
import type { Scope } from '../model/scope.ts';
import { createVersionPurge } from '../records/history.ts';
import { createTrash } from '../records/trash.ts';
import { keyScopesOf } from '../resources/application-endpoints.ts';
import { apiArea } from '../resources/area.ts';
import {
  type Acting,
  type CodeLimit,
  createScopes,
  type ResourceContext,
  type ServedResource,
  serveResource,
} from '../resources/operations.ts';
import type { ServedFiles } from '../resources/record-files.ts';
import { createForget } from '../upkeep/forget.ts';
import { createRefusals } from '../upkeep/refusals.ts';
import { createRequestCounts, createRouteTimes, createUsageRecorder } from '../upkeep/usage.ts';
import type { Vault } from '../vault/vault.ts';
import type { Application } from './application.ts';
import type { Config } from './config.ts';
import { settingsOf } from './config.ts';
import type { WrittenCounter } from './counters.ts';
import { connectionsWithin } from './open-files.ts';
import { createKeyed, withoutSecret } from './secrets.ts';
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
  /** The file of the database; undefined where another server has it. */
  readonly databaseFile?: string | undefined;
  readonly vault: Vault;
  /** The reason for which this process does not know the secret of the service; absent where it does. */
  readonly secretUnknown?: unknown;
  /** Resolves if a write would be accepted. @throws Problem `database_unavailable` */
  readonly ready: () => Promise<void>;
  readonly stopping: Stopping;
  /** Receives the application code that is running; not watched unless given. */
  readonly watch?: CodeWatch | undefined;
  /** Receives every message in place of SMTP and log. */
  readonly captureMail?: ((mail: OutgoingMail) => void) | undefined;
  /** Hashes passwords; a new one unless given. */
  readonly passwords?: Passwords | undefined;
  readonly jobTimes?: Partial<WorkerTimes> | undefined;
  readonly webhookTimes?: Partial<WebhookTimes> | undefined;
}

/** Parts that the steps below have in common: languages, keys, the event log, and stores that several rooms use. */
const createFoundations = async (parts: Parts) => {
  const { config, application, clock, removalClock, logger, database, vault } = parts;
  const context = { database, clock };
  const usage = createUsageRecorder(context);
  const languages = createLanguages(config, application.catalogues);
  const events = new EventLog(database);
  const keys = await createKeyed(config, vault, createLoginAttempts(context), clock);
  const keyed = parts.secretUnknown === undefined ? keys : withoutSecret(keys, parts.secretUnknown);
  assertMail(config, application.config.mail);
  return {
    context,
    languages,
    catalogue: languages.first,
    code: new ApplicationCode(config.handlerTimeout * 1000, parts.watch),
    events,
    eventSignal: new EventSignal(database, events),
    trash: createTrash(database),
    keyed,
    usage,
    passwords: parts.passwords ?? createPasswords(),
    idempotency: createIdempotency({ ...context, removalClock }),
    securityEvents: createSecurityEvents(
      context,
      (level, line) => logger[level](line, 'security event'),
      (error) => logger.warn({ err: error }, 'security events'),
    ),
    identities: createIdentityStore(database, usage.sessionUsed, config.adminSecondFactor),
    transactionLimit: config.transactionTimeout * 1000,
  };
};

type Foundations = Awaited<ReturnType<typeof createFoundations>>;

/** Parts that are created later than the jobs which use them. */
interface LaterParts {
  readonly webhooks: () => Webhooks;
  readonly accountLinks: () => ReturnType<typeof createAccountLinks> | undefined;
}

/** The files of records; undefined where no model has a field for them, so that nothing of theirs is loaded. */
const openFiles = async ({ config, application, database }: Parts): Promise<ServedFiles | undefined> => {
  const { models } = application;
  const hasFiles = [...models.values()].some(({ fields }) =>
    [...fields.values()].some(({ type }) => type.uploads !== undefined),
  );
  if (!hasFiles) return undefined;
  const { openFileStore } = await import('../files/open-store.ts');
  const { ServedFiles: Opened } = await import('../resources/record-files.ts');
  const store = await openFileStore(config.filesUrl, join(config.dataDir, 'files'));
  return new Opened(database, store, models);
};

/** The jobs of the application and of the service. */
const composeJobs = (
  parts: Parts,
  foundations: Foundations,
  later: LaterParts,
  files: ServedFiles | undefined,
): JobService => {
  const { config, application, clock, removalClock, logger, database, vault } = parts;
  const { events, trash, keyed, catalogue } = foundations;
  const { mail } = application.config;
  return createJobs({
    database,
    jobs: withOwnJobs(application.jobs, {
      database,
      removalClock,
      models: application.models,
      events,
      trash,
      trashDays: config.trashDays,
      purgeVersions: createVersionPurge(database),
      historyDays: config.historyDays,
      webhooks: later.webhooks,
      files,
      mail: mail && {
        sender: createMailSender({
          mail,
          service: nameInMail(application.about, config.baseUrl),
          linkPlace: linkPlaceOf(parts),
          secrets: keyed.mailSecrets,
          clock,
          logger,
          password: () => vault.smtpPassword,
          capture: parts.captureMail,
        }),
        links: later.accountLinks,
      },
    }),
    catalogue,
    times: parts.jobTimes,
  });
};

/** The served resources. Scopes are built from the resources, whose hooks receive scopes. */
const composeResources = (
  { config, application, logger }: Parts,
  foundations: Foundations,
  scopeOf: ResourceContext['scopeOf'],
  { outbox, wake }: JobService,
  files: ServedFiles | undefined,
): ReadonlyMap<string, ServedResource> => {
  const { context, languages, catalogue, idempotency, trash, code, events, eventSignal } = foundations;
  return createResources(application.models, {
    ...context,
    locale: catalogue.locale,
    languages,
    idempotency,
    trash,
    trashDays: config.trashDays,
    report: (error, what) => logger.error({ err: error, ...workLogFields() }, what),
    code,
    transactionLimit: foundations.transactionLimit,
    events,
    eventsCommitted: eventSignal.onCommit,
    ownerEnds: createAccountsEnd(context),
    forget: createForget({ ...context, outbox, wake }),
    files,
    scopeOf,
  });
};

/** The place of the pages that links open. */
const linkPlaceOf = ({ config, application }: Pick<Parts, 'config' | 'application'>): LinkPlace => ({
  baseUrl: config.baseUrl,
  pages: application.config.accounts?.pages?.replace(/\/+$/, ''),
});

/** Users, their mail, and their means of signing in. */
const composeAccounts = (
  { config, application, vault }: Parts,
  { context, keyed, languages }: Foundations,
  { outbox, wake }: JobService,
) => {
  const { mail, providers, registration, sessions } = application.config;
  const { refreshTokens } = keyed;
  const mailQueue = mail && createMailQueue({ outbox, wake, secrets: keyed.mailSecrets, languages });
  const closedToPasswords = Object.entries(providers ?? {}).flatMap(([name, { password }]) =>
    password === false ? [name] : [],
  );
  const notifyUser = createNotifyUser(mailQueue);
  const users = createUserStore(context, notifyUser);
  const userTokens = createTokenStore({ ...context, distinct: sessions !== undefined });
  const mustUseSecondFactor = config.adminSecondFactor === 'required';
  return {
    mail: mailQueue,
    notifyUser,
    users,
    userTokens,
    refreshTokens,
    longSignIns: sessions && new LongSignIns({ ...context, userTokens, refreshTokens, ...sessions }),
    invitations: createInvitationStore(context, mailQueue),
    accountLinks:
      mailQueue && createAccountLinks({ ...context, users, outbox, mail: mailQueue, closedToPasswords }),
    closedToPasswords,
    roles: createRoleStore(context),
    sessions: createSessionStore({ ...context, days: sessions?.days }),
    callers: createCallerStore(context),
    linkedAccounts: createLinkedAccounts({ ...context, users, notify: notifyUser }),
    providers: createProviders(
      providers ?? {},
      config.baseUrl,
      (name) => vault.clientSecretOf(name),
      context.clock,
    ),
    providerSecrets: keyed.providerSecrets,
    registration: registration || undefined,
    linkPlace: linkPlaceOf({ config, application }),
    secondFactors: createSecondFactorStore(context, mustUseSecondFactor),
    secondFactorRequired: mustUseSecondFactor,
    factorSetups: createFactorSetups(context, notifyUser),
    signInTickets: createSignInTickets(context),
    totpSecrets: keyed.totpSecrets,
    passkeys: createPasskeys(config.baseUrl, fullName(application.about)),
    permissionEntries: permissionEntriesOf(application.models.values()),
  };
};

/** The scopes of callers, and the scope of work that the application starts by itself. */
const composeScopes = (
  { application, clock, database }: Parts,
  { context, keyed, languages, catalogue, passwords, transactionLimit }: Foundations,
  resources: ReadonlyMap<string, ServedResource>,
  { users, userTokens, invitations, linkPlace }: ReturnType<typeof composeAccounts>,
  jobs: JobService,
) => {
  const { outbox, wake } = jobs;
  const removals = createUserRemovals({ ...context, users, resources, outbox, wake });
  const accounts = createAccounts({
    ...context,
    users,
    removals,
    passwords,
    userTokens,
    tokens: keyed.tokens,
    invitations,
    linkPlace,
    catalogue,
    models: application.models,
  });
  const mail = new OwnMailPort({
    isConfigured: application.config.mail !== undefined,
    mails: application.mails,
    languages,
    database,
    outbox: jobs.outbox,
    wake: jobs.wake,
    localeOfAddress: (canonical, reader) => users.localeOfAddress(canonical, reader),
  });
  const scopeOf = createScopes({
    database,
    clock,
    resources,
    jobs: jobs.port,
    mail,
    accounts,
    transactionLimit,
  });
  return {
    removals,
    scopeOf,
    systemScope: (reason: string, limit?: CodeLimit): Scope<'all'> =>
      scopeOf({ ...ofApplication, limit }).asSystem(reason),
  };
};

/** Webhooks of administrators and of users. */
const composeWebhooks = (
  parts: Parts,
  foundations: Foundations,
  resources: ReadonlyMap<string, ServedResource>,
  jobs: JobService,
): Webhooks => {
  const { config, application, logger } = parts;
  const { context, events, eventSignal, identities, keyed } = foundations;
  return createWebhooks({
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
};

/** Parts of the authentication methods. */
const composeAuthentication = (
  { config, clock, vault }: Parts,
  { context, keyed, usage, identities, securityEvents }: Foundations,
) => ({
  tokens: keyed.tokens,
  cookies: keyed.cookies,
  identities,
  applications: vault,
  nonces: createNonceStore(context),
  baseUrl: config.baseUrl,
  usage: {
    keyUsed: (id: number, hash: string, now: number, address: string) => {
      usage.keyUsed(id, hash, now);
      securityEvents.keyUsed(id, address, now);
    },
    applicationUsed: usage.applicationUsed,
  },
  clock,
});

/** The changes that callers stream. A stream authenticates its caller repeatedly, which does not count as uses. */
const composeChanges = (
  { config, logger, stopping }: Parts,
  { events, eventSignal, identities }: Foundations,
  resources: ReadonlyMap<string, ServedResource>,
  authentication: ReturnType<typeof composeAuthentication>,
): Changes =>
  new Changes({
    log: events,
    signal: eventSignal,
    resources,
    methods: openMethods({
      ...authentication,
      identities: { ...identities, bySession: identities.readSession },
      usage: { keyUsed: () => {}, applicationUsed: () => {} },
    }),
    stopping,
    onError: (error) => logger.warn({ err: error }, 'events could not be streamed'),
    // Leave room for all other requests.
    maxStreams: Math.floor(connectionsWithin(config) * 0.75),
  });

/** Limits, counts and logs of requests. */
const composeCounts = (
  { config, clock, logger, database, vault }: Parts,
  { context, usage, securityEvents }: Foundations,
) => {
  const buckets = new Buckets(database, (error) => logger.warn({ err: error }, 'limits'), config.workers);
  const counts = {
    requestCounts: createRequestCounts(context),
    keyUsage: createKeyUsage(context),
    keyCalls: createKeyCalls(context),
    keyUses: createKeyUses(context),
    routeTimes: createRouteTimes(context),
    refusals: createRefusals(context, (id) => vault.applications().some(({ app_id }) => app_id === id)),
  };
  const counters: readonly WrittenCounter[] = [usage, securityEvents, ...Object.values(counts)];
  return {
    ...counts,
    counters,
    buckets,
    limiter: new Limiter(buckets, clock),
    attention: createAttention(context),
    imports: new ImportStore(context),
  };
};

/** Builds the parts of the endpoints, and the authentication methods of the guard, from storage, secrets and rules. */
export const compose = async (parts: Parts) => {
  const { config, application, clock, database, vault } = parts;
  const foundations = await createFoundations(parts);
  const { context, keyed, catalogue, passwords, securityEvents } = foundations;
  const files = await openFiles(parts);
  const jobs = composeJobs(
    parts,
    foundations,
    {
      webhooks: () => webhooks,
      accountLinks: () => accounts.accountLinks,
    },
    files,
  );
  const resources = composeResources(parts, foundations, (acting) => scopes.scopeOf(acting), jobs, files);
  const accounts = composeAccounts(parts, foundations, jobs);
  const scopes = composeScopes(parts, foundations, resources, accounts, jobs);
  const webhooks = composeWebhooks(parts, foundations, resources, jobs);
  const authentication = composeAuthentication(parts, foundations);
  const services = {
    ...accounts,
    ...scopes,
    ...composeCounts(parts, foundations),
    languages: foundations.languages,
    locale: catalogue.locale,
    catalogue,
    baseUrl: config.baseUrl,
    clock,
    application: application.about,
    about: { version: await packageVersion(), settings: settingsOf(config) },
    diskFolder: parts.databaseFile === undefined ? config.dataDir : dirname(parts.databaseFile),
    applicationVersion: application.about.version,
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
    identities: foundations.identities,
    routes: new Routes(),
    nonces: authentication.nonces,
    throttle: keyed.throttle,
    payments: createPaymentStore(context),
    idempotency: foundations.idempotency,
    securityEvents,
    seenCredentials: createSeenCredentials(context),
    keyScopes: keyScopesOf(application),
    applications: vault,
    resources,
    events: foundations.events,
    eventSignal: foundations.eventSignal,
    changes: composeChanges(parts, foundations, resources, authentication),
    accountOptions: application.config.accounts ?? {},
    takesPayments: application.config.payment !== false,
    onPayment: application.config.onPayment,
    code: foundations.code,
    stopping: parts.stopping,
    jobs,
    jobNames: jobs.names,
    nextTicks: jobs.nextTicks,
    webhooks,
  };
  return { services, methods: openMethods(authentication), jobs, files };
};

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
