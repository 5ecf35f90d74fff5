import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allPages, barOf, root, sections, sidebarOf } from '../../docs/.vitepress/pages.ts';
import { tokenize } from '../../docs/.vitepress/tokenize.ts';

const listed = sections.flatMap(({ pages }) => pages);

describe('the documentation site', () => {
  it('names every page in its sidebar, once', () => {
    expect(listed.toSorted()).toEqual(allPages);
  });

  it('decisions have numbers of their own, in the name of the file and in the title', () => {
    const decisions = allPages.filter((page) => page.startsWith('docs/decisions/'));
    const numbers = decisions.map((page) => Number(/\/(\d+)-/.exec(page)?.[1]));
    const titles = decisions.map((page) =>
      Number(/^# (\d+)/.exec(readFileSync(join(root, page), 'utf8'))?.[1]),
    );
    expect(numbers).toEqual(decisions.map((_, at) => at + 1));
    expect(titles).toEqual(numbers);
  });

  it('every decision states whether it is accepted or superseded, with a link to what supersedes it', () => {
    const decisions = allPages.filter((page) => page.startsWith('docs/decisions/'));
    const statusOf = (page: string): string =>
      /^# .*\n\nStatus: (.*(?:\n.+)*)/.exec(readFileSync(join(root, page), 'utf8'))?.[1] ?? '';
    expect(decisions.filter((page) => !/^(?:accepted|superseded)\b/.test(statusOf(page)))).toEqual([]);
    const superseded = decisions.filter((page) => statusOf(page).includes('supersede'));
    expect(superseded.length).toBeGreaterThan(0);
    expect(superseded.filter((page) => !/\]\(\d{4}-[\w-]+\.md\)/.test(statusOf(page)))).toEqual([]);
  });

  it('takes titles from the pages, in both languages', () => {
    const titles = (language: 'en' | 'zh') => sidebarOf(language).flatMap(({ items }) => items);
    expect(titles('en')).toContainEqual({ text: 'Quick start', link: '/guide/quick-start' });
    expect(titles('zh')).toContainEqual({ text: '快速开始', link: '/zh/guide/quick-start' });
    const links = titles('zh').map(({ link }) => link);
    expect(barOf('zh').filter(({ link }) => !links.includes(link))).toEqual([]);
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
