/** Finds the files of an application in its folder, and assembles their exports into one `Application`. */

import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type AccountOptions, accountsOption } from '../accounts/account-options.ts';
import type { PaymentHook } from '../accounts/applications.ts';
import { type OidcProvider, providersOption } from '../accounts/oidc.ts';
import { type SessionOptions, sessionsOption } from '../accounts/sessions.ts';
import { checkRateLimit, type RateLimit } from '../auth/rate-limit.ts';
import type { Migration, Migrations } from '../database/migrations.ts';
import { prefixFlaw } from '../database/service-names.ts';
import { collectJobs, isJobDefinition, type JobDefinition, type Jobs } from '../delivery/jobs.ts';
import {
  collectMails,
  isMailDefinition,
  type MailDefinition,
  type MailOption,
  type Mails,
  mailOption,
  type RegistrationOptions,
  registrationOption,
} from '../delivery/mail.ts';
import { type LimitTenancies, tenanciesOfLimits } from '../http/rate-limits.ts';
import { type ApplicationName, badgeOf, nameOptions } from '../kernel/application-name.ts';
import { errorMessage } from '../kernel/error-message.ts';
import {
  type Catalogue,
  completeLabel,
  fallbacksOf,
  type LanguageSetting,
  type Locale,
} from '../kernel/messages.ts';
import {
  anything,
  code,
  listOf,
  mapOf,
  type OptionCheck,
  type OptionTable,
  oneOf,
  optionsFlaw,
  plainObject,
  textual,
} from '../kernel/options.ts';
import { type ProblemKind, problemCode } from '../kernel/problem.ts';
import { type CompleteLabel, completeModel } from '../model/complete-texts.ts';
import {
  catalogueOfApplication,
  isLocaleDefinition,
  type LocaleDefinition,
  translateModels,
} from '../model/define-locale.ts';
import { DefinitionError } from '../model/definition-error.ts';
import { collectModels, type Models } from '../model/models.ts';
import { isResourceModel, type ResourceModel } from '../model/resource.ts';
import type { Scope } from '../model/scope.ts';
import {
  definedIn,
  type EndpointDefinition,
  isEndpointDefinition,
} from '../resources/application-endpoints.ts';
import { locate } from './locate.ts';

/** Options of an application's `gatewright.config.ts`. */
export interface ApplicationConfig {
  /**
   * Name of the application, in one line of 1 to 60 characters: in pages and mails. Default: `name` of its
   * package.json, without a scope.
   */
  readonly name?: string;
  /**
   * The environment in which this process runs, such as `staging`, with 1 to 24 characters: a badge beside the name. In
   * titles and mails it follows the name (`Shop (staging)`), except for `production`. Default: none.
   */
  readonly environment?: string;
  /**
   * Colour of the badge in the form `#b45309`. Its contrast to the light and to the dark page is 3 or more. Default:
   * teal for `production`, amber for every other environment.
   */
  readonly colour?: string;
  /**
   * Rate limits by the path of a model (`orders`) or the method and path of an endpoint
   * (`POST /checkout`); `default` is that of every other endpoint.
   */
  readonly limits?: Readonly<Record<string, RateLimit>>;
  /** `false` removes `POST /api/v1/payment`. Payments that were received stay in the administration area. */
  readonly payment?: false;
  /** How the service sends mail. Default: no mail. */
  readonly mail?: MailOption;
  /** Users who register themselves, at an address that they verify by mail. Default: `false`. */
  readonly registration?: false | RegistrationOptions;
  /** Long sign-ins. Default: a sign-in ends after 24 hours. */
  readonly sessions?: SessionOptions;
  /** Rights of users over their own account, and addresses of pages. */
  readonly accounts?: AccountOptions;
  /** Providers by which users sign in, made by `oidc({ … })`; the name is part of their paths. */
  readonly providers?: Readonly<Record<string, OidcProvider>>;
  /**
   * Prefix of the names of the service's own tables, in place of `gatewright_`: `app_` makes `app_users` and `app_jobs`.
   * With a dot at its end it is a schema of PostgreSQL. At most 24 of `a-z`, `0-9` and `_`, with `_` or `.` at the end.
   * A start with another prefix is refused. Default: none.
   */
  readonly serviceTables?: string;
  /** Awaited before a payment is stored; an error refuses the payment with 500. */
  readonly onPayment?: PaymentHook;
  /**
   * Awaited before the first request is accepted, with a scope that acts for the system; an error prevents the start.
   */
  readonly onStart?: (scope: Scope<'all'>) => void | Promise<void>;
  /** Awaited once requests and jobs have ended, before the database is closed. */
  readonly onStop?: () => void | Promise<void>;
}

