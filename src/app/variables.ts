/** Every environment variable, a row each: default, reading, and meaning in both languages. */

import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { isNetwork, proxyNetworks } from '../auth/client-network.ts';
import {
  databaseUrlMistake,
  defaultDatabaseUrl,
  replicaUrlMistake,
  servedAlone,
} from '../database/targets.ts';
import type { FileBucket } from '../files/s3-store.ts';
import { isLocale, type LanguageSetting, type Locale, locales } from '../kernel/messages.ts';
import { missingPackages } from '../kernel/optional-packages.ts';
import { readInteger, type Variable, variable } from './environment.ts';

/**
 * The variables of the environment: reading, settings of the administration area and both reference pages follow from a
 * row.
 */

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

const port = variable.integer('PORT', 3000, [0, 65_535], {
  'zh-CN': 'TCP 端口；0 表示任取一个空闲端口',
  en: 'TCP port; 0 uses a free one',
});

const host = variable.of({
  name: 'HOST',
  fallback: '127.0.0.1',
  meaning: { 'zh-CN': '监听地址', en: 'address to listen on' },
  read: (environment) => {
    const text = environment.text('HOST') ?? '127.0.0.1';
    if (/^[A-Za-z0-9:._-]+$/.test(text)) return text;
    environment.wrong('HOST', 'an address or a host name');
    return '127.0.0.1';
  },
});

const dataDir = variable.path('DATA_DIR', './data', {
  'zh-CN': '存放 SQLite 数据库、编译后的代码和尚未响应的上传文件；非生产环境下也存放自动生成的密钥',
  en: 'the SQLite database, compiled code, uploaded files until the response and, outside production, generated secrets',
});

/**
 * The bucket of an address `s3://bucket/prefix?region=…`; undefined for any other text. `endpoint` is the address of a
 * server other than that of Amazon.
 */
const bucketOf = (text: string): FileBucket | undefined => {
  if (!URL.canParse(text)) return undefined;
  const {
    protocol,
    hostname: bucket,
    pathname,
    searchParams,
    hash,
    username,
    password,
    port,
  } = new URL(text);
  const parameters = ['region', 'endpoint'];
  const region = searchParams.get('region') ?? '';
  const endpoint = searchParams.get('endpoint') ?? undefined;
  const path = pathname.replaceAll(/^\/+|\/+$/g, '');
  const isKnown =
    protocol === 's3:' &&
    /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket) &&
    /^[a-z0-9-]{1,50}$/.test(region) &&
    /^[\w./-]{0,200}$/.test(path) &&
    [hash, username, password, port].every((part) => part === '') &&
    [...searchParams.keys()].every((name) => parameters.includes(name)) &&
    (endpoint === undefined || (URL.canParse(endpoint) && isBaseUrl(new URL(endpoint))));
  return isKnown ? { bucket, region, endpoint, prefix: path === '' ? '' : `${path}/` } : undefined;
};

/** The place of files of records: a bucket; undefined for the folder `files` of DATA_DIR. */
const filesUrl = variable.of({
  name: 'FILES_URL',
  fallback: 'DATA_DIR/files',
  meaning: {
    'zh-CN':
      '存放记录文件的 S3 存储桶：`s3://bucket/prefix?region=…`，其他服务器另加 `&endpoint=https://…`；未设置则存放于 `DATA_DIR/files`',
    en: 'bucket of S3 for the files of records: `s3://bucket/prefix?region=…`, with `&endpoint=https://…` for another server; if unset, they are in `DATA_DIR/files`',
  },
  read: (environment): FileBucket | undefined => {
    const text = environment.text('FILES_URL');
    if (text === undefined) return undefined;
    const bucket = bucketOf(text);
    if (bucket === undefined)
      environment.wrong(
        'FILES_URL',
        's3://bucket/prefix?region=… (and endpoint=https://… for another server)',
      );
    const missing = missingPackages(['@aws-sdk/client-s3']);
    if (missing !== undefined) environment.wrong('FILES_URL', missing);
    return bucket;
  },
  shown: (bucket) => (bucket === undefined ? null : `s3://${bucket.bucket}/${bucket.prefix}`),
});

/** The place of a database without user, password and parameters: `db.example:5432/shop`, or the path of a file. */
const placeOf = (url: string): string => url.replace(/^\w+:(?:\/\/)?(?:.*@)?/, '').replace(/\?.*$/, '');

