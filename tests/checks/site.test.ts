import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  allPages,
  barOf,
  evidence,
  fileOf,
  linkedIn,
  root,
  sections,
  sidebarOf,
  sourceOf,
} from '../../docs/.vitepress/pages.ts';
import { tokenize } from '../../docs/.vitepress/tokenize.ts';

const listed = sections.flatMap(({ pages }) => pages);

const read = (page: string): string => readFileSync(join(root, page), 'utf8');

/** Every decision, in the site or not. */
const decisions = globSync('docs/decisions/[0-9]*.md', { cwd: root })
  .map((page) => page.replaceAll('\\', '/'))
  .sort();

const numberOf = (page: string): number => Number(/\/(\d+)-/.exec(page)?.[1]);

describe('the documentation site', () => {
  it('names every page in its sidebar, once, except evidence for auditors, which one page links to', () => {
    expect([...listed, ...evidence].toSorted()).toEqual(allPages);
    for (const page of evidence)
      expect(read('docs/guide/security-model.md')).toContain(page.replace('docs', '..'));
  });

  it('decisions have numbers of their own, in the name of the file and in the title', () => {
    expect(decisions.length).toBeGreaterThanOrEqual(10);
    expect(decisions.map((page) => Number(/^# (\d+)/.exec(read(page))?.[1]))).toEqual(
      decisions.map(numberOf),
    );
  });

  it('every decision states whether it is accepted or superseded, with a link to what supersedes it', () => {
    const statusOf = (page: string): string => /^# .*\n\nStatus: (.*(?:\n.+)*)/.exec(read(page))?.[1] ?? '';
    expect(decisions.filter((page) => !/^(?:accepted|superseded)\b/.test(statusOf(page)))).toEqual([]);
    const superseded = decisions.filter((page) => statusOf(page).includes('supersede'));
    expect(superseded.filter((page) => !/\]\(\d{4}-[\w-]+\.md\)/.test(statusOf(page)))).toEqual([]);
  });

  it('decisions are short: 400 words in the site, 250 words elsewhere', () => {
    const wordsIn = (page: string): number => read(page).split(/\s+/).filter(Boolean).length;
    expect(decisions.filter((page) => wordsIn(page) > (listed.includes(page) ? 400 : 250))).toEqual([]);
    expect(decisions.filter((page) => listed.includes(page)).length).toBeLessThanOrEqual(10);
  });

  it('the index names every decision, and in bold those of the site; numbers are unique and ascend', () => {
    const index = read('docs/decisions/README.md');
    const rows = [...index.matchAll(/^\| (\**)\[(\d+)\. [^\]]+\]\(([\w-]+\.md)\)\1 \|/gm)];
    expect(rows.map(([, , , file]) => `docs/decisions/${file}`)).toEqual(decisions);
    expect(rows.map(([, , number]) => Number(number))).toEqual(decisions.map(numberOf));
    const lines = [...index.matchAll(/^- \*\*(\d+)\. /gm)].map(([, number]) => Number(number));
    expect(lines).toEqual(lines.toSorted((one, other) => one - other));
    const numbers = [...lines, ...decisions.map(numberOf)];
    expect(new Set(numbers).size).toBe(numbers.length);
    const bold = rows.flatMap(([, mark, , file]) => (mark === '**' ? [`docs/decisions/${file}`] : []));
    expect(bold).toEqual(decisions.filter((page) => listed.includes(page)));
  });

  it('pages for users link to no decision, which the package lacks', () => {
    const pages = allPages.filter((page) => /^docs\/(?:guide|tutorial|reference|deploy)\//.test(page));
    const translated = pages.map((page) => sourceOf(page, 'zh'));
    expect([...pages, ...translated].filter((page) => /\]\([^)]*decisions\//.test(read(page)))).toEqual([]);
  });

  it('takes titles from the pages, in both languages', () => {
    const titles = (language: 'en' | 'zh') =>
      sidebarOf(language).flatMap(({ items }) =>
        items.flatMap((item) => ('items' in item ? item.items : item)),
      );
    expect(titles('en')).toContainEqual({ text: 'Quick start', link: '/guide/quick-start' });
    expect(titles('zh')).toContainEqual({ text: '快速开始', link: '/zh/guide/quick-start' });
    const links = linkedIn('zh');
    expect(barOf('zh').filter(({ link }) => !links.includes(link))).toEqual([]);
  });

  it('a section has at most 15 entries under one heading', () => {
    const entries = sidebarOf('en').flatMap((section) => [
      section.items.length,
      ...section.items.map((item) => ('items' in item ? item.items.length : 0)),
    ]);
    expect(entries.filter((count) => count > 15)).toEqual([]);
  });

  it('the link to edit a page leads to its file, in the language that is shown', () => {
    expect(fileOf('guide/keys.md')).toBe('docs/guide/keys.md');
    expect(fileOf('zh/guide/keys.md')).toBe('docs/guide/keys.zh-CN.md');
    expect(fileOf('zh/evidence/asvs.md')).toBe('docs/evidence/asvs.md');
    expect(fileOf('overview.md')).toBe('README.md');
    expect(fileOf('files/deploy/nginx-conf.md')).toBeUndefined();
  });

  it('the documentation site is searched by words, and Chinese by pairs', () => {
    expect(tokenize('查看权限表（JWT 令牌）')).toEqual([
      '查看',
      '看权',
      '权限',
      '限表',
      '表',
      'JWT',
      '令牌',
      '牌',
    ]);
    expect(tokenize('If-Match: v2, field_filtering')).toEqual(['If', 'Match', 'v2', 'field', 'filtering']);
    expect(tokenize('é2 日本の')).toEqual(['é2', '日本', '本', 'の']);
    expect(tokenize('— …')).toEqual([]);
  });
});
