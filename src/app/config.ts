import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { isNetwork, proxyNetworks } from '../auth/client-network.ts';
import {
  databaseUrlForms,
  defaultDatabaseUrl,
  isDatabaseUrl,
  replicaUrlMistake,
  servedAlone,
} from '../database/targets.ts';
import { isLocale, type Locale, locales } from '../kernel/messages/catalogue.ts';

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/** The settings of the environment; read once, frozen, the same for the whole process. */
export interface Config {
  readonly production: boolean;
  readonly port: number;
  readonly host: string;
  /** Number of processes that share the port. Settings of a process, its pool above all, apply to each of them. */
  readonly workers: number;
  /** Port of the metrics; 0 picks a free one. Undefined: no metrics are collected. */
  readonly metricsPort: number | undefined;
  /** Bearer token that scrapes have to send; undefined where none is required. */
  readonly metricsToken: string | undefined;
  /** Without a trailing slash; routes are served under its path, if it has one. */
  readonly baseUrl: string;
  /** `Path` part of the base URL without a trailing slash; empty where there is none. */
  readonly basePath: string;
  /** Proxies whose `X-Forwarded-For` is trusted: none, all, a number of hops, or addresses and ranges. */
  readonly trustProxy: boolean | number | string[];
  readonly dataDir: string;
  readonly databaseUrl: string;
  /** A replica of that database, for reads; undefined where none is configured. */
  readonly databaseReadUrl: string | undefined;
  readonly databasePool: number;
  readonly databasePrepare: boolean;
  /** Seconds that a start waits for an unreachable database. */
  readonly databaseWait: number;
  readonly jwtSecret: string | undefined;
  readonly credentialsFile: string;
  readonly credentialsKeyFile: string;
  readonly credentialsKey: string | undefined;
  readonly admin: {
    readonly username: string;
    readonly email: string;
    readonly password: string | undefined;
  };
  /** Language of the service; with `LOCALE=auto`, of requests that ask for none. */
  readonly locale: Locale;
  /** Whether requests choose their language. */
  readonly negotiated: boolean;
  readonly logLevel: LogLevel;
  /** Milliseconds from which a statement is logged as slow; Infinity for none. */
  readonly slowQuery: number;
  /** Exact origins; empty: CORS is off. */
  readonly corsOrigins: readonly string[];
  /** Bytes of a request body. */
  readonly bodyLimit: number;
  /** Bytes of all request bodies held at the same time. */
  readonly bodyMemory: number;
  /** Connections that may be open at the same time. */
  readonly maxConnections: number;
  readonly apiDocs: boolean;
  /** Seconds between the end of readiness and the end of new connections during a stop. */
  readonly drain: number;
  /** Seconds that a hook or an endpoint of the application may take. */
  readonly handlerTimeout: number;
  /** Seconds that a transaction of the application may take. */
  readonly transactionTimeout: number;
  /** Whether this process runs jobs, and whether it serves requests. */
  readonly jobs: 'on' | 'off' | 'only';
  /** Jobs that run at the same time. */
  readonly jobsConcurrency: number;
  /** Days for which a deleted record can be restored if its model has a trash. */
  readonly trashDays: number;
  /** Days for which versions of records are kept beside the latest one of each; undefined: for ever. */
  readonly historyDays: number | undefined;
  /** Whether every administrator must have a second factor. */
  readonly adminSecondFactor: 'optional' | 'required';
  /** Whether webhooks may use private addresses, and http. */
  readonly webhookPrivate: boolean;
  readonly migrate: 'start' | 'off';
  /** Whether a new database may replace a missing one. */
  readonly newDatabase: boolean;
}

