import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The top of the checkout; every path below is relative to it. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

export const languages = ['en', 'zh'] as const;

export type Language = (typeof languages)[number];

type Title = Readonly<Record<Language, string>>;

/** Pages under a heading of their own within a section. */
interface Group {
  readonly title: Title;
  readonly pages: readonly string[];
}

interface Section {
  readonly title: Title;
  /** English pages in the order in which to read them. */
  readonly pages: readonly string[];
  /** The headings that these pages stand under, where the section is long. */
  readonly groups?: readonly Group[] | undefined;
}

const guides = (...names: readonly string[]): readonly string[] =>
  names.map((name) => `docs/guide/${name}.md`);

const lessons = (...names: readonly string[]): readonly string[] =>
  names.map((name) => `docs/tutorial/${name}.md`);

const references = (...names: readonly string[]): readonly string[] =>
  names.map((name) => `docs/reference/${name}.md`);

/** The decisions that a buyer or contributor asks for; all others are only in the repository. */
const decisions: readonly string[] = [
  '0001-layers-and-libraries',
  '0002-credentials-age',
  '0003-own-hs256',
  '0004-drivers',
  '0012-scopes',
  '0013-jobs',
  '0014-row-rules',
  '0016-events',
  '0034-providers',
  '0038-search',
].map((name) => `docs/decisions/${name}.md`);

/** The pages for a new reader. */
const firstGroups: readonly Group[] = [
  {
    title: { en: 'First steps', zh: '第一步' },
    pages: ['README.md', ...guides('quick-start', 'README'), 'docs/reference/README.md'],
  },
  {
    title: { en: 'Tutorial', zh: '教程' },
    pages: [
      ...lessons('README', '1-first-request', '2-models', '3-staff', '4-checkout', '5-job', '6-tests'),
      ...lessons('7-webhook', '8-client', '9-production'),
    ],
  },
  {
    title: { en: 'Concepts and comparison', zh: '概念与比较' },
    pages: guides('concepts', 'comparison', 'coming-from'),
  },
];

/** The reference by what a reader works on. */
const referenceGroups: readonly Group[] = [
  {
    title: { en: 'Models', zh: '模型' },
    pages: references('resource', 'fields', 'conditions', 'relations', 'nested-writes', 'migrations'),
  },
  {
    title: { en: 'Accounts and access', zh: '账号与访问' },
    pages: references('accounts', 'two-step-verification', 'providers', 'api-keys', 'signatures'),
  },
  {
    title: { en: 'Requests', zh: '请求' },
    pages: [
      ...references('http', 'list-parameters', 'search', 'aggregates', 'batches', 'errors'),
      ...references('limits', 'rate-limits', 'troubleshooting', 'explain', 'import-export', 'languages'),
    ],
  },
  {
    title: { en: 'Code', zh: '代码' },
    pages: references('scope', 'endpoints', 'jobs', 'client', 'testing'),
  },
  {
    title: { en: 'History and events', zh: '历史与事件' },
    pages: references('history', 'trash', 'events', 'webhooks'),
  },
  {
    title: { en: 'Operation', zh: '运行' },
    pages: [
      ...references('configuration', 'command-line', 'administration', 'databases', 'upgrades'),
      ...references('processes', 'large-tables'),
      ...references('backup', 'move', 'damage', 'metrics', 'alerts', 'log', 'platforms'),
    ],
  },
];

/** The order of the sidebar, by kind: to learn from, to work by, to look up, to understand. */
export const sections: readonly Section[] = [
  {
    title: { en: 'Get started', zh: '入门' },
    pages: firstGroups.flatMap(({ pages }) => pages),
    groups: firstGroups,
  },
  {
    title: { en: 'Models and access', zh: '模型与权限' },
    pages: guides(
      'modelling',
      'modelling-recipes',
      'relations',
      'search',
      'permissions',
      'policy-review',
      'authentication',
      'accounts',
      'providers',
      'keys',
      'rate-limits',
      'teams',
      'clinics',
    ),
  },
  {
    title: { en: 'Your own code', zh: '编写代码' },
    pages: [
      ...guides('code', 'transactions', 'jobs', 'uploads', 'reports', 'languages', 'assistants'),
      'examples/shop/README.md',
      'examples/teams/README.md',
      'examples/clinic/README.md',
    ],
  },
  {
    title: { en: 'Clients and integration', zh: '客户端与集成' },
    pages: guides('client', 'python', 'signing', 'http-signatures', 'events', 'webhooks', 'data'),
  },
  {
    title: { en: 'Cookbook', zh: '实用手册' },
    pages: guides(
      'front-end',
      'forms',
      'seeding',
      'existing-tables',
      'adopt',
      'environments',
      'docker',
      'kubernetes',
      'embedding',
    ),
  },
  {
    title: { en: 'Run and administer', zh: '运行与管理' },
    pages: [
      ...guides('administration', 'production', 'databases', 'monitoring', 'scaling'),
      ...guides('upgrading', 'erasure'),
      'docs/deploy/README.md',
      'SECURITY.md',
      'CHANGELOG.md',
    ],
  },
  {
    title: { en: 'Reference', zh: '参考' },
    pages: referenceGroups.flatMap(({ pages }) => pages),
    groups: referenceGroups,
  },
  {
    title: { en: 'Explanation', zh: '原理' },
    pages: [...guides('security-model'), ...references('reliability')],
  },
  {
    title: { en: 'Decisions', zh: '设计决策' },
    pages: decisions,
  },
  {
    title: { en: 'Contributing', zh: '参与开发' },
    // What contributors read beside it is in the repository, where they work.
    pages: ['CONTRIBUTING.md', 'docs/contributing/speed.md'],
  },
];