/** A beginning of names that both databases take, or one of them. */
const serviceTablesOption: OptionCheck = (value, path) => {
  const flaw = textual(value, path) ?? prefixFlaw(String(value));
  return flaw === undefined || flaw.startsWith(path) ? flaw : `${path}: ${flaw}`;
};

const configOptions = {
  ...nameOptions,
  limits: mapOf(checkRateLimit),
  payment: oneOf(false),
  mail: mailOption,
  registration: registrationOption,
  sessions: sessionsOption,
  accounts: accountsOption,
  providers: providersOption,
  serviceTables: serviceTablesOption,
  onPayment: code,
  onStart: code,
  onStop: code,
} satisfies OptionTable<ApplicationConfig>;

/**
 * Defines the configuration of an application beyond its resources and endpoints.
 * @throws DefinitionError for an unknown option or a value of the wrong type
 */
export const defineConfig = (config: ApplicationConfig): ApplicationConfig => {
  const flaw =
    optionsFlaw(config, configOptions) ??
    (config.payment === false && config.onPayment !== undefined
      ? 'onPayment is never called where payment is false'
      : undefined) ??
    (config.registration && config.mail === undefined
      ? 'registration verifies addresses by mail: set mail too'
      : undefined) ??
    (config.colour !== undefined && config.environment === undefined
      ? 'colour is that of the environment: set environment too'
      : undefined);
  if (flaw !== undefined) throw new DefinitionError('configuration', flaw);
  return Object.freeze({ ...config });
};

/** The members of an application's package.json that name it. */
interface PackageManifest {
  readonly name?: string | undefined;
  readonly version?: string | undefined;
}

