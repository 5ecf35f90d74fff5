import { logLevels } from './config.ts';

/** A variable of the environment, as the reference of the configuration describes it. */
export interface Variable {
  readonly name: string;
  readonly fallback: string;
  readonly meaning: string;
}

/** All variables of the environment, in the order of the reference; `readConfig` reads them. */
export const variables: readonly Variable[] = [
  { name: 'NODE_ENV', fallback: '', meaning: '`production` demands every secret and prints none' },
  { name: 'PORT', fallback: '3000', meaning: 'TCP port; 0 takes a free one' },
  { name: 'HOST', fallback: '127.0.0.1', meaning: 'address to listen on' },
  {
    name: 'WORKERS',
    fallback: '1',
    meaning: 'processes behind the one port, 1 to 64; on SQLite there is one',
  },
  {
    name: 'METRICS_PORT',
    fallback: '',
    meaning:
      'TCP port on HOST that answers `GET /metrics` in the text format of Prometheus; else nothing is measured',
  },
  {
    name: 'METRICS_TOKEN',
    fallback: '',
    meaning: 'bearer token, 16 characters or more, that `GET /metrics` asks for; else nothing is asked for',
  },
  {
    name: 'BASE_URL',
    fallback: 'http://HOST:PORT',
    meaning:
      'public address, used in links and in the API description; with a path prefix the routes answer under it',
  },
  {
    name: 'TRUST_PROXY',
    fallback: '',
    meaning:
      'proxies whose X-Forwarded-For is believed: a number of hops, or addresses, ranges, `loopback`, `linklocal` and `uniquelocal`, comma-separated',
  },
  {
    name: 'DATA_DIR',
    fallback: './data',
    meaning:
      'the SQLite database, compiled code, uploaded files until the answer and, outside production, generated secrets',
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
      'a replica of the PostgreSQL in DATABASE_URL: answers lists, reports and details, as long as it is less than a second behind and has what the caller wrote',
  },
  { name: 'DATABASE_POOL', fallback: '10', meaning: 'connections to PostgreSQL, 1 to 200' },
  {
    name: 'DATABASE_PREPARE',
    fallback: 'on',
    meaning: '`off` behind a pooler in transaction mode: no prepared statements',
  },
  {
    name: 'DATABASE_WAIT',
    fallback: '60',
    meaning:
      'seconds for which a start waits for a PostgreSQL that cannot be reached, 0 to 3,600; 0 fails at once',
  },
  {
    name: 'JWT_SECRET',
    fallback: '',
    meaning:
      'at least 32 bytes; else `jwt_secret` of the credentials; outside production generated once and kept',
  },
  {
    name: 'CREDENTIALS_FILE',
    fallback: 'config/credentials.age',
    meaning: 'the encrypted credentials (age)',
  },
  {
    name: 'CREDENTIALS_KEY_FILE',
    fallback: 'config/credentials.key',
    meaning: 'the age identity that opens them',
  },
  { name: 'CREDENTIALS_KEY', fallback: '', meaning: 'the age identity itself, instead of the file' },
  {
    name: 'ADMIN_USERNAME',
    fallback: 'admin',
    meaning: 'the first super_admin, made when there are no users',
  },
  { name: 'ADMIN_EMAIL', fallback: 'admin@example.com', meaning: "the first super_admin's address" },
  {
    name: 'ADMIN_PASSWORD',
    fallback: '',
    meaning:
      "the first super_admin's password; without one it is generated and printed once, in production required",
  },
  {
    name: 'ADMIN_SECOND_FACTOR',
    fallback: 'optional',
    meaning:
      '`optional` or `required`: whether every administrator has to set up two-step verification before anything else in the administration area',
  },
  {
    name: 'LOCALE',
    fallback: 'zh-CN',
    meaning:
      '`zh-CN` or `en`: the language of every message; commands other than `start` and `dev` report problems in English unless it is set',
  },
  { name: 'LOG_LEVEL', fallback: 'info', meaning: logLevels.join(', ') },
  {
    name: 'SLOW_QUERY',
    fallback: '200',
    meaning: 'statements that take more milliseconds are logged, without values; 0 to 3,600,000, or `off`',
  },
  { name: 'CORS_ORIGINS', fallback: '', meaning: 'exact origins, comma-separated; none: CORS is off' },
  { name: 'BODY_LIMIT', fallback: '1048576', meaning: 'largest request body in bytes, 1,024 to 104,857,600' },
  {
    name: 'BODY_MEMORY',
    fallback: '67108864',
    meaning: 'bytes of all request bodies held at one moment, at least four times BODY_LIMIT; 503 beyond',
  },
  { name: 'MAX_CONNECTIONS', fallback: '10000', meaning: 'connections open at one moment, 10 to 1,000,000' },
  {
    name: 'API_DOCS',
    fallback: 'on',
    meaning: '`on` or `off`: the documentation page and the API description',
  },
  {
    name: 'DRAIN',
    fallback: '1',
    meaning:
      'seconds after SIGTERM in which `?ready` is 503 and every answer closes its connection (0 to 3,600)',
  },
  {
    name: 'HANDLER_TIMEOUT',
    fallback: '30',
    meaning: "seconds that a hook or an endpoint of one's own may take before the answer is 503 (1 to 3,600)",
  },
  {
    name: 'TRANSACTION_TIMEOUT',
    fallback: '5',
    meaning:
      'seconds that a transaction of the application may take before it is rolled back and the answer is 503 (1 to 60)',
  },
  {
    name: 'JOBS',
    fallback: 'on',
    meaning:
      '`on` runs jobs beside the API; `off` runs none here (they are stored all the same); `only` runs jobs and answers nothing but the health check',
  },
  {
    name: 'JOBS_CONCURRENCY',
    fallback: '5',
    meaning: 'jobs that this process runs at one moment, 1 to 1,000',
  },
  {
    name: 'TRASH_DAYS',
    fallback: '30',
    meaning: 'days for which a deleted record can be brought back, where its model has a trash, 1 to 36,500',
  },
  {
    name: 'HISTORY_DAYS',
    fallback: '',
    meaning:
      'days after which versions of records are removed, but for the latest one of each, 1 to 36,500; none: they are kept',
  },
  {
    name: 'WEBHOOK_PRIVATE',
    fallback: '',
    meaning: '`1` lets webhooks lead to private addresses and use http; else only https to public ones',
  },
  {
    name: 'MIGRATE',
    fallback: 'start',
    meaning: '`start` applies pending migrations under a lock; `off` refuses to start when some are pending',
  },
  {
    name: 'NEW_DATABASE',
    fallback: '',
    meaning: '`1` makes a new, empty database where `DATA_DIR` once held one that is gone; else no start',
  },
];
