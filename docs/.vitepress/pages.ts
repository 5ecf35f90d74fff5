import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The top of the checkout; every path below is relative to it. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

export const languages = ['en', 'zh'] as const;

export type Language = (typeof languages)[number];

type Title = Readonly<Record<Language, string>>;

interface Section {
  readonly title: Title;
  /** English pages in the order in which to read them. */
  readonly pages: readonly string[];
}

const guides = (...names: readonly string[]): readonly string[] =>
  names.map((name) => `docs/guide/${name}.md`);

const lessons = (...names: readonly string[]): readonly string[] =>
  names.map((name) => `docs/tutorial/${name}.md`);

const references = (...names: readonly string[]): readonly string[] =>
  names.map((name) => `docs/reference/${name}.md`);

const contributing = (...names: readonly string[]): readonly string[] =>
  names.map((name) => `docs/contributing/${name}.md`);

/** The order of the sidebar, by kind: to learn from, to work by, to look up, to understand. */
export const sections: readonly Section[] = [
  {
    title: { en: 'Get started', zh: '入门' },
    pages: [
      'README.md',
      ...guides('tour', 'quick-start'),
      ...lessons('README', '1-first-request', '2-models', '3-staff', '4-checkout', '5-job', '6-tests'),
      ...lessons('7-webhook', '8-client', '9-production'),
      ...guides('concepts', 'coming-from'),
    ],
  },
  {
    title: { en: 'Models and access', zh: '模型与权限' },
    pages: guides(
      'modelling',
      'relations',
      'search',
      'permissions',
      'authentication',
      'accounts',
      'providers',
      'keys',
      'rate-limits',
      'teams',
    ),
  },
  {
    title: { en: 'Your own code', zh: '编写代码' },
    pages: [
      ...guides('code', 'transactions', 'jobs', 'uploads', 'reports', 'languages'),
      'examples/shop/README.md',
      'examples/teams/README.md',
    ],
  },
  {
    title: { en: 'Clients and integration', zh: '客户端与集成' },
    pages: guides('client', 'signing', 'http-signatures', 'events', 'webhooks', 'data'),
  },
  {
    title: { en: 'Cookbook', zh: '实用手册' },
    pages: guides('front-end', 'seeding', 'environments', 'docker', 'embedding'),
  },
  {
    title: { en: 'Run and administer', zh: '运行与管理' },
    pages: [
      ...guides('administration', 'production', 'databases', 'monitoring', 'scaling', 'upgrading'),
      'docs/deploy/README.md',
      'SECURITY.md',
      'CHANGELOG.md',
    ],
  },
  {
    title: { en: 'Reference', zh: '参考' },
    pages: references(
      'resource',
      'scope',
      'configuration',
      'command-line',
      'fields',
      'relations',
      'nested-writes',
      'list-parameters',
      'aggregates',
      'batches',
      'http',
      'errors',
      'troubleshooting',
      'damage',
      'endpoints',
      'migrations',
      'jobs',
      'testing',
      'events',
      'webhooks',
      'history',
      'trash',
      'backup',
      'move',
      'metrics',
      'limits',
      'clocks',
      'two-step-verification',
      'glossary',
    ),
  },
  {
    title: { en: 'Explanation', zh: '原理' },
    pages: [...guides('security-model'), ...references('asvs', 'advisories', 'reliability')],
  },
  {
    title: { en: 'Decisions', zh: '设计决策' },
    pages: globSync('docs/decisions/*.md', { cwd: root }).sort(),
  },
  {
    title: { en: 'Contributing', zh: '参与开发' },
    pages: [
      'CONTRIBUTING.md',
      'tests/README.md',
      ...contributing('walks', 'recipes', 'glossary-code', 'glossary', 'speed', 'pages', 'mutants'),
    ],
  },
];

/** The Chinese translation of a page, whether or not there is one. */
const translationOf = (page: string): string => page.replace(/\.md$/, '.zh-CN.md');

/** The English page of which a page is the translation; the page itself where it is none. */
export const originalOf = (page: string): string => page.replace('.zh-CN.md', '.md');

/** The file with the text of a page in a language: English where there is no translation. */
export const sourceOf = (page: string, language: Language): string =>
  language === 'zh' && existsSync(join(root, translationOf(page))) ? translationOf(page) : page;

/** Every English page of the documentation. */
export const allPages: readonly string[] = globSync(
  [
    '*.md',
    'docs/{guide,tutorial,reference,decisions,deploy,contributing}/**/*.md',
    'examples/*/README.md',
    'tests/README.md',
  ],
  { cwd: root },
)
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

const titleOf = (page: string, language: Language): string => {
  if (page === 'README.md') return { en: 'Overview', zh: '概览' }[language];
  const [, title] = /^# (.+)$/m.exec(readFileSync(join(root, sourceOf(page, language)), 'utf8')) ?? [];
  if (title === undefined) throw new Error(`${page} has no title`);
  return title.replaceAll('`', '').replace(/^0*(\d+)\.? /, '$1. ');
};

/** The path of a page in the browser, before the base of the site. */
const linkTo = (page: string, language: Language): string =>
  `${language === 'zh' ? '/zh' : ''}/${addressOf(page).replace(/(index)?\.md$/, '')}`;

/** What VitePress shows at the side of every page. */
export const sidebarOf = (language: Language) =>
  sections.map(({ title, pages }) => ({
    text: title[language],
    collapsed: pages.length > 15,
    items: pages.map((page) => ({ text: titleOf(page, language), link: linkTo(page, language) })),
  }));

/** What stands in the bar at the top. */
const bar: readonly { readonly title: Title; readonly page: string }[] = [
  { title: { en: 'Quick start', zh: '快速开始' }, page: 'docs/guide/quick-start.md' },
  { title: { en: 'Tutorial', zh: '教程' }, page: 'docs/tutorial/README.md' },
  { title: { en: 'Guides', zh: '指南' }, page: 'docs/guide/modelling.md' },
  { title: { en: 'Reference', zh: '参考' }, page: 'docs/reference/configuration.md' },
  { title: { en: 'Decisions', zh: '设计决策' }, page: 'docs/decisions/0001-layers-and-libraries.md' },
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