/** All mistakes of the environment, one line each. */
export class ConfigError extends Error {
  readonly mistakes: readonly string[];
  constructor(mistakes: readonly string[]) {
    super(mistakes.join('\n'));
    this.name = 'ConfigError';
    this.mistakes = mistakes;
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads variables and collects their mistakes. */
class EnvironmentReader {
  readonly mistakes: string[] = [];
  readonly #environment: Environment;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /** The variable's text; an empty one counts as absent. */
  text(name: string): string | undefined {
    const value = this.#environment[name];
    return value === undefined || value === '' ? undefined : value;
  }

  wrong(name: string, expected: string): void {
    this.mistakes.push(`${name}: expected ${expected}`);
  }

  integer(name: string, fallback: number, min: number, max: number): number {
    const text = this.text(name);
    if (text === undefined) return fallback;
    const value = /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    this.wrong(name, `a whole number from ${min} to ${max}`);
    return fallback;
  }

  choice<T extends string>(name: string, fallback: T, choices: readonly T[]): T {
    const text = this.text(name);
    if (text === undefined) return fallback;
    const found = choices.find((choice) => choice === text);
    if (found === undefined) this.wrong(name, `one of ${choices.join(', ')}`);
    return found ?? fallback;
  }
}

const defaultLocale: Locale = 'zh-CN';

/** The language; whether the application has a catalogue for it is not known yet. */
const readLocale = (reader: EnvironmentReader): Pick<Config, 'locale' | 'negotiated'> => {
  const text = reader.text('LOCALE') ?? defaultLocale;
  if (text === 'auto') return { locale: defaultLocale, negotiated: true };
  if (!isLocale(text)) reader.wrong('LOCALE', `${locales.join(', ')}, auto or the language of a catalogue`);
  return { locale: text, negotiated: false };
};

const readBaseUrl = (reader: EnvironmentReader, host: string, port: number): URL => {
  const fallback = new URL(`http://${isIP(host) === 6 ? `[${host}]` : host}:${port}`);
  const text = reader.text('BASE_URL');
  if (text === undefined) return fallback;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (
    url !== undefined &&
    /^https?:$/.test(url.protocol) &&
    url.search === '' &&
    url.hash === '' &&
    url.username === ''
  )
    return url;
  reader.wrong('BASE_URL', 'an http or https URL without query, fragment or user');
  return fallback;
};

const readTrustProxy = (reader: EnvironmentReader): boolean | number | string[] => {
  const text = reader.text('TRUST_PROXY');
  if (text === undefined || text === 'off') return false;
  if (/^[1-9]\d?$/.test(text)) return Number(text);
  const names = text.split(',').map((part) => part.trim());
  if (names.every((part) => isNetwork(part) || Object.hasOwn(proxyNetworks, part))) return names;
  reader.wrong(
    'TRUST_PROXY',
    'a number of hops (1 to 99), or addresses and ranges without bits behind the prefix, comma-separated',
  );
  return false;
};

const readOrigins = (reader: EnvironmentReader): string[] => {
  const parts = (reader.text('CORS_ORIGINS') ?? '').split(',').map((part) => part.trim());
  const origins = parts.filter((part) => part !== '');
  const bad = origins.filter((origin) => !URL.canParse(origin) || new URL(origin).origin !== origin);
  if (bad.length > 0)
    reader.wrong('CORS_ORIGINS', `origins such as https://app.example.com, not ${bad.join(', ')}`);
  return origins;
};

const readDatabaseUrl = (reader: EnvironmentReader, dataDir: string): string => {
  const text = reader.text('DATABASE_URL') ?? defaultDatabaseUrl(resolve(dataDir, 'gatewright.db'));
  if (!isDatabaseUrl(text)) reader.wrong('DATABASE_URL', databaseUrlForms);
  return text;
};

const readWorkers = (reader: EnvironmentReader, databaseUrl: string): number => {
  const workers = reader.integer('WORKERS', 1, 1, 64);
  const alone = servedAlone(databaseUrl);
  if (workers > 1 && alone !== undefined) reader.wrong('WORKERS', `1, as ${alone}`);
  return workers;
};

const readReadUrl = (reader: EnvironmentReader, databaseUrl: string): string | undefined => {
  const text = reader.text('DATABASE_READ_URL');
  const mistake = text === undefined ? undefined : replicaUrlMistake(databaseUrl, text);
  if (mistake !== undefined) reader.wrong('DATABASE_READ_URL', mistake);
  return text;
};

/** Minimum number of bytes of a signing secret. */
export const secretBytes = 32;

const readSecret = (reader: EnvironmentReader): string | undefined => {
  const text = reader.text('JWT_SECRET');
  if (text !== undefined && Buffer.byteLength(text) < secretBytes)
    reader.wrong('JWT_SECRET', `at least ${secretBytes} bytes`);
  return text;
};

const readSlowQuery = (reader: EnvironmentReader): number => {
  if (reader.text('SLOW_QUERY') === 'off') return Number.POSITIVE_INFINITY;
  return reader.integer('SLOW_QUERY', 200, 0, 3_600_000);
};

const readHost = (reader: EnvironmentReader): string => {
  const host = reader.text('HOST') ?? '127.0.0.1';
  if (!/^[A-Za-z0-9:._-]+$/.test(host)) reader.wrong('HOST', 'an address or a host name');
  return /^[A-Za-z0-9:._-]+$/.test(host) ? host : '127.0.0.1';
};

const readMetricsPort = (reader: EnvironmentReader, port: number): number | undefined => {
  if (reader.text('METRICS_PORT') === undefined) return undefined;
  const metricsPort = reader.integer('METRICS_PORT', 0, 0, 65_535);
  if (metricsPort === port && port !== 0) reader.wrong('METRICS_PORT', 'another port than PORT');
  return metricsPort;
};

const readMetricsToken = (reader: EnvironmentReader): string | undefined => {
  const token = reader.text('METRICS_TOKEN');
  // The form of RFC 6750, section 2.1.
  if (token !== undefined && !/^[A-Za-z0-9._~+/-]{16,256}=*$/.test(token))
    reader.wrong('METRICS_TOKEN', '16 to 256 characters of A-Z a-z 0-9 . _ ~ + / -');
  return token;
};

const readBodies = (reader: EnvironmentReader): Pick<Config, 'bodyLimit' | 'bodyMemory'> => {
  const bodyLimit = reader.integer('BODY_LIMIT', 1_048_576, 1024, 104_857_600);
  // Anonymous callers share half of the memory: one of their bodies must fit even while another is held.
  const minMemory = 4 * bodyLimit;
  const bodyMemory = reader.integer('BODY_MEMORY', Math.max(67_108_864, minMemory), minMemory, 1e12);
  return { bodyLimit, bodyMemory };
};

/**
 * Reads the whole configuration.
 * @throws ConfigError with all mistakes
 */
export const readConfig = (environment: Environment): Config => {
  const reader = new EnvironmentReader(environment);
  const port = reader.integer('PORT', 3000, 0, 65_535);
  const host = readHost(reader);
  const base = readBaseUrl(reader, host, port);
  const dataDir = resolve(reader.text('DATA_DIR') ?? './data');
  const databaseUrl = readDatabaseUrl(reader, dataDir);
  const config: Config = {
    production: reader.text('NODE_ENV') === 'production',
    port,
    host,
    workers: readWorkers(reader, databaseUrl),
    metricsPort: readMetricsPort(reader, port),
    metricsToken: readMetricsToken(reader),
    baseUrl: base.href.replace(/\/+$/, ''),
    basePath: base.pathname.replace(/\/+$/, ''),
    trustProxy: readTrustProxy(reader),
    dataDir,
    databaseUrl,
    databaseReadUrl: readReadUrl(reader, databaseUrl),
    databasePool: reader.integer('DATABASE_POOL', 10, 1, 200),
    databasePrepare: reader.choice('DATABASE_PREPARE', 'on', ['on', 'off']) === 'on',
    databaseWait: reader.integer('DATABASE_WAIT', 60, 0, 3_600),
    jwtSecret: readSecret(reader),
    credentialsFile: resolve(reader.text('CREDENTIALS_FILE') ?? 'config/credentials.age'),
    credentialsKeyFile: resolve(reader.text('CREDENTIALS_KEY_FILE') ?? 'config/credentials.key'),
    credentialsKey: reader.text('CREDENTIALS_KEY'),
    admin: Object.freeze({
      username: reader.text('ADMIN_USERNAME') ?? 'admin',
      email: reader.text('ADMIN_EMAIL') ?? 'admin@example.com',
      password: reader.text('ADMIN_PASSWORD'),
    }),
    ...readLocale(reader),
    logLevel: reader.choice('LOG_LEVEL', 'info', logLevels),
    slowQuery: readSlowQuery(reader),
    corsOrigins: Object.freeze(readOrigins(reader)),
    ...readBodies(reader),
    maxConnections: reader.integer('MAX_CONNECTIONS', 10_000, 10, 1_000_000),
    apiDocs: reader.choice('API_DOCS', 'on', ['on', 'off']) === 'on',
    drain: reader.integer('DRAIN', 1, 0, 3_600),
    handlerTimeout: reader.integer('HANDLER_TIMEOUT', 30, 1, 3_600),
    transactionTimeout: reader.integer('TRANSACTION_TIMEOUT', 5, 1, 60),
    jobs: reader.choice('JOBS', 'on', ['on', 'off', 'only']),
    jobsConcurrency: reader.integer('JOBS_CONCURRENCY', 5, 1, 1_000),
    trashDays: reader.integer('TRASH_DAYS', 30, 1, 36_500),
    historyDays:
      reader.text('HISTORY_DAYS') === undefined ? undefined : reader.integer('HISTORY_DAYS', 1, 1, 36_500),
    adminSecondFactor: reader.choice('ADMIN_SECOND_FACTOR', 'optional', ['optional', 'required']),
    webhookPrivate: reader.choice('WEBHOOK_PRIVATE', '0', ['0', '1']) === '1',
    migrate: reader.choice('MIGRATE', 'start', ['start', 'off']),
    newDatabase: reader.choice('NEW_DATABASE', '0', ['0', '1']) === '1',
  };
  if (reader.mistakes.length > 0) throw new ConfigError(reader.mistakes);
  return Object.freeze(config);
};

/** The same configuration with the port that PORT=0 picked. */
export const withPort = (config: Config, port: number): Config => {
  if (config.port === port) return config;
  const asked = new URL(config.baseUrl);
  if (asked.port !== '0') return Object.freeze({ ...config, port });
  asked.port = String(port);
  return Object.freeze({ ...config, port, baseUrl: asked.href.replace(/\/+$/, '') });
};
