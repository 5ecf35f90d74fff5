import { type Config, logLevels } from './config.ts';

/** A variable of the environment, as the reference of the configuration describes it. */
export interface Variable {
  readonly name: string;
  readonly fallback: string;
  readonly meaning: string;
  /** The value in force as administrators see it; of a secret only whether there is one. */
  readonly shown: (config: Config) => string | number | boolean | null;
  readonly secret?: true;
}

/** A variable with its value; of a secret the value is whether there is one. */
export interface Setting {
  readonly name: string;
  readonly secret: boolean;
  readonly value: string | number | boolean | null;
}

/** The place of a database without user, password and parameters: `db.example:5432/shop`, or the path of a file. */
const placeOf = (url: string): string => url.replace(/^\w+:(?:\/\/)?(?:.*@)?/, '').replace(/\?.*$/, '');

const onOff = (isOn: boolean): string => (isOn ? 'on' : 'off');

/** The settings in force, without secrets. */
export const settingsOf = (config: Config): readonly Setting[] =>
  variables.map(({ name, shown, secret = false }) => ({ name, secret, value: shown(config) }));

/** All variables of the environment, in the order of the reference; `readConfig` reads them. */
export const variables: readonly Variable[] = [
  {
    name: 'NODE_ENV',
    fallback: '',
    meaning: '`production` requires all secrets and never prints them',
    shown: ({ production }) => (production ? 'production' : null),
  },
  { name: 'PORT', fallback: '3000', meaning: 'TCP port; 0 uses a free one', shown: ({ port }) => port },
  { name: 'HOST', fallback: '127.0.0.1', meaning: 'address to listen on', shown: ({ host }) => host },
  {
    name: 'WORKERS',
    fallback: '1',
    meaning: 'processes that share the port, 1 to 64; always one on SQLite',
    shown: ({ workers }) => workers,
  },
  {
    name: 'METRICS_PORT',
    fallback: '',
    meaning:
      'TCP port on HOST that serves `GET /metrics` in the Prometheus text format; if unset, nothing is measured',
    shown: ({ metricsPort = null }) => metricsPort,
  },
  {
    name: 'METRICS_TOKEN',
    fallback: '',
    meaning:
      'bearer token required by `GET /metrics`, at least 16 characters; if unset, no credentials are required',
    shown: (config) => config.metricsToken !== undefined,
    secret: true,
  },
  {
    name: 'BASE_URL',
    fallback: 'http://HOST:PORT',
    meaning:
      'public address, used in links and in the API description; with a path prefix, all routes are under it',
    shown: ({ baseUrl }) => baseUrl,
  },
  {
    name: 'TRUST_PROXY',
    fallback: '',
    meaning:
      'proxies whose X-Forwarded-For is trusted: a number of hops, or addresses, ranges, `loopback`, `linklocal` and `uniquelocal`, comma-separated; an IPv4 proxy is in IPv4 ranges only',
    shown: ({ trustProxy }) => (Array.isArray(trustProxy) ? trustProxy.join(', ') : trustProxy),
  },
  {
    name: 'DATA_DIR',
    fallback: './data',
    meaning:
      'the SQLite database, compiled code, uploaded files until the response and, outside production, generated secrets',
    shown: ({ dataDir }) => dataDir,
  },
  {
    name: 'DATABASE_URL',
    fallback: 'sqlite:DATA_DIR/gatewright.db',
    meaning: '`sqlite:PATH`, `sqlite::memory:` (a temporary file, removed at exit) or `postgres://…`',
    shown: ({ databaseUrl }) => placeOf(databaseUrl),
  },
  {
    name: 'DATABASE_READ_URL',
    fallback: '',
    meaning:
      'a read replica of the PostgreSQL in DATABASE_URL: serves lists, reports and details if it is less than a second behind and has the writes of the caller',
    shown: ({ databaseReadUrl }) => (databaseReadUrl === undefined ? null : placeOf(databaseReadUrl)),
  },
  {
    name: 'DATABASE_POOL',
    fallback: '10',
    meaning: 'connections to PostgreSQL, 1 to 200',
    shown: ({ databasePool }) => databasePool,
  },
  {
    name: 'DATABASE_PREPARE',
    fallback: 'on',
    meaning: '`off` behind a connection pooler in transaction mode: no prepared statements',
    shown: ({ databasePrepare }) => onOff(databasePrepare),
  },
  {
    name: 'DATABASE_WAIT',
    fallback: '60',
    meaning: 'seconds to wait at start for an unreachable PostgreSQL, 0 to 3,600; 0 fails immediately',
    shown: ({ databaseWait }) => databaseWait,
  },
  {
    name: 'JWT_SECRET',
    fallback: '',
    meaning:
      'at least 32 bytes; default: `jwt_secret` of the credentials, or outside production a generated one that is kept',
    shown: (config) => config.jwtSecret !== undefined,
    secret: true,
  },
  {
    name: 'CREDENTIALS_FILE',
    fallback: 'config/credentials.age',
    meaning: 'the encrypted credentials (age)',
    shown: ({ credentialsFile }) => credentialsFile,
  },
  {
    name: 'CREDENTIALS_KEY_FILE',
    fallback: 'config/credentials.key',
    meaning: 'the age identity (private key) that decrypts the credentials',
    shown: ({ credentialsKeyFile }) => credentialsKeyFile,
  },
  {
    name: 'CREDENTIALS_KEY',
    fallback: '',
    meaning: 'the age identity itself, instead of the file',
    shown: (config) => config.credentialsKey !== undefined,
    secret: true,
  },
  {
    name: 'ADMIN_USERNAME',
    fallback: 'admin',
    meaning: 'username of the first super_admin, created if there are no users',
    shown: ({ admin }) => admin.username,
  },
  {
    name: 'ADMIN_EMAIL',
    fallback: 'admin@example.com',
    meaning: 'email address of the first super_admin',
    shown: ({ admin }) => admin.email,
  },
  {
    name: 'ADMIN_PASSWORD',
    fallback: '',
    meaning:
      'password of the first super_admin; required in production, otherwise generated and printed once if unset',
    shown: (config) => config.admin.password !== undefined,
    secret: true,
  },
  {
    name: 'ADMIN_SECOND_FACTOR',
    fallback: 'optional',
    meaning:
      '`required`: every administrator must set up two-step verification before using the administration area; else `optional`',
    shown: ({ adminSecondFactor }) => adminSecondFactor,
  },
  {
    name: 'LOCALE',
    fallback: 'zh-CN',
    meaning:
      '`zh-CN`, `en`, or a language in `locales`: language of all messages. `auto`: each request chooses by `Accept-Language`, `zh-CN` where it does not. If unset, commands other than `start` and `dev` report problems in English',
    shown: ({ locale, negotiated }) => (negotiated ? 'auto' : locale),
  },
  { name: 'LOG_LEVEL', fallback: 'info', meaning: logLevels.join(', '), shown: ({ logLevel }) => logLevel },
  {
    name: 'SLOW_QUERY',
    fallback: '200',
    meaning:
      'threshold in milliseconds for logging slow statements, without values; 0 to 3,600,000, or `off`',
    shown: ({ slowQuery }) => (slowQuery === Number.POSITIVE_INFINITY ? 'off' : slowQuery),
  },
  {
    name: 'CORS_ORIGINS',
    fallback: '',
    meaning: 'exact origins, comma-separated; if unset, CORS is off',
    shown: ({ corsOrigins }) => corsOrigins.join(', ') || null,
  },
  {
    name: 'BODY_LIMIT',
    fallback: '1048576',
    meaning: 'largest request body in bytes, 1,024 to 104,857,600',
    shown: ({ bodyLimit }) => bodyLimit,
  },
  {
    name: 'BODY_MEMORY',
    fallback: '67108864',
    meaning:
      'maximum total size of request bodies in memory, in bytes, at least four times BODY_LIMIT; 503 beyond it',
    shown: ({ bodyMemory }) => bodyMemory,
  },
  {
    name: 'MAX_CONNECTIONS',
    fallback: '10000',
    meaning: 'maximum number of open connections, 10 to 1,000,000',
    shown: ({ maxConnections }) => maxConnections,
  },
  {
    name: 'API_DOCS',
    fallback: 'on',
    meaning: '`on` or `off`: the documentation page and the API description',
    shown: ({ apiDocs }) => onOff(apiDocs),
  },
  {
    name: 'DRAIN',
    fallback: '1',
    meaning:
      'seconds after SIGTERM during which `?ready` returns 503 and every response closes its connection (0 to 3,600)',
    shown: ({ drain }) => drain,
  },
  {
    name: 'HANDLER_TIMEOUT',
    fallback: '30',
    meaning:
      'maximum seconds for a hook or a custom endpoint before the request returns 503 and its scope takes no more calls (1 to 3,600)',
    shown: ({ handlerTimeout }) => handlerTimeout,
  },
  {
    name: 'TRANSACTION_TIMEOUT',
    fallback: '5',
    meaning:
      'maximum seconds for a transaction of the application (endpoints, hooks, jobs, scripts) before it is rolled back and the request returns 503 (1 to 60)',
    shown: ({ transactionTimeout }) => transactionTimeout,
  },
  {
    name: 'JOBS',
    fallback: 'on',
    meaning:
      '`on`: runs jobs beside the API; `off`: stores jobs but runs none here; `only`: runs jobs and serves only the health check',
    shown: ({ jobs }) => jobs,
  },
  {
    name: 'JOBS_CONCURRENCY',
    fallback: '5',
    meaning:
      'maximum number of application jobs that this process runs concurrently, 1 to 1,000, beside one of each other name; mails, webhooks and other jobs of the service have as many places each',
    shown: ({ jobsConcurrency }) => jobsConcurrency,
  },
  {
    name: 'TRASH_DAYS',
    fallback: '30',
    meaning: 'days during which a record deleted from a model with `trash` can be restored, 1 to 36,500',
    shown: ({ trashDays }) => trashDays,
  },
  {
    name: 'HISTORY_DAYS',
    fallback: '',
    meaning:
      'days after which older versions of records are removed, 1 to 36,500; the latest version is always kept; if unset, all are kept',
    shown: ({ historyDays = null }) => historyDays,
  },
  {
    name: 'WEBHOOK_PRIVATE',
    fallback: '',
    meaning:
      '`1` allows webhooks to private addresses and over http; otherwise only https to public addresses',
    shown: ({ webhookPrivate }) => webhookPrivate,
  },
  {
    name: 'MIGRATE',
    fallback: 'start',
    meaning: '`start` applies pending migrations under a lock; `off` refuses to start when some are pending',
    shown: ({ migrate }) => migrate,
  },
  {
    name: 'NEW_DATABASE',
    fallback: '',
    meaning:
      '`1` creates a new, empty database where the one in `DATA_DIR` is gone; otherwise the service does not start',
    shown: ({ newDatabase }) => newDatabase,
  },
];