const databaseUrl = variable.of({
  name: 'DATABASE_URL',
  fallback: 'sqlite:DATA_DIR/gatewright.db',
  meaning: {
    'zh-CN': '`sqlite:PATH`、`sqlite::memory:`（临时文件，退出时删除）或 `postgres://…`',
    en: '`sqlite:PATH`, `sqlite::memory:` (a temporary file, removed at exit) or `postgres://…`',
  },
  read: (environment) => {
    const url =
      environment.text('DATABASE_URL') ??
      defaultDatabaseUrl(resolve(environment.value(dataDir), 'gatewright.db'));
    const mistake = databaseUrlMistake(url);
    if (mistake !== undefined) environment.wrong('DATABASE_URL', mistake);
    return url;
  },
  shown: placeOf,
});

const databaseReadUrl = variable.of({
  name: 'DATABASE_READ_URL',
  meaning: {
    'zh-CN':
      'DATABASE_URL 所指 PostgreSQL 的只读副本：列表、报表与详情由其响应，前提是落后不足一秒，且已包含调用者所写的内容',
    en: 'a read replica of the PostgreSQL in DATABASE_URL, for reads if it is less than a second behind and has the writes of the caller',
  },
  read: (environment): string | undefined => {
    const url = environment.text('DATABASE_READ_URL');
    const mistake = url === undefined ? undefined : replicaUrlMistake(environment.value(databaseUrl), url);
    if (mistake !== undefined) environment.wrong('DATABASE_READ_URL', mistake);
    return url;
  },
  shown: (url) => (url === undefined ? null : placeOf(url)),
});

/** Number of processes that share the port. Settings of a process, its pool above all, apply to each of them. */
const workers = variable.of({
  name: 'WORKERS',
  fallback: '1',
  meaning: {
    'zh-CN': '同一端口背后的进程数，1 至 64；SQLite 上同一时刻仍只有一个进程写入',
    en: 'processes that share the port, 1 to 64; on SQLite one of them writes at a time',
  },
  read: (environment) => {
    const count = readInteger(environment, 'WORKERS', 1, 1, 64);
    const alone = servedAlone(environment.value(databaseUrl));
    if (count > 1 && alone !== undefined) environment.wrong('WORKERS', `1, as ${alone}`);
    return count;
  },
});

/** Port of the metrics; 0 picks a free one. Undefined: no metrics are collected. */
const metricsPort = variable.of({
  name: 'METRICS_PORT',
  meaning: {
    'zh-CN': 'HOST 上以 Prometheus 文本格式响应 `GET /metrics` 的 TCP 端口；未设置则不收集指标',
    en: 'TCP port on HOST that serves `GET /metrics` in the Prometheus text format; if unset, nothing is measured',
  },
  read: (environment) => {
    const own = readInteger(environment, 'METRICS_PORT', undefined, 0, 65_535);
    if (own === environment.value(port) && own !== 0)
      environment.wrong('METRICS_PORT', 'another port than PORT');
    const missing = own === undefined ? undefined : missingPackages(['prom-client']);
    if (missing !== undefined) environment.wrong('METRICS_PORT', missing);
    return own;
  },
});

const metricsToken = variable.secret(
  'METRICS_TOKEN',
  {
    'zh-CN': '`GET /metrics` 要求的 Bearer 令牌，至少 16 个字符',
    en: 'bearer token required by `GET /metrics`, at least 16 characters',
  },
  (token) =>
    // The form of RFC 6750, section 2.1.
    /^[A-Za-z0-9._~+/-]{16,256}=*$/.test(token)
      ? undefined
      : '16 to 256 characters of A-Z a-z 0-9 . _ ~ + / -',
);

const withoutSlash = (url: URL): string => url.href.replace(/\/+$/, '');

const isBaseUrl = (url: URL): boolean =>
  /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '' && url.username === '';

/** Without a trailing slash; routes are served under its path, if it has one. */
const baseUrl = variable.of({
  name: 'BASE_URL',
  fallback: 'http://HOST:PORT',
  meaning: {
    'zh-CN': '公开地址，用于链接和接口描述；带路径前缀时，各接口都在该前缀之下',
    en: 'public address, used in links and in the API description; with a path prefix, all routes are under it',
  },
  read: (environment) => {
    const [address, text] = [environment.value(host), environment.text('BASE_URL')];
    const fallback = new URL(
      `http://${isIP(address) === 6 ? `[${address}]` : address}:${environment.value(port)}`,
    );
    if (text === undefined) return withoutSlash(fallback);
    if (URL.canParse(text) && isBaseUrl(new URL(text))) return withoutSlash(new URL(text));
    environment.wrong('BASE_URL', 'an http or https URL without query, fragment or user');
    return withoutSlash(fallback);
  },
});

