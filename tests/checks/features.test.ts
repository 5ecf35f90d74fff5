import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { interfacesIn, membersOf } from '../../scripts/reference-types.ts';
import { apiMethodNames } from '../../src/auth/registry.ts';
import { registry } from '../../src/cli/registry.ts';
import { fieldKinds } from '../../src/fields/registry.ts';

/**
 * Each feature of the source has a row with the pages that tell of it. A new one fails here until its row names its
 * pages, also those that said before that there is no such thing.
 */

const root = new URL('../../', import.meta.url);
const membersIn = (file: string, name: string): readonly string[] =>
  membersOf(interfacesIn([file]), name).map((member) => member.name);

const features: readonly string[] = [
  ...membersIn('app/application.ts', 'ApplicationConfig').map((name) => `setting ${name}`),
  ...membersIn('model/definition.ts', 'ResourceDefinition').map((name) => `option ${name}`),
  ...[...registry.keys()].map((name) => `command ${name}`),
  ...apiMethodNames.map((name) => `method ${name}`),
  ...fieldKinds.map((name) => `field ${name}`),
];

/** A page without its ending, its words in English, and those of its translation where these differ. */
type Mention = readonly [page: string, english: string, chinese?: string];

type Row = readonly [features: string, ...pages: readonly Mention[]];

const guide = 'docs/guide/';
const reference = 'docs/reference/';