const nameOf = (
  { name, environment, colour }: ApplicationConfig,
  manifest: PackageManifest,
): ApplicationName => ({
  name: name ?? manifest.name?.replace(/^@[^/]*\//, ''),
  version: manifest.version,
  environment: environment === undefined ? undefined : badgeOf(environment, colour),
});

/** An application: its name, its models, its own endpoints, its migrations and its configuration. */
export interface Application {
  readonly about: ApplicationName;
  readonly models: Models;
  /** Returns the models with every label completed. */
  readonly modelsWith: (complete: CompleteLabel) => Models;
  /** The tenants whose members share limits. */
  readonly tenancies: LimitTenancies;
  readonly endpoints: readonly EndpointDefinition[];
  readonly jobs: Jobs;
  /** Its messages. */
  readonly mails: Mails;
  readonly migrations: Migrations;
  /** The catalogues of its languages. */
  readonly catalogues: readonly Catalogue[];
  readonly config: ApplicationConfig;
}

/** A mistake in an application's files, reported to its developer. */
export class ApplicationError extends Error {
  constructor(file: string, message: string, cause?: unknown) {
    super(`${file}: ${message}`, { cause });
    this.name = 'ApplicationError';
  }
}

interface ApplicationParts {
  readonly resources?: readonly ResourceModel[];
  readonly endpoints?: readonly EndpointDefinition[];
  /** Jobs by name, which is that of their file. */
  readonly jobs?: Readonly<Record<string, JobDefinition>>;
  /** Messages by name, which is that of their file. */
  readonly mails?: Readonly<Record<string, MailDefinition>>;
  readonly migrations?: Migrations;
  /** Texts of further languages by their tags, which are the names of their files. */
  readonly locales?: Readonly<Record<Locale, LocaleDefinition>>;
  readonly config?: ApplicationConfig;
  /** Default: none. */
  readonly manifest?: PackageManifest;
}

/** Refuses two problems with the same code: a client could not tell them apart. */
const refuseSameCode = (problems: readonly ProblemKind[]): void => {
  const known = new Map<number, ProblemKind>();
  for (const problem of problems) {
    const code = problemCode(problem);
    if ((known.get(code) ?? problem) !== problem)
      throw new DefinitionError('problem', `two problems have the code ${code}`);
    known.set(code, problem);
  }
};

const partsOptions = {
  resources: listOf(anything),
  endpoints: listOf(anything),
  jobs: plainObject,
  mails: plainObject,
  migrations: plainObject,
  locales: plainObject,
  config: plainObject,
  manifest: plainObject,
} satisfies OptionTable<ApplicationParts>;

/**
 * Assembles an application from its parts; `loadApplication` finds them in a folder.
 * @throws DefinitionError
 */
export const createApplication = (parts: ApplicationParts): Application => {
  const flaw = optionsFlaw(parts, partsOptions);
  if (flaw !== undefined) throw new DefinitionError('application', flaw);
  const [resources, endpoints] = [parts.resources ?? [], parts.endpoints ?? []];
  refuseSameCode([
    ...resources.flatMap(({ problems }) => problems),
    ...endpoints.flatMap(({ problems = [] }) => problems),
  ]);
  const { locales = {} } = parts;
  const catalogues = Object.entries(locales).map(([locale, each]) => catalogueOfApplication(locale, each));
  const config = defineConfig(parts.config ?? {});
  const translated = translateModels(resources, locales, catalogues);
  const models = collectModels(translated);
  return {
    about: nameOf(config, parts.manifest ?? {}),
    models,
    modelsWith: (complete) => collectModels(translated.map((model) => completeModel(model, complete))),
    tenancies: tenanciesOfLimits(config.limits ?? {}, models),
    catalogues,
    endpoints,
    jobs: collectJobs(parts.jobs ?? {}),
    mails: collectMails(parts.mails ?? {}),
    migrations: parts.migrations ?? {},
    config,
  };
};

/**
 * Returns the application with a text of each label for every language of the service: that of the first language
 * stands for a missing one, then any.
 */
export const inLanguages = (application: Application, setting: LanguageSetting): Application => {
  const fallbacks = fallbacksOf(setting);
  let isComplete = true;
  const models = application.modelsWith((label) => {
    const complete = completeLabel(label, fallbacks);
    if (complete !== label) isComplete = false;
    return complete;
  });
  return isComplete ? application : { ...application, models };
};

const sourceFile = /^[^._].*(?<!\.(?:test|d))\.(?:ts|mts|js|mjs)$/;

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT';

const filesOf = async (directory: string): Promise<string[]> => {
  try {
    const names = await readdir(directory);
    return names.filter((name) => sourceFile.test(name)).sort();
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
};

const mistakeIn = (file: string, cause: unknown): ApplicationError =>
  new ApplicationError(file, errorMessage(cause), cause);

type Module = Readonly<Record<string, unknown>>;

const load = async (file: string): Promise<Module> => {
  try {
    return (await import(pathToFileURL(file).href)) as Module;
  } catch (cause) {
    throw mistakeIn(file, cause);
  }
};

const isMigration = (value: unknown): value is Migration =>
  typeof value === 'object' && value !== null && 'up' in value && typeof value.up === 'function';

/** Loads every file of a folder and collects what `pick` returns for each. `without`: names of files to pass over. */
const collect = async <T>(
  directory: string,
  expected: string,
  pick: (module: Module, file: string) => T | undefined,
  without: ReadonlySet<string> = new Set(),
): Promise<ReadonlyMap<string, T>> => {
  const found = new Map<string, T>();
  for (const name of (await filesOf(directory)).filter((each) => !without.has(each))) {
    const file = join(directory, name);
    const value = pick(await load(file), file);
    if (value === undefined) throw new ApplicationError(file, `expected ${expected}`);
    const stem = name.replace(/\.[^.]+$/, '');
    if (found.has(stem))
      throw new ApplicationError(file, `another file is called ${stem}, with another ending`);
    found.set(stem, value);
  }
  return found;
};

/** Configuration files, in order of precedence; the first that exists is used. */
const configNames = [
  'gatewright.config.ts',
  'gatewright.config.mts',
  'gatewright.config.js',
  'gatewright.config.mjs',
];

/** The configuration in a folder, without the rest of the application. @throws ApplicationError that names the file */
export const loadConfig = async (directory: string): Promise<ApplicationConfig> => {
  const names = await filesOf(directory);
  const name = configNames.find((candidate) => names.includes(candidate));
  if (name === undefined) return {};
  const file = join(directory, name);
  const { default: config } = await load(file);
  if (typeof config !== 'object' || config === null)
    throw new ApplicationError(file, 'expected `export default defineConfig({ … })`');
  // An object that did not go through defineConfig is validated as well.
  try {
    return defineConfig(config);
  } catch (cause) {
    throw mistakeIn(file, cause);
  }
};

/** Name and version of the package.json in a folder; a folder without one names nothing. */
const loadManifest = async (directory: string): Promise<PackageManifest> => {
  const file = join(directory, 'package.json');
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw mistakeIn(file, error);
  });
  if (text === undefined) return {};
  try {
    const { name, version } = JSON.parse(text) as Readonly<Record<string, unknown>>;
    const flaw = Object.entries({ name, version }).find(
      ([, value]) => value !== undefined && typeof value !== 'string',
    );
    if (flaw !== undefined) throw new Error(`${flaw[0]} must be a text`);
    return { name, version } as PackageManifest;
  } catch (cause) {
    throw mistakeIn(file, cause);
  }
};