/** Proxies whose `X-Forwarded-For` is trusted: none, all, a number of hops, or addresses and ranges. */
const trustProxy = variable.of({
  name: 'TRUST_PROXY',
  meaning: {
    'zh-CN':
      '信任其 X-Forwarded-For 的代理：跳数，或以逗号分隔的地址、网段以及 `loopback`、`linklocal`、`uniquelocal`',
    en: 'proxies whose X-Forwarded-For is trusted: a number of hops, or addresses, ranges, `loopback`, `linklocal` and `uniquelocal`, comma-separated',
  },
  read: (environment): boolean | number | string[] => {
    const text = environment.text('TRUST_PROXY');
    if (text === undefined || text === 'off') return false;
    if (/^[1-9]\d?$/.test(text)) return Number(text);
    const names = text.split(',').map((part) => part.trim());
    if (names.every((part) => isNetwork(part) || Object.hasOwn(proxyNetworks, part))) return names;
    environment.wrong(
      'TRUST_PROXY',
      'a number of hops (1 to 99), or addresses and ranges without bits behind the prefix, comma-separated',
    );
    return false;
  },
});

/** Minimum number of bytes of a signing secret. */
const secretBytes = 32;

const jwtSecret = variable.secret(
  'JWT_SECRET',
  {
    'zh-CN': '至少 32 字节；未设置时取凭据中的 `jwt_secret`；非生产环境下自动生成一次并保留',
    en: 'at least 32 bytes; default: `jwt_secret` of the credentials, or outside production a generated one that is kept',
  },
  (given) => (Buffer.byteLength(given) < secretBytes ? `at least ${secretBytes} bytes` : undefined),
);

const defaultLocale: Locale = 'zh-CN';

/** Reads `en,de` behind `auto:`; undefined where a language is no tag, or comes twice. */
const declaredLanguages = (list: string): readonly Locale[] | undefined => {
  const tags = list.split(',').map((tag) => tag.trim());
  return tags.every(isLocale) && new Set(tags).size === tags.length ? tags : undefined;
};

const language = variable.of({
  name: 'LOCALE',
  fallback: 'zh-CN',
  meaning: {
    'zh-CN':
      '`zh-CN`、`en` 或 `locales` 中的语言：所有提示信息的语言；`auto`：由每个请求的 `Accept-Language` 选择，未选择时为 `zh-CN`；`auto:en,de`：在所列语言中选择，未选择时为第一种，见[语言](../guide/languages.zh-CN.md)；未设置时，除 `start` 和 `dev` 外的命令用英文报告问题',
    en: '`zh-CN`, `en`, or a language in `locales`: language of all messages. `auto`: each request chooses by `Accept-Language`, `zh-CN` where it does not. `auto:en,de`: it chooses among these, the first where it does not. If unset, commands other than `start` and `dev` use English',
  },
  read: (environment): LanguageSetting => {
    const text = environment.text('LOCALE') ?? defaultLocale;
    if (text === 'auto') return { locale: defaultLocale, negotiated: true };
    if (text.startsWith('auto:')) {
      const declared = declaredLanguages(text.slice('auto:'.length));
      const [first] = declared ?? [];
      if (first !== undefined) return { locale: first, negotiated: true, declared };
      environment.wrong('LOCALE', 'auto: and different language tags, such as auto:en,de');
      return { locale: defaultLocale, negotiated: true };
    }
    // The application may have a catalogue of it, which is not known yet.
    if (!isLocale(text))
      environment.wrong('LOCALE', `${locales.join(', ')}, auto or the language of a catalogue`);
    return { locale: text, negotiated: false };
  },
  shown: ({ locale, negotiated, declared }) => {
    if (!negotiated) return locale;
    return declared === undefined ? 'auto' : `auto:${declared.join(',')}`;
  },
});

/** Milliseconds from which a statement is logged as slow; Infinity for none. */
const slowQuery = variable.of({
  name: 'SLOW_QUERY',
  fallback: '200',
  meaning: {
    'zh-CN': '记录耗时超过该毫秒数的语句（不含值）；0 至 3,600,000，或 `off`',
    en: 'threshold in milliseconds for logging slow statements, without values; 0 to 3,600,000, or `off`',
  },
  read: (environment) =>
    environment.text('SLOW_QUERY') === 'off'
      ? Number.POSITIVE_INFINITY
      : readInteger(environment, 'SLOW_QUERY', 200, 0, 3_600_000),
  shown: (milliseconds) => (milliseconds === Number.POSITIVE_INFINITY ? 'off' : milliseconds),
});

