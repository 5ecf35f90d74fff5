import { describe, expect, it } from 'vitest';
import { linkHeader, sharedQuery } from './query-string.ts';

describe('linkHeader', () => {
  it('names every page by its relation', () => {
    expect(
      linkHeader('https://x.example/a', sharedQuery(['q=b', 'sort=-n']), { first: 'page=1', next: 'page=3' }),
    ).toBe(
      '<https://x.example/a?q=b&sort=-n&page=3>; rel="next", <https://x.example/a?q=b&sort=-n&page=1>; rel="first"',
    );
  });

  it('lets nothing of the query end a link or begin another', () => {
    const header = linkHeader('/a', sharedQuery(['q=>; rel="evil", <//x>', "r=%3E\\'`|"]), {
      next: 'page=2',
    });
    expect(header).toBe(`</a?q=%3E;%20rel=%22evil%22,%20%3C//x%3E&r=%3E%5C'%60%7C&page=2>; rel="next"`);
  });

  it('takes 12,000 characters, and no more', () => {
    const length = linkHeader('/', '', { next: 'p' }).length;
    const fits = 'x'.repeat(12_000 - length + 1);
    expect(linkHeader('/', '', { next: fits })).toHaveLength(12_000);
    expect(linkHeader('/', '', { next: `${fits}x` })).toBe('');
  });

  it('keeps the next page where not all links fit', () => {
    const header = linkHeader('/a', sharedQuery([`q=${'x'.repeat(7000)}`]), {
      first: 'page=1',
      next: 'page=2',
      last: 'page=3',
    });
    expect(header).toMatch(/^<[^>]*page=2>; rel="next"$/);
  });
});