const loadResources = (directory: string, without?: ReadonlySet<string>) =>
  collect(
    join(directory, 'resources'),
    '`export default defineResource(…)`',
    ({ default: value }) => (isResourceModel(value) ? value : undefined),
    without,
  );

const loadParts = async (directory: string): Promise<Application> => {
  const resources = await loadResources(directory);
  const endpoints = await collect(
    join(directory, 'endpoints'),
    '`export default defineEndpoint(…)`',
    ({ default: value }, file) => (isEndpointDefinition(value) ? definedIn(value, file) : undefined),
  );
  const jobs = await collect(
    join(directory, 'jobs'),
    '`export default defineJob(…)`',
    ({ default: value }) => (isJobDefinition(value) ? value : undefined),
  );
  const mails = await collect(
    join(directory, 'mails'),
    '`export default defineMail(…)`',
    ({ default: value }) => (isMailDefinition(value) ? value : undefined),
  );
  const migrations = await collect(join(directory, 'migrations'), 'an exported function `up`', (module) =>
    isMigration(module) ? module : undefined,
  );
  const locales = await collect(
    join(directory, 'locales'),
    '`export default defineLocale(…)`',
    ({ default: value }) => (isLocaleDefinition(value) ? value : undefined),
  );
  return createApplication({
    locales: Object.fromEntries(locales),
    resources: [...resources.values()],
    endpoints: [...endpoints.values()],
    jobs: Object.fromEntries(jobs),
    mails: Object.fromEntries(mails),
    migrations: Object.fromEntries(migrations),
    config: await loadConfig(directory),
    manifest: await loadManifest(directory),
  });
};

/** The error with its location. An import may fail in several files; the location is that of the first one. */
const withLocation = async (error: unknown, directory: string): Promise<unknown> => {
  if (error instanceof ApplicationError && error.cause === undefined) return error;
  const cause = error instanceof ApplicationError ? error.cause : error;
  const place = await locate(cause, directory);
  return place === undefined ? error : mistakeIn(`${place.file}:${place.line}:${place.column}`, cause);
};

/**
 * Loads the application in a folder: `resources/*.ts`, `endpoints/*.ts`, `jobs/*.ts`, `mails/*.ts`, `migrations/*.ts`,
 * `locales/*.ts` and `gatewright.config.ts`, each of them optional. There is no registration: a new file is picked up
 * at the next start. Node strips the types itself.
 * @throws ApplicationError that names the file, and the line where it can be determined
 */
export const loadApplication = async (folder: string): Promise<Application> => {
  const directory = resolve(folder);
  try {
    return await loadParts(directory);
  } catch (error) {
    throw await withLocation(error, directory);
  }
};

/**
 * Loads the models in a folder's `resources/*.ts`, each as its file defines it, without the files of these names.
 * @throws ApplicationError as `loadApplication` does
 */
export const loadModels = async (
  folder: string,
  without: ReadonlySet<string>,
): Promise<readonly ResourceModel[]> => {
  const directory = resolve(folder);
  try {
    return [...(await loadResources(directory, without)).values()];
  } catch (error) {
    throw await withLocation(error, directory);
  }
};