/** Features of one topic, joined by commas, and the pages that must name them. */
const rows: readonly Row[] = [
  [
    'setting name, setting environment, setting colour',
    [`${guide}administration`, '`environment`'],
    [`${reference}configuration`, '`colour`'],
  ],
  // Accounts
  [
    'setting providers',
    ['README', 'OpenID Connect'],
    ['SECURITY', 'provider', '身份提供方'],
    [`${guide}providers`, 'providers: {'],
    [`${guide}security-model`, 'provider', '提供方'],
    [`${guide}comparison`, 'OpenID Connect'],
    ['docs/evidence/asvs', 'OpenID Connect'],
    ['docs/evidence/advisories', 'provider'],
  ],
  [
    'setting serviceTables',
    [`${reference}configuration`, '`serviceTables`'],
    [`${guide}existing-tables`, "serviceTables: 'gatewright_'"],
  ],
  [
    'setting sessions',
    [`${reference}accounts`, 'sessions: {'],
    [`${reference}client`, '`remember: true`'],
    [`${guide}authentication`, 'long-sign-ins', '长期登录'],
    [`${guide}security-model`, 'long sign-in', '长期登录'],
  ],
  [
    'setting mail, setting registration',
    ['README', 'registration', '注册'],
    ['SECURITY', 'mail', '邮件'],
    [`${guide}accounts`, 'registration: {'],
    [`${guide}security-model`, 'mailbox', '邮箱'],
    ['docs/evidence/advisories', 'mail'],
  ],
  [
    'setting accounts',
    [`${guide}erasure`, 'accounts: {'],
    [`${guide}accounts`, 'accounts: { home:'],
    [`${reference}accounts`, '`accounts.pages`'],
    [`${reference}providers`, '`accounts.home`'],
  ],
  [
    'command user create, command user import, command user set-password, command user reset-factor',
    [`${reference}accounts`, 'user import'],
    [`${guide}accounts`, 'user set-password'],
    [`${reference}troubleshooting`, 'user set-password'],
    [`${reference}troubleshooting`, 'user reset-factor'],
    [`${guide}administration`, 'user reset-factor'],
    [`${guide}authentication`, 'user create'],
  ],
  // Credentials
  [
    'method jwt, method bearer',
    [`${guide}authentication`, 'token for 24 hours', '有效期 24 小时的令牌'],
    [`${guide}security-model`, 'token', '令牌'],
  ],
  [
    'method api_key, command key create, command key rotate, command scan',
    ['README', 'API keys', 'API 密钥'],
    ['SECURITY', 'API key', 'API 密钥'],
    [`${guide}keys`, 'key rotate'],
    [`${guide}keys`, 'gatewright scan'],
    [`${guide}coming-from`, 'scopes', '权限范围'],
    [`${guide}administration`, 'gatewright scan'],
  ],
  [
    'method signature, setting onPayment, command sign',
    ['README', 'request signatures', '请求签名'],
    [`${guide}signing`, 'onPayment'],
    [`${guide}authentication`, 'X-Signature'],
    [`${reference}troubleshooting`, 'gatewright sign'],
  ],
  [
    'method http_signature',
    ['README', 'RFC 9421'],
    [`${guide}http-signatures`, 'http_signature'],
    [`${guide}signing`, 'http-signatures', 'http-signatures'],
    [`${reference}resource`, 'http_signature'],
  ],
  [
    'command app create, command app rotate, command app list, command app remove',
    [`${guide}authentication`, 'app rotate'],
    [`${guide}authentication`, 'app list'],
    [`${guide}signing`, 'app create'],
  ],
  [
    'command credentials edit, command credentials set, command credentials rekey',
    [`${guide}production`, 'credentials rekey'],
    [`${guide}production`, 'credentials set'],
    [`${guide}production`, 'credentials edit'],
  ],
  [
    'setting limits',
    ['README', 'per caller, tenant, network or key', '按调用者、租户、网络或密钥'],
    [`${guide}rate-limits`, 'limits: {'],
    [`${guide}rate-limits`, "per: 'clinic'"],
    [`${reference}rate-limits`, "per: 'clinic'"],
    [`${reference}configuration`, 'limits'],
  ],
  // Models
  ['option key', [`${guide}existing-tables`, "key: 'uuid'"], [`${reference}resource`, '`key`']],
  [
    'option table',
    [`${guide}existing-tables`, "table: { name: 'order_heads'"],
    [`${reference}resource`, '`table`'],
  ],
  [
    'option fields, option label, option pluralLabel, option icon, option menu, option display, option plural, option singular',
    [`${reference}fields`, '`menu`'],
    [`${guide}modelling`, 'plural:'],
    [`${reference}resource`, '`pluralLabel`'],
    [`${guide}administration`, 'display'],
    [`${guide}languages`, 'label'],
  ],
  [
    'option views, option permissions, option isolation, option ownership, option restricted, option publicRead, option auth',
    ['README', 'rules for rows', '行级规则'],
    [`${guide}modelling`, 'publicRead'],
    [`${guide}modelling`, 'restricted'],
    [`${guide}permissions`, 'isolation'],
    [`${guide}teams`, 'isolation'],
    [`${guide}security-model`, 'isolation'],
    [`${reference}conditions`, 'isolation'],
  ],
  [
    'option relations',
    [`${guide}relations`, 'many('],
    [`${guide}modelling-recipes`, 'many-to-many', '多对多'],
    [`${reference}relations`, 'through'],
  ],
  [
    'option history',
    [`${guide}modelling`, 'history: true'],
    [`${guide}erasure`, 'history', '历史'],
    [`${reference}history`, 'history: true'],
  ],
  [
    'option events',
    ['README', 'webhooks', 'Webhook'],
    [`${guide}events`, 'events: true'],
    [`${guide}webhooks`, 'events: true'],
    [`${guide}erasure`, 'events', '事件'],
    [`${reference}events`, 'events: true'],
  ],
  [
    'option trash, option manage',
    ['README', 'trash', '回收站'],
    [`${guide}data`, 'trash', '回收站'],
    [`${guide}teams`, 'manage'],
    [`${guide}erasure`, 'trash', '回收站'],
    [`${reference}trash`, 'soft delete', '软删除'],
  ],
  [
    'option hooks, option problems',
    [`${guide}transactions`, 'beforeCommit'],
    [`${guide}code`, 'problems'],
    [`${guide}modelling-recipes`, 'custom validation', '自定义校验'],
  ],
  [
    'option indexes, option unique',
    [`${guide}modelling`, 'unique: true'],
    [`${guide}teams`, 'indexes', '索引'],
  ],
  [
    'option search',
    ['README', 'search', '搜索'],
    [`${guide}search`, 'search: ['],
    [`${guide}modelling`, 'search'],
    [`${reference}list-parameters`, 'full-text search', '全文检索'],
  ],
  [
    'field string, field text, field integer, field number, field decimal, field boolean, field date, field datetime, field time, field enum, field json, field email, field url, field uuid, field reference, field sequence',
    [`${guide}modelling`, 'field.sequence'],
    [`${guide}modelling`, 'decimal'],
    [`${reference}fields`, 'field.uuid'],
    [`${guide}modelling-recipes`, 'field.json'],
  ],
  // Working with an application
  [
    'command init, command dev, command start',
    ['README', 'gatewright'],
    [`${guide}quick-start`, 'gatewright init'],
    [`${guide}quick-start`, 'gatewright dev'],
    [`${guide}production`, 'gatewright start'],
    [`${guide}assistants`, 'gatewright dev --mcp'],
  ],
  ['command options', [`${guide}assistants`, 'gatewright options']],
  [
    'command generate resource, command generate migration, command migrate',
    [`${guide}modelling`, 'generate migration'],
    [`${guide}modelling`, 'generate resource'],
    [`${guide}upgrading`, 'gatewright migrate'],
    [`${reference}migrations`, 'migrate --undo'],
  ],
  [
    'command adopt',
    [`${guide}adopt`, 'gatewright adopt'],
    [`${guide}existing-tables`, 'adopt.md', 'adopt.zh-CN.md'],
  ],
  [
    'command generate endpoint, command generate job, setting onStart, setting onStop',
    [`${guide}code`, 'generate endpoint'],
    [`${guide}jobs`, 'generate job'],
    [`${guide}code`, 'onStart'],
    [`${guide}production`, 'onStop'],
  ],
  [
    'command run, command console',
    [`${guide}code`, 'gatewright run'],
    [`${guide}code`, 'gatewright console'],
  ],
  [
    'command generate client, command openapi',
    [`${guide}client`, 'generate client'],
    [`${guide}python`, 'gatewright openapi'],
    [`${guide}upgrading`, 'gatewright openapi'],
  ],
  [
    'command import, command export',
    ['README', 'CSV'],
    [`${guide}data`, 'gatewright import'],
    [`${guide}data`, 'gatewright export'],
    [`${guide}existing-tables`, 'data.md', 'data.zh-CN.md'],
    [`${guide}administration`, 'import'],
  ],
  // Operation
  ['setting payment', [`${guide}signing`, 'payment', '支付'], [`${reference}configuration`, 'payment']],
  [
    'command access',
    [`${guide}policy-review`, 'gatewright access --lock'],
    [`${guide}assistants`, 'gatewright access --check'],
    [`${guide}security-model`, 'policy-review.md', 'policy-review.zh-CN.md'],
    [`${guide}permissions`, 'policy-review.md', 'policy-review.zh-CN.md'],
    [`${guide}production`, 'access --check'],
  ],
  [
    'command audit',
    [`${guide}modelling`, 'gatewright audit'],
    [`${guide}production`, 'audit --strict'],
    [`${guide}security-model`, 'audit --strict'],
  ],
  [
    'command backup, command restore, command move',
    ['README', 'backups', '备份'],
    [`${guide}databases`, 'gatewright backup'],
    [`${guide}databases`, 'gatewright restore'],
    [`${guide}databases`, 'gatewright move'],
    [`${reference}backup`, 'gatewright backup'],
  ],
  [
    'command forget',
    [`${guide}erasure`, 'gatewright forget'],
    [`${guide}security-model`, 'gatewright forget'],
    [`${reference}history`, 'gatewright forget'],
    [`${reference}events`, 'gatewright forget'],
    [`${reference}trash`, 'gatewright forget'],
  ],
];