/** Exact origins; empty: CORS is off. */
const corsOrigins = variable.of({
  name: 'CORS_ORIGINS',
  meaning: {
    'zh-CN': '允许的来源（精确匹配），以逗号分隔；未设置则关闭 CORS',
    en: 'exact origins, comma-separated; if unset, CORS is off',
  },
  read: (environment): readonly string[] => {
    const parts = (environment.text('CORS_ORIGINS') ?? '').split(',').map((part) => part.trim());
    const origins = parts.filter((part) => part !== '');
    const bad = origins.filter((origin) => !URL.canParse(origin) || new URL(origin).origin !== origin);
    if (bad.length > 0)
      environment.wrong('CORS_ORIGINS', `origins such as https://app.example.com, not ${bad.join(', ')}`);
    return Object.freeze(origins);
  },
});

const bodyLimit = variable.integer('BODY_LIMIT', 1_048_576, [1024, 104_857_600], {
  'zh-CN': '请求体的最大字节数，1,024 至 104,857,600',
  en: 'largest request body in bytes, 1,024 to 104,857,600',
});

const bodyMemory = variable.of({
  name: 'BODY_MEMORY',
  fallback: '67108864',
  meaning: {
    'zh-CN': '同一时刻占用的全部请求体的字节数，至少为 BODY_LIMIT 的四倍；超出时返回 503',
    en: 'maximum total size of request bodies in memory, in bytes, at least four times BODY_LIMIT; 503 beyond it',
  },
  read: (environment) => {
    // Anonymous callers share half of the memory: one of their bodies must fit even while another is held.
    const least = 4 * environment.value(bodyLimit);
    return readInteger(environment, 'BODY_MEMORY', Math.max(67_108_864, least), least, 1e12);
  },
});

