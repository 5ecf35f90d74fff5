import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { interfacesIn, membersOf } from '../../scripts/reference-types.ts';
import { variables } from '../../src/app/variables.ts';
import { apiMethodNames } from '../../src/auth/registry.ts';
import { registry } from '../../src/cli/registry.ts';
import { databaseUrlForms } from '../../src/database/targets.ts';

/** The README promises what exists, says what does not exist, and stays short. */

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

const english = read('README.md');
const chinese = read('README.zh-CN.md');

interface Manifest {
  readonly description: string;
  readonly keywords: readonly string[];
  readonly exports: Readonly<Record<string, unknown>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

const manifest: Manifest = JSON.parse(read('package.json'));

const options = membersOf(interfacesIn(['app/application.ts']), 'ApplicationConfig').map(({ name }) => name);

/** The places where the proof of a claim can be, and whether one of this name exists there. */
const places = {
  file: (name: string) => existsSync(join(root, name)),
  command: (name: string) => registry.has(name),
  variable: (name: string) => variables.some((each) => each.name === name),
  /** An option of `gatewright.config.ts`. */
  option: (name: string) => options.includes(name),
  /** A method of authentication. */
  method: (name: string) => apiMethodNames.some((each) => each === name),
  /** An entry of the package. */
  entry: (name: string) => Object.hasOwn(manifest.exports, name),
};

/** The words of a claim in both languages, and the place and name of its proof. */
type Claim = readonly [english: string, chinese: string, place: keyof typeof places, name: string];

interface Bullet {
  readonly title: readonly [english: string, chinese: string];
  readonly claims: readonly Claim[];
}

const resources = 'tests/contract/resources';

/** Every claim under “What you get”. A new bullet or word of the README needs its row here. */
const bullets: readonly Bullet[] = [
  {
    title: ['Access rules', '访问规则'],
    claims: [
      ['roles', '角色', 'file', 'src/accounts/roles.ts'],
      ['a permission table', '权限表', 'file', `${resources}/permissions.test.ts`],
      ['rules for rows', '行级规则', 'file', `${resources}/row-rules.test.ts`],
      ['rules for fields', '字段级规则', 'file', `${resources}/restricted-unless.test.ts`],
      ['lists', '列表', 'file', `${resources}/row-rules-oracle.test.ts`],
      ['totals', '总数', 'file', 'src/records/list/masked-totals.test.ts'],
      ['related records', '关联记录', 'file', 'tests/contract/relations/relations-oracle.test.ts'],
      ['search', '搜索', 'file', `${resources}/full-text-search.test.ts`],
      ['history', '历史', 'file', 'tests/contract/history.test.ts'],
      ['events', '事件', 'file', 'tests/contract/changes.test.ts'],
      ['exports', '导出', 'file', 'tests/contract/csv.test.ts'],
      [
        'The administration area explains why a request is allowed or denied',
        '管理后台能解释请求为何被允许或拒绝',
        'file',
        `${resources}/explain.test.ts`,
      ],
    ],
  },
  {
    title: ['Credentials', '凭据'],
    claims: [
      ['tokens', '令牌', 'method', 'jwt'],
      ['API keys', 'API 密钥', 'method', 'api_key'],
      ['scopes', '权限范围', 'file', 'tests/contract/key-scopes.test.ts'],
      ['networks', '网络限制', 'file', 'tests/contract/key-scopes.test.ts'],
      ['rotation', '可轮换', 'command', 'key rotate'],
      ['service accounts', '服务账号', 'file', 'tests/contract/service-accounts.test.ts'],
      ['request signatures', '请求签名', 'method', 'signature'],
      ['HMAC', 'HMAC', 'command', 'sign'],
      ['RFC 9421', 'RFC 9421', 'method', 'http_signature'],
    ],
  },
  {
    title: ['Accounts', '账号'],
    claims: [
      ['sign-in with OpenID Connect', 'OpenID Connect 登录', 'option', 'providers'],
      ['mail', '邮件', 'option', 'mail'],
      ['registration', '自助注册', 'option', 'registration'],
      ['invitations', '邀请', 'file', 'tests/contract/invitations.test.ts'],
      ['password resets', '密码重置', 'file', 'tests/contract/account-links.test.ts'],
      ['a second factor for administrators', '管理员的两步验证', 'variable', 'ADMIN_SECOND_FACTOR'],
      ['authenticator app', '验证器应用', 'file', 'tests/contract/second-factor.test.ts'],
      ['passkey', '通行密钥', 'file', 'tests/contract/passkeys.test.ts'],
    ],
  },
  {
    title: ['Limits', '限制'],
    claims: [
      [
        'requests per caller, tenant, network or key',
        '按调用者、租户、网络或密钥限制请求频率',
        'option',
        'limits',
      ],
      ['monthly quotas', '每月配额', 'file', 'tests/contract/limits.test.ts'],
      ['size of bodies', '请求体大小', 'variable', 'BODY_LIMIT'],
      ['number of connections', '连接数', 'variable', 'MAX_CONNECTIONS'],
    ],
  },
  {
    title: ['Queries', '查询'],
    claims: [
      ['filters', '筛选', 'file', 'src/records/list/filters.test.ts'],
      ['sorting', '排序', 'file', 'src/records/list/sort.ts'],
      ['cursors', '游标', 'file', 'src/records/list/cursor.test.ts'],
      [
        'related records in one request',
        '一次请求读取关联记录',
        'file',
        'tests/contract/relations/include.test.ts',
      ],
      ['aggregates', '汇总', 'file', `${resources}/aggregate.test.ts`],
      ['full-text search', '全文搜索', 'file', `${resources}/full-text-search.test.ts`],
      [
        '[UUIDs as ids](docs/guide/existing-tables.md)',
        '[UUID 作为 id](docs/guide/existing-tables.zh-CN.md)',
        'file',
        'src/fields/keys/uuid.ts',
      ],
    ],
  },
  {
    title: ['Your own code', '自己的代码'],
    claims: [
      ['endpoints', '接口', 'command', 'generate endpoint'],
      ['hooks', '钩子', 'file', `${resources}/hooks.test.ts`],
      ['transactions', '事务', 'variable', 'TRANSACTION_TIMEOUT'],
      ['background jobs', '后台任务', 'command', 'generate job'],
      ['schedules', '定时任务', 'file', 'src/delivery/jobs/schedules/schedules.ts'],
      ['signed webhooks', '带签名的 Webhook', 'file', 'tests/contract/webhooks.test.ts'],
      ['files of records', '记录的文件', 'file', 'tests/contract/files/files.test.ts'],
      ['a stream of changes', '变更流', 'file', 'tests/contract/changes.test.ts'],
    ],
  },
  {
    title: ['Front ends', '前端'],
    claims: [
      ['OpenAPI 3.1', 'OpenAPI 3.1', 'command', 'openapi'],
      ['metadata for forms', '表单元数据', 'file', 'tests/contract/meta.test.ts'],
      ['a typed client', '类型化客户端', 'entry', './client'],
      ['an adapter for react-admin', 'react-admin 适配器', 'entry', './react-admin'],
    ],
  },
  {
    title: ['Operation', '运维'],
    claims: [
      ['SQLite', 'SQLite', 'file', 'src/database/sqlite/dialect.ts'],
      ['PostgreSQL 15 and newer', 'PostgreSQL 15 及更高版本', 'file', 'src/database/postgres/dialect.ts'],
      ['several instances', '多个实例', 'file', 'tests/contract/instances.test.ts'],
      ['migrations', '迁移', 'command', 'generate migration'],
      ['backups', '备份', 'command', 'backup'],
      ['history', '历史', 'variable', 'HISTORY_DAYS'],
      ['trash', '回收站', 'variable', 'TRASH_DAYS'],
      ['CSV import', 'CSV 导入', 'command', 'import'],
      ['an audit log', '审计日志', 'file', 'src/ledger/audit.ts'],
      ['Prometheus metrics', 'Prometheus 指标', 'variable', 'METRICS_PORT'],
    ],
  },
];

/** Features that the README denies, in both languages; true while there are none. */
const missing: readonly (readonly [english: string, chinese: string, isMissing: boolean])[] = [
  ['keys of several columns', '多列主键', !/readonly key\?:[^;]*\[\]/.test(read('src/model/definition.ts'))],
  ['GraphQL', 'GraphQL', !Object.hasOwn(manifest.dependencies, 'graphql')],
  ['MySQL', 'MySQL', !/mysql/i.test(databaseUrlForms)],
];

const inOneLine = (text: string): string => text.replaceAll('\n', ' ');

/** Text without code blocks. */
const proseOf = (text: string): string => text.replaceAll(/^```.*?^```$/gms, '');

const sectionOf = (text: string, title: string): string =>
  proseOf(text).split(`\n## ${title}\n`)[1]?.split('\n## ')[0] ?? '';

/** Items of a list, each in one line without its dash. */
const itemsOf = (section: string): readonly string[] =>
  [...section.matchAll(/^- (.*(?:\n {2}.*)*)/gm)].map(([, item = '']) => item.replaceAll(/\n {2}/g, ' '));

const features = [
  itemsOf(sectionOf(english, 'What you get')),
  itemsOf(sectionOf(chinese, '主要功能')),
] as const;

/** Words between claims. */
const joining = [
  /^(?:a|an|and|or|with|in|They|hold)$/,
  /^(?:与|或|和|的|在|上|对|同样|有效|运行|带|且)$/u,
] as const;

const wordsOf = (text: string, language: string): readonly string[] =>
  [...new Intl.Segmenter(language, { granularity: 'word' }).segment(text)]
    .filter(({ isWordLike }) => isWordLike)
    .map(({ segment }) => segment);

/** Words of an item that belong to none of its claims. */
const unclaimed = (item: string, { title, claims }: Bullet, language: 0 | 1): readonly string[] => {
  const longestFirst = claims
    .map((claim) => claim[language])
    .toSorted((one, other) => other.length - one.length);
  const rest = [title[language], ...longestFirst].reduce((text, claim) => text.replace(claim, ' '), item);
  return wordsOf(rest, language === 0 ? 'en' : 'zh').filter((word) => !joining[language].test(word));
};

interface LockedPackage {
  readonly license?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

const locked: Readonly<Record<string, LockedPackage>> = JSON.parse(read('package-lock.json')).packages;

/** The place of a package that another one imports: the nearest `node_modules` above that has it. */
const lockedPlace = (name: string, from: string): string | undefined => {
  const own = `${from === '' ? '' : `${from}/`}node_modules/${name}`;
  if (Object.hasOwn(locked, own)) return own;
  return from === ''
    ? undefined
    : lockedPlace(name, from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/'))));
};

/** Places of packages with everything that they depend on. */
const reachOf = (names: readonly string[], from = '', found = new Set<string>()): ReadonlySet<string> => {
  for (const name of names) {
    const place = lockedPlace(name, from);
    if (place === undefined || found.has(place)) continue;
    found.add(place);
    reachOf(Object.keys(locked[place]?.dependencies ?? {}), place, found);
  }
  return found;
};

/** Packages that run with the service, are bundled with it or its pages, or are optional. */
const shipped = (): readonly string[] => {
  const pages = globSync('admin/src/**/*.{ts,tsx}', { cwd: root }).flatMap((file) =>
    [...read(file).matchAll(/ from '((?:@[\w-]+\/)?[a-z][\w-]*)/g)].map(([, name = '']) => name),
  );
  const bundled: readonly string[] = JSON.parse(read('scripts/bundled-packages.json'));
  const { dependencies, optionalDependencies, peerDependencies } = manifest;
  const named = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies });
  return [...reachOf([...named, ...bundled, ...pages])];
};

const licencesIn = (text: string, list: RegExp): readonly string[] =>
  (list.exec(inOneLine(text))?.[1] ?? '').split(/, |、| and | 与 /).map((name) => name.trim());

describe.each([
  ['README.md', english, 'en', 'Documentation'],
  ['README.zh-CN.md', chinese, 'zh', '文档'],
])('%s', (_name, text, language, links) => {
  it('the README has at most 600 words without code, and 110 lines', () => {
    expect(wordsOf(proseOf(text).replaceAll(/\]\([^)]*\)/g, ']'), language).length).toBeLessThanOrEqual(600);
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(110);
  });

  it('the README ends with five links', () => {
    const items = itemsOf(sectionOf(text, links));
    expect(items.map((item) => item.match(/\]\(/g)?.length)).toEqual([1, 1, 1, 1, 1]);
  });
});

describe('claims of the README', () => {
  it('the README has eight bullets, the same in both languages', () => {
    for (const language of [0, 1] as const)
      expect(features[language].map((item) => /^\*\*(.*?)\*\*/.exec(item)?.[1])).toEqual(
        bullets.map(({ title }) => title[language]),
      );
    expect(bullets).toHaveLength(8);
  });

  it.each(bullets.map((bullet, at) => [bullet.title[0], bullet, at] as const))(
    'each claim under “%s” has a proof that exists, and no word is without one',
    (_title, bullet, at) => {
      for (const language of [0, 1] as const) {
        const item = features[language][at] ?? '';
        expect(
          bullet.claims.map((claim) => claim[language]).filter((claim) => !item.includes(claim)),
        ).toEqual([]);
        expect(unclaimed(item, bullet, language)).toEqual([]);
      }
      expect(bullet.claims.filter(([, , place, name]) => !places[place](name))).toEqual([]);
    },
  );

  it('the check finds a claim without a proof', () => {
    const [first] = bullets;
    const item = features[0][0] ?? '';
    expect(first && unclaimed(`${item} Time travel.`, first, 0)).toEqual(['Time', 'travel']);
    expect(places.command('time-travel')).toBe(false);
  });

  it('features that the README denies do not exist', () => {
    expect(missing.filter(([name]) => !inOneLine(english).includes(name))).toEqual([]);
    expect(missing.filter(([, name]) => !chinese.includes(name))).toEqual([]);
    expect(missing.filter(([, , isMissing]) => !isMissing).map(([name]) => name)).toEqual([]);
  });

  it('the README names the licences of all packages that are shipped, bundled or optional', () => {
    const found = new Set(shipped().map((place) => locked[place]?.license ?? `${place}: none`));
    const expected = [...found].toSorted();
    expect(licencesIn(english, /have the licences (.*?), its two fonts OFL-1\.1/).toSorted()).toEqual(
      expected,
    );
    expect(licencesIn(chinese, /的许可证为 (.*?)，所带的两种字体为 OFL-1\.1/).toSorted()).toEqual(expected);
    expect(read('docs-page/OFL.txt')).toContain('SIL Open Font License, Version 1.1');
  });

  it('the README and package.json describe the package in the same words', () => {
    const said = inOneLine(english);
    const [, what = '', gives = ''] =
      /^Self-hosted (.*?): a few lines (.*)$/.exec(manifest.description) ?? [];
    expect(said).toContain(`Gatewright is a self-hosted ${what}. A few lines ${gives}.`);
    const words = said.toLowerCase().replaceAll('-', ' ');
    const unsaid = manifest.keywords.filter((keyword) => !words.includes(keyword.replaceAll('-', ' ')));
    expect(unsaid).toEqual([]);
  });
});
