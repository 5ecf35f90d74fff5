import { logLevels } from './config.ts';

/** A variable of the environment, as the reference of the configuration describes it. */
export interface Variable {
  readonly name: string;
  readonly fallback: string;
  readonly meaning: string;
}

/** All variables of the environment, in the order of the reference; `readConfig` reads them. */
export const variables: readonly Variable[] = [
  { name: 'NODE_ENV', fallback: '', meaning: '`production` requires all secrets and never prints them' },
  { name: 'PORT', fallback: '3000', meaning: 'TCP port; 0 uses a free one' },
  { name: 'HOST', fallback: '127.0.0.1', meaning: 'address to listen on' },
  {
    name: 'WORKERS',
    fallback: '1',
    meaning: 'processes that share the port, 1 to 64; always one on SQLite',
  },
  {
    name: 'METRICS_PORT',
    fallback: '',
    meaning:
      'TCP port on HOST that serves `GET /metrics` in the Prometheus text format; if unset, nothing is measured',
  },
  {
    name: 'METRICS_TOKEN',
    fallback: '',
    meaning:
      'bearer token required by `GET /metrics`, at least 16 characters; if unset, no credentials are required',
  },
  {
    name: 'BASE_URL',
    fallback: 'http://HOST:PORT',
    meaning:
      'public address, used in links and in the API description; with a path prefix, all routes are under it',
  },
  {
    name: 'TRUST_PROXY',
    fallback: '',
    meaning:
      'proxies whose X-Forwarded-For is trusted: a number of hops, or addresses, ranges, `loopback`, `linklocal` and `uniquelocal`, comma-separated',
  },
  {
    name: 'DATA_DIR',
    fallback: './data',
    meaning:
      'the SQLite database, compiled code, uploaded files until the response and, outside production, generated secrets',
  },
  {
    name: 'DATABASE_URL',
    fallback: 'sqlite:DATA_DIR/gatewright.db',
    meaning: '`sqlite:PATH`, `sqlite::memory:` (a temporary file, removed at exit) or `postgres://…`',
  },
  {
    name: 'DATABASE_READ_URL',
    fallback: '',
    meaning:
      'a read replica of the PostgreSQL in DATABASE_URL: serves lists, reports and details if it is less than a second behind and has the writes of the caller',
  },
  { name: 'DATABASE_POOL', fallback: '10', meaning: 'connections to PostgreSQL, 1 to 200' },
  {
    name: 'DATABASE_PREPARE',
    fallback: 'on',
    meaning: '`off` behind a connection pooler in transaction mode: no prepared statements',
  },
  {
    name: 'DATABASE_WAIT',
    fallback: '60',
    meaning: 'seconds to wait at start for an unreachable PostgreSQL, 0 to 3,600; 0 fails immediately',
  },
  {
    name: 'JWT_SECRET',
    fallback: '',
    meaning:
      'at least 32 bytes; default: `jwt_secret` of the credentials, or outside production a generated one that is kept',
  },
  {
    name: 'CREDENTIALS_FILE',
    fallback: 'config/credentials.age',
    meaning: 'the encrypted credentials (age)',
  },
  {
    name: 'CREDENTIALS_KEY_FILE',
    fallback: 'config/credentials.key',
    meaning: 'the age identity (private key) that decrypts the credentials',
  },
  { name: 'CREDENTIALS_KEY', fallback: '', meaning: 'the age identity itself, instead of the file' },
  {
    name: 'ADMIN_USERNAME',
    fallback: 'admin',
    meaning: 'username of the first super_admin, created if there are no users',
  },
  { name: 'ADMIN_EMAIL', fallback: 'admin@example.com', meaning: 'email address of the first super_admin' },
  {
    name: 'ADMIN_PASSWORD',
    fallback: '',
    meaning:
      'password of the first super_admin; required in production, otherwise generated and printed once if unset',
  },
  {
    name: 'ADMIN_SECOND_FACTOR',
    fallback: 'optional',
    meaning:
      '`required`: every administrator must set up two-step verification before using the administration area; else `optional`',
  },
  {
    name: 'LOCALE',
    fallback: 'zh-CN',
    meaning:
      '`zh-CN` or `en`: language of all messages; if unset, commands other than `start` and `dev` report problems in English',
  },
  { name: 'LOG_LEVEL', fallback: 'info', meaning: logLevels.join(', ') },
  {
    name: 'SLOW_QUERY',
    fallback: '200',
    meaning:
      'threshold in milliseconds for logging slow statements, without values; 0 to 3,600,000, or `off`',
  },
  { name: 'CORS_ORIGINS', fallback: '', meaning: 'exact origins, comma-separated; if unset, CORS is off' },
  { name: 'BODY_LIMIT', fallback: '1048576', meaning: 'largest request body in bytes, 1,024 to 104,857,600' },
  {
    name: 'BODY_MEMORY',
    fallback: '67108864',
    meaning:
      'maximum total size of request bodies in memory, in bytes, at least four times BODY_LIMIT; 503 beyond it',
  },
  {
    name: 'MAX_CONNECTIONS',
    fallback: '10000',
    meaning: 'maximum number of open connections, 10 to 1,000,000',
  },
  {
    name: 'API_DOCS',
    fallback: 'on',
    meaning: '`on` or `off`: the documentation page and the API description',
  },
  {
    name: 'DRAIN',
    fallback: '1',
    meaning:
      'seconds after SIGTERM during which `?ready` returns 503 and every response closes its connection (0 to 3,600)',
  },
  {
    name: 'HANDLER_TIMEOUT',
    fallback: '30',
    meaning: 'maximum seconds for a hook or a custom endpoint before the request returns 503 (1 to 3,600)',
  },
  {
    name: 'TRANSACTION_TIMEOUT',
    fallback: '5',
    meaning:
      'maximum seconds for a transaction of the application before it is rolled back and the request returns 503 (1 to 60)',
  },
  {
    name: 'JOBS',
    fallback: 'on',
    meaning:
      '`on`: runs jobs beside the API; `off`: stores jobs but runs none here; `only`: runs jobs and serves only the health check',
  },
  {
    name: 'JOBS_CONCURRENCY',
    fallback: '5',
    meaning: 'maximum number of jobs that this process runs concurrently, 1 to 1,000',
  },
  {
    name: 'TRASH_DAYS',
    fallback: '30',
    meaning: 'days during which a record deleted from a model with `trash` can be restored, 1 to 36,500',
  },
  {
    name: 'HISTORY_DAYS',
    fallback: '',
    meaning:
      'days after which older versions of records are removed, 1 to 36,500; the latest version is always kept; if unset, all are kept',
  },
  {
    name: 'WEBHOOK_PRIVATE',
    fallback: '',
    meaning:
      '`1` allows webhooks to private addresses and over http; otherwise only https to public addresses',
  },
  {
    name: 'MIGRATE',
    fallback: 'start',
    meaning: '`start` applies pending migrations under a lock; `off` refuses to start when some are pending',
  },
  {
    name: 'NEW_DATABASE',
    fallback: '',
    meaning:
      '`1` creates a new, empty database where the one in `DATA_DIR` is gone; otherwise the service does not start',
  },
];
