import { describe, expect, it } from 'vitest';
import { allPages, barOf, sections, sidebarOf } from '../../docs/.vitepress/pages.ts';
import { tokenize } from '../../docs/.vitepress/tokenize.ts';

const listed = sections.flatMap(({ pages }) => pages);

describe('the documentation site', () => {
  it('names every page in its sidebar, once', () => {
    expect(listed.toSorted()).toEqual(allPages);
  });

  it('takes titles from the pages, in both languages', () => {
    const titles = (language: 'en' | 'zh') => sidebarOf(language).flatMap(({ items }) => items);
    expect(titles('en')).toContainEqual({ text: 'Quick start', link: '/guide/quick-start' });
    expect(titles('zh')).toContainEqual({ text: '快速开始', link: '/zh/guide/quick-start' });
    const links = titles('zh').map(({ link }) => link);
    expect(barOf('zh').filter(({ link }) => !links.includes(link))).toEqual([]);
  });

  it('is searched by words, and Chinese by pairs', () => {
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