const namedIn = (row: Row): readonly string[] => row[0].split(', ');

const read = (page: string): string => readFileSync(new URL(page, root), 'utf8');

/** The mentions that a page or its translation lacks. */
const missingIn = ([, ...pages]: Row): readonly string[] =>
  pages.flatMap(([page, english, chinese = english]) => {
    const translation = `${page}.zh-CN.md`;
    const missing = read(`${page}.md`).includes(english) ? [] : [`${page}.md: ${english}`];
    const isTranslated = existsSync(new URL(translation, root));
    return isTranslated && !read(translation).includes(chinese)
      ? [...missing, `${translation}: ${chinese}`]
      : missing;
  });

describe('features and their pages', () => {
  it('each feature of the source has one row, and each row has features of the source', () => {
    expect(features.length).toBeGreaterThan(80);
    expect(rows.flatMap(namedIn).toSorted()).toEqual(features.toSorted());
  });

  it.each(rows.map((row) => [row[0], row] as const))(
    'the pages that the row of %s lists mention it',
    (_, row) => {
      expect(row.length).toBeGreaterThan(1);
      expect(missingIn(row)).toEqual([]);
    },
  );
});

/** Words of other products, and the page that a reader who searches for them wants. */
const searched: readonly (readonly [page: string, english: string, chinese: string])[] = [
  ['modelling', 'CRUD', '增删改查'],
  ['modelling-recipes', 'many-to-many', '多对多'],
  ['modelling-recipes', 'computed', '计算字段'],
  ['modelling-recipes', 'custom validation', '自定义校验'],
  ['modelling-recipes', 'user profile', '用户资料'],
  ['permissions', 'RBAC', 'RBAC'],
  ['authentication', 'refresh token', '刷新令牌'],
  ['languages', 'i18n', 'i18n'],
  ['languages', 'localization', '本地化'],
  ['uploads', 'avatar', '头像'],
  ['databases', 'connection string', '连接串'],
  ['existing-tables', 'existing database', '已有数据库'],
  ['existing-tables', 'UUID', 'UUID'],
  ['adopt', 'introspection', '内省'],
  ['kubernetes', 'zero-downtime', '不停机'],
  ['upgrading', 'zero-downtime', '不停机'],
  ['erasure', 'GDPR', 'GDPR'],
  ['events', 'websocket', 'websocket'],
  ['providers', 'SSO', '单点登录'],
  ['teams', 'multi-tenancy', '多租户'],
  ['accounts', 'forgotten password', '忘记密码'],
];

describe('terms of readers', () => {
  const marks = { en: 'Terms you may know: ', 'zh-CN': '相关说法：' };
  /** The last paragraph of a page, which lists the words; undefined if it has none. */
  const termsOf = (page: string, mark: string): string | undefined => {
    const last = read(page).trimEnd().split('\n\n').at(-1) ?? '';
    return last.startsWith(mark) ? last.slice(mark.length) : undefined;
  };

  it.each(searched)('the last line of the page %s has the words "%s" and "%s"', (name, english, chinese) => {
    expect(termsOf(`${guide}${name}.md`, marks.en)).toContain(english);
    expect(termsOf(`${guide}${name}.zh-CN.md`, marks['zh-CN'])).toContain(chinese);
  });
});