/** The rows by their member of `Config`, in the order of the reference. */
export const variableRows = {
  production: variable.of({
    name: 'NODE_ENV',
    meaning: {
      'zh-CN': '`production`：要求提供全部密钥，且不打印任何密钥',
      en: '`production` requires all secrets and never prints them',
    },
    read: (environment) => environment.text('NODE_ENV') === 'production',
    shown: (isProduction) => (isProduction ? 'production' : null),
  }),
  port,
  host,
  workers,
  metricsPort,
  metricsToken,
  baseUrl,
  trustProxy,
  filesUrl,
  dataDir,
  databaseUrl,
  databaseReadUrl,
  databasePool: variable.integer('DATABASE_POOL', 10, [1, 200], {
    'zh-CN': 'PostgreSQL 连接数，1 至 200',
    en: 'connections to PostgreSQL, 1 to 200',
  }),
  databasePrepare: variable.onOff('DATABASE_PREPARE', {
    'zh-CN': '经事务模式的连接池连接时设为 `off`：不使用预处理语句',
    en: '`off` behind a connection pooler in transaction mode: no prepared statements',
  }),
  databaseWait: variable.integer('DATABASE_WAIT', 60, [0, 3_600], {
    'zh-CN': '启动时等待无法连接的 PostgreSQL 的秒数，0 至 3,600；0 表示立即失败',
    en: 'seconds to wait at start for an unreachable PostgreSQL, 0 to 3,600; 0 fails immediately',
  }),
  jwtSecret,
  credentialsFile: variable.path('CREDENTIALS_FILE', 'config/credentials.age', {
    'zh-CN': '加密的凭据文件（age）',
    en: 'the encrypted credentials (age)',
  }),
  credentialsKeyFile: variable.path('CREDENTIALS_KEY_FILE', 'config/credentials.key', {
    'zh-CN': '打开凭据文件所用的 age 私钥（identity）文件',
    en: 'the age identity (private key) that decrypts the credentials',
  }),
  credentialsKey: variable.secret('CREDENTIALS_KEY', {
    'zh-CN': 'age 私钥本身，代替上述文件',
    en: 'the age identity itself, instead of the file',
  }),
  adminUsername: variable.text('ADMIN_USERNAME', 'admin', {
    'zh-CN': '首个 super_admin 的用户名，在没有任何用户时创建',
    en: 'username of the first super_admin, created if there are no users',
  }),
  adminEmail: variable.text('ADMIN_EMAIL', 'admin@example.com', {
    'zh-CN': '首个 super_admin 的邮箱',
    en: 'email address of the first super_admin',
  }),
  adminPassword: variable.secret('ADMIN_PASSWORD', {
    'zh-CN': '首个 super_admin 的密码；未设置时自动生成，只打印一次；生产环境下必须设置',
    en: 'password of the first super_admin; required in production, otherwise generated and printed once if unset',
  }),
  adminSecondFactor: variable.choice('ADMIN_SECOND_FACTOR', 'optional', ['optional', 'required'], {
    'zh-CN': '`optional` 或 `required`：是否每位管理员都须先设置两步验证，才能使用管理后台',
    en: '`required`: every administrator must set up two-step verification; else `optional`',
  }),
  language,
  logLevel: variable.choice('LOG_LEVEL', 'info', logLevels, {
    'zh-CN': `日志级别：${logLevels.join('、')}`,
    en: logLevels.join(', '),
  }),
  slowQuery,
  corsOrigins,
  bodyLimit,
  bodyMemory,
  maxConnections: variable.integer('MAX_CONNECTIONS', 10_000, [10, 1_000_000], {
    'zh-CN': '同一时刻打开的连接数，10 至 1,000,000',
    en: 'maximum number of open connections, 10 to 1,000,000',
  }),
  apiDocs: variable.onOff('API_DOCS', {
    'zh-CN': '`on` 或 `off`：文档页面和接口描述',
    en: '`on` or `off`: the documentation page and the API description',
  }),
  drain: variable.integer('DRAIN', 1, [0, 3_600], {
    'zh-CN': '收到 SIGTERM 后的秒数（0 至 3,600）：其间 `?ready` 为 503，每个响应都关闭其连接',
    en: 'seconds after SIGTERM during which `?ready` returns 503 and every response closes its connection (0 to 3,600)',
  }),
  handlerTimeout: variable.integer('HANDLER_TIMEOUT', 30, [1, 3_600], {
    'zh-CN': '自定义钩子或接口的最长处理秒数（1 至 3,600），超时返回 503',
    en: 'maximum seconds for a hook or a custom endpoint before the request returns 503 (1 to 3,600)',
  }),
  transactionTimeout: variable.integer('TRANSACTION_TIMEOUT', 5, [1, 60], {
    'zh-CN': '自定义代码中一个事务的最长秒数（1 至 60），超时回滚并返回 503',
    en: 'maximum seconds for a transaction of the application before it is rolled back and the request returns 503 (1 to 60)',
  }),
  jobs: variable.choice('JOBS', 'on', ['on', 'off', 'only'], {
    'zh-CN':
      '`on`：接口与任务都运行；`off`：此进程不运行任务（仍会存储）；`only`：只运行任务，除健康检查外不响应',
    en: '`on`: runs jobs alongside the API; `off`: stores jobs but runs none here; `only`: runs jobs and serves only the health check',
  }),
  jobsConcurrency: variable.integer('JOBS_CONCURRENCY', 5, [1, 1_000], {
    'zh-CN': '此进程同时运行的应用任务数，1 至 1,000；服务自身的任务各有同样多的位置',
    en: 'maximum number of application jobs that this process runs concurrently, 1 to 1,000; jobs of the service have as many places each',
  }),
  trashDays: variable.integer('TRASH_DAYS', 30, [1, 36_500], {
    'zh-CN': '模型启用回收站时，已删除的记录可恢复的天数，1 至 36,500',
    en: 'days during which a record deleted from a model with `trash` can be restored, 1 to 36,500',
  }),
  historyDays: variable.integer('HISTORY_DAYS', undefined, [1, 36_500], {
    'zh-CN': '记录的历史版本在多少天后删除，1 至 36,500；未设置则一直保留',
    en: 'days after which older versions of records are removed, 1 to 36,500; if unset, all are kept',
  }),
  webhookPrivate: variable.flag('WEBHOOK_PRIVATE', {
    'zh-CN': '`1` 允许 Webhook 指向私有地址并使用 http；否则只允许公网地址的 https',
    en: '`1` allows webhooks to private addresses and over http; otherwise only https to public addresses',
  }),
  migrate: variable.choice('MIGRATE', 'start', ['start', 'off'], {
    'zh-CN': '`start`：启动时在锁内执行待执行的迁移；`off`：有待执行的迁移时拒绝启动',
    en: '`start` applies pending migrations under a lock; `off` refuses to start when some are pending',
  }),
  newDatabase: variable.flag('NEW_DATABASE', {
    'zh-CN': '`1`：`DATA_DIR` 曾有的数据库已不在时新建空数据库；否则拒绝启动',
    en: '`1` creates a new, empty database where the one in `DATA_DIR` is gone; otherwise the service does not start',
  }),
};

type VariableValue<Row> = Row extends Variable<infer Value> ? Value : never;

/** The values of the variables by member. */
export type VariableValues = {
  readonly [Member in keyof typeof variableRows]: VariableValue<(typeof variableRows)[Member]>;
};

export const variables: readonly Variable[] = Object.values(variableRows);
