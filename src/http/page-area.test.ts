import { describe, expect, it } from 'vitest';
import { areaOf, namesHtml, pageFor } from './page-area.ts';

const page = { status: 200, type: 'text/html', headers: {}, body: 'page' };
const area = { path: '/base/admin', page: () => page };

describe('namesHtml', () => {
  it.each([
    ['text/html', true],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', true],
    ['application/json, TEXT/HTML ; q=0.1', true],
    ['text/html;charset=utf-8', true],
    ['text/html;q=0', false],
    ['text/html; q=0.000', false],
    ['*/*', false],
    ['text/*', false],
    ['application/json', false],
    ['text/htmlx', false],
    ['', false],
    [undefined, false],
  ])('finds HTML in Accept: %s', (accept, expected) => {
    expect(namesHtml(accept)).toBe(expected);
  });
});

const asking = (method: string, accept: string) => ({
  method,
  header: () => accept,
  language: 'en',
  variant: undefined,
});

describe('pageFor', () => {
  it('accepts reads only', () => {
    expect(pageFor(area, asking('GET', 'text/html'))).toBe(page);
    expect(pageFor(area, asking('HEAD', 'text/html'))).toBe(page);
    expect(pageFor(area, asking('POST', 'text/html'))).toBeUndefined();
    expect(pageFor(area, asking('GET', '*/*'))).toBeUndefined();
  });
});

describe('areaOf', () => {
  it('takes the path itself and what is below it, not what begins alike', () => {
    expect(areaOf([area], '/base/admin')).toBe(area);
    expect(areaOf([area], '/base/admin/users/5/show')).toBe(area);
    expect(areaOf([area], '/base/administrators')).toBeUndefined();
    expect(areaOf([area], '/admin')).toBeUndefined();
  });
});
