import { readFileSync } from 'node:fs';
import { variables } from '../src/app/variables.ts';
import type { ServiceLocale } from '../src/kernel/messages.ts';
import { optionsSchemaFile } from './options-schema.ts';
import { aggregatesPage } from './reference-aggregates.ts';
import { alertsPage } from './reference-alerts.ts';
import { unusedTranslations } from './reference-chinese.ts';
import { commandPage } from './reference-commands.ts';
import { errorsPage } from './reference-errors.ts';
import { fieldsPage } from './reference-fields.ts';
import { limitsPage } from './reference-limits.ts';
import { listPage } from './reference-list.ts';
import { logPage } from './reference-log.ts';
import { code, type PageWords, page, table } from './reference-markdown.ts';
import { resourcePage, scopePage } from './reference-resource.ts';
import { interfacesIn, membersOf, memberTable } from './reference-types.ts';
import { vectorsFile } from './reference-vectors.ts';

const configTypes: Readonly<Record<string, string>> = {
  limits: '{ [name]: RateLimit }',
  onPayment: 'function',
  providers: '{ [name]: oidc({ … }) }',
  sessions: '{ days }',
  onStart: 'function',
  onStop: 'function',
};

const manifest = new URL('../package.json', import.meta.url);

interface Words extends PageWords {
  readonly columns: readonly string[];
  readonly aboutCredentials: string;
  readonly aboutFile: string;
  readonly notes: readonly string[];
  readonly packages: string;
  readonly aboutPackages: string;
  readonly packageColumns: readonly string[];
  /** Settings that need packages, in the order of `packageNames`. */
  readonly settings: readonly string[];
}

const words: Readonly<Record<ServiceLocale, Words>> = {
  en: {
    title: 'Configuration',
    lead: 'The service reads these environment variables once, at start. If any are invalid, it does not start. An empty variable counts as unset.',
    columns: ['variable', 'default', 'meaning'],
    aboutCredentials:
      'Paths are relative to the current folder. The credentials are a standard [age](https://age-encryption.org) file with the secrets of applications, and optionally `jwt_secret`, `smtp_password` and `providers.NAME.client_secret`. A changed file is read again.',
    aboutFile: 'This optional file of the application exports `defineConfig({ … })` by default.',
    notes: [
      'A `RateLimit` has `max` requests in a `window` (`1m`), of which `burst` may come at once, for each `caller`, `network` or tenant (`per`): [Limit requests](../guide/rate-limits.md).',
      'See [Self-service accounts and mail](../guide/accounts.md), [Erase personal data](../guide/erasure.md), [Sign in with a provider](../guide/providers.md), and [Long sign-ins](../reference/accounts.md#long-sign-ins).',
    ],
    packages: 'Packages that the application installs',
    aboutPackages: 'Some settings need a package, without which the service does not start.',
    packageColumns: ['setting', 'command'],
    settings: [
      '`DATABASE_URL` of PostgreSQL',
      'metrics on `METRICS_PORT`',
      '`mail` with an SMTP server',
      '`providers`',
      'spans of OpenTelemetry, with an SDK',
      'the adapter for react-admin',
    ],
  },
  'zh-CN': {
    title: '配置',
    lead: '服务启动时读取一次环境变量。有错误时服务不会启动。空值等同于未设置。',
    columns: ['变量', '默认值', '含义'],
    aboutCredentials:
      '路径相对于当前目录。凭据文件是标准的 [age](https://age-encryption.org) 文件，保存各应用的密钥，也可以保存 `jwt_secret`、`smtp_password` 与 `providers.NAME.client_secret`；文件变化后会重新读取。',
    aboutFile: '应用的这个文件（可以省略）以默认导出给出 `defineConfig({ … })`。',
    notes: [
      '`RateLimit` 为每个 `window`（`1m`）内的 `max` 个请求，其中 `burst` 个可以同时到达，按每个 `caller`、每个 `network` 或每个租户（`per`）计算，见[限速](../guide/rate-limits.zh-CN.md)。',
      '另见[自助账号与邮件](../guide/accounts.zh-CN.md)、[删除个人数据](../guide/erasure.zh-CN.md)、[通过身份提供方登录](../guide/providers.zh-CN.md)与[长期登录](../reference/accounts.zh-CN.md#长期登录)。',
    ],
    packages: '由应用安装的包',
    aboutPackages: '部分设置需要应用另行安装包，缺少时服务不会启动。',
    packageColumns: ['设置', '命令'],
    settings: [
      'PostgreSQL 的 `DATABASE_URL`',
      '`METRICS_PORT` 上的指标',
      '使用 SMTP 服务器的 `mail`',
      '`providers`',
      '配合 SDK 的 OpenTelemetry 跨度',
      'react-admin 适配器',
    ],
  },
};

const packageNames: readonly (readonly string[])[] = [
  ['pg'],
  ['prom-client'],
  ['nodemailer'],
  ['openid-client', 'jose'],
  ['@opentelemetry/api'],
  ['ra-core'],
];

/** Settings that need packages, each with the command that installs these. */
const optionalPackages = ({ settings }: Words): string[][] => {
  const { peerDependencies } = JSON.parse(readFileSync(manifest, 'utf8')) as {
    peerDependencies: Readonly<Record<string, string>>;
  };
  return packageNames.map((names, at) => {
    const versions = names.map((name) => `${name}@${/\d+/.exec(peerDependencies[name] ?? '')}`);
    return [settings[at] ?? '', code(`npm install ${versions.join(' ')}`)];
  });
};

const configurationPage = (locale: ServiceLocale): string => {
  const text = words[locale];
  const members = membersOf(interfacesIn(['app/application.ts']), 'ApplicationConfig');
  return page(
    text.title,
    text.lead,
    [
      table(
        text.columns,
        variables.map(({ name, fallback, meaning }) => [code(name), code(fallback), meaning[locale]]),
      ),
      text.aboutCredentials,
      '## gatewright.config.ts',
      text.aboutFile,
      memberTable(members, configTypes, locale),
      ...text.notes,
      `## ${text.packages}`,
      text.aboutPackages,
      table(text.packageColumns, optionalPackages(text)),
    ].join('\n\n'),
  );
};

/** Pages that are written in both languages. */
const inBoth: Readonly<Record<string, (locale: ServiceLocale) => string | Promise<string>>> = {
  errors: errorsPage,
  configuration: configurationPage,
  resource: resourcePage,
  scope: scopePage,
  fields: fieldsPage,
  'command-line': commandPage,
  'list-parameters': listPage,
  aggregates: aggregatesPage,
  limits: limitsPage,
  alerts: alertsPage,
  log: logPage,
};

/** Files of docs/reference by their names. @throws Error for a translation whose text no page has any more */
export const referenceFiles = async (): Promise<ReadonlyMap<string, string>> => {
  const files = new Map<string, string>();
  for (const [name, write] of Object.entries(inBoth)) {
    files.set(`${name}.md`, await write('en'));
    files.set(`${name}.zh-CN.md`, await write('zh-CN'));
  }
  files.set('signature-vectors.json', vectorsFile());
  files.set('options.schema.json', optionsSchemaFile());
  const [unused] = unusedTranslations();
  if (unused !== undefined)
    throw new Error(`the translations of the reference (scripts) have what no page has: ${unused}`);
  return files;
};