/** Pages for auditors: in the site, but linked only from the page on security. */
export const evidence: readonly string[] = ['docs/evidence/advisories.md', 'docs/evidence/asvs.md'];

/** The Chinese translation of a page, whether or not there is one. */
const translationOf = (page: string): string => page.replace(/\.md$/, '.zh-CN.md');

/** The English page of which a page is the translation; the page itself where it is none. */
export const originalOf = (page: string): string => page.replace('.zh-CN.md', '.md');

/** The file with the text of a page in a language: English where there is no translation. */
export const sourceOf = (page: string, language: Language): string =>
  language === 'zh' && existsSync(join(root, translationOf(page))) ? translationOf(page) : page;

/** Every English page of the documentation. */
export const allPages: readonly string[] = [
  ...decisions,
  ...evidence,
  ...globSync(
    [
      '*.md',
      'docs/{guide,tutorial,reference,deploy}/**/*.md',
      'docs/contributing/speed.md',
      'examples/*/README.md',
    ],
    { cwd: root },
  ),
]
  .map((page) => page.replaceAll('\\', '/'))
  .filter((page) => originalOf(page) === page)
  .sort();

/** Where a page stands in the site, without the folder of its language. */
export const addressOf = (page: string): string =>
  page === 'README.md'
    ? 'overview.md'
    : page
        .replace(/^docs\//, '')
        .replace(/^[^/]+$/, (name) => name.toLowerCase())
        .replace(/\/README\.md$/, '/index.md');

/** The title of a page in a language. @throws Error for a page without one */
export const titleOf = (page: string, language: Language): string => {
  if (page === 'README.md') return { en: 'Overview', zh: '概览' }[language];
  const [, title] = /^# (.+)$/m.exec(readFileSync(join(root, sourceOf(page, language)), 'utf8')) ?? [];
  if (title === undefined) throw new Error(`${page} has no title`);
  return title.replaceAll('`', '').replace(/^0*(\d+)\.? /, '$1. ');
};

/** The path of a page in the browser, before the base of the site. */
const linkTo = (page: string, language: Language): string =>
  `${language === 'zh' ? '/zh' : ''}/${addressOf(page).replace(/(index)?\.md$/, '')}`;

/** Headings above more pages than this are folded, unless one of them is shown. */
const longest = { section: 15, group: 3 };

/** The pages of a section at the side of every page, under their headings where it has some. */
export const sidebarOf = (language: Language) => {
  const item = (page: string) => ({ text: titleOf(page, language), link: linkTo(page, language) });
  return sections.map(({ title, pages, groups }) => ({
    text: title[language],
    collapsed: groups === undefined && pages.length > longest.section,
    items:
      groups?.map((group) => ({
        text: group.title[language],
        collapsed: group.pages.length > longest.group,
        items: group.pages.map(item),
      })) ?? pages.map(item),
  }));
};

/** Every page of the sidebar, without its headings. */
export const linkedIn = (language: Language): readonly string[] =>
  sections.flatMap(({ pages }) => pages.map((page) => linkTo(page, language)));

/** The file of a page of the site, by its address: `zh/guide/keys.md`; undefined for pages made from other files. */
export const fileOf = (address: string): string | undefined => {
  const language: Language = address.startsWith('zh/') ? 'zh' : 'en';
  const page = allPages.find((each) => addressOf(each) === address.replace(/^zh\//, ''));
  return page && sourceOf(page, language);
};

/** What stands in the bar at the top. */
const bar: readonly { readonly title: Title; readonly page: string }[] = [
  { title: { en: 'Quick start', zh: '快速开始' }, page: 'docs/guide/quick-start.md' },
  { title: { en: 'Tutorial', zh: '教程' }, page: 'docs/tutorial/README.md' },
  { title: { en: 'Guides', zh: '指南' }, page: 'docs/guide/README.md' },
  { title: { en: 'Reference', zh: '参考' }, page: 'docs/reference/README.md' },
];

export const barOf = (language: Language) =>
  bar.map(({ title, page }) => ({ text: title[language], link: linkTo(page, language) }));

/** The name by which GitHub links to a heading, and the site as well. */
export const anchorOf = (heading: string): string =>
  heading
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
    .replaceAll(' ', '-');
