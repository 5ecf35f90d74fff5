import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLanguages, negotiateLanguage } from './languages.ts';

const known = ['zh-CN', 'en', 'de'];

describe('negotiateLanguage', () => {
  it.each<[header: string | undefined, language: string]>([
    [undefined, 'zh-CN'],
    ['', 'zh-CN'],
    ['de', 'de'],
    ['DE', 'de'],
    ['de-AT', 'de'],
    ['de-Latn-AT-1996', 'de'],
    ['de-x-private', 'de'],
    ['zh', 'zh-CN'],
    ['zh-Hant-TW, en;q=0.8', 'zh-CN'],
    ['en-GB,en;q=0.9,de;q=0.8', 'en'],
    ['fr, de;q=0.4, en;q=0.5', 'en'],
    ['fr', 'zh-CN'],
    ['*', 'zh-CN'],
    ['fr, *;q=0.1', 'zh-CN'],
    ['zh;q=0.1, *;q=0.5', 'en'],
    ['zh-CN;q=0, *', 'en'],
    ['zh;q=0, en;q=0, *', 'de'],
    ['zh;q=0, zh-CN;q=0.3, *;q=0.2', 'zh-CN'],
    ['de-AT, de;q=0, en;q=0.1', 'en'],
    ['de;q=0', 'zh-CN'],
    ['*;q=0', 'zh-CN'],
    ['zh-CN;q=0', 'zh-CN'],
    ['de;q=0.000, en;q=0.001', 'en'],
    ['en;q=1.000, de', 'en'],
    ['en ; q=0.2 ,\tde ;q=0.3', 'de'],
    [',,de,,', 'de'],
  ])('a caller with Accept-Language: %s gets %s', (header, language) => {
    expect(negotiateLanguage(header, known)).toBe(language);
  });

  it.each([
    'de;q=2',
    'de;q=-1',
    'de;q=0.1234',
    'de;q=NaN',
    'de;q',
    'de;level=1',
    'de_AT',
    'd€',
    '*-de',
    'abcdefghi',
    '-de',
    'de-',
    'de en',
    '"de"',
    '__proto__',
    'constructor',
    '\0',
  ])('ignores the malformed item %j, and reads the others', (item) => {
    expect(negotiateLanguage(item, known)).toBe('zh-CN');
    expect(negotiateLanguage(`${item}, en;q=0.1`, known)).toBe('en');
  });

  it('counts 32 ranges within 1,024 characters', () => {
    const ranges = (count: number): string => Array.from({ length: count }, () => 'fr').join(',');
    expect(negotiateLanguage(`${ranges(31)},de`, known)).toBe('de');
    expect(negotiateLanguage(`${ranges(32)},de`, known)).toBe('zh-CN');
    expect(negotiateLanguage(`${' '.repeat(1_020)}de`, known)).toBe('de');
    expect(negotiateLanguage(`${' '.repeat(1_024)}de`, known)).toBe('zh-CN');
  });

  it('always returns a known language, whatever the header', () => {
    const piece = fc.constantFrom(
      'de',
      'en',
      'zh',
      '*',
      '-',
      ';',
      'q=',
      '0',
      '1',
      '.',
      ',',
      ' ',
      'AT',
      '\t',
      'é',
    );
    const header = fc.oneof(
      fc.string(),
      fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join('')),
    );
    fc.assert(fc.property(header, (text) => known.includes(negotiateLanguage(text, known))));
  });

  it('takes little time for a hostile header', () => {
    const headers = [
      '-'.repeat(16_000),
      'a-'.repeat(8_000),
      'de;q=0,'.repeat(2_000),
      `${' '.repeat(16_000)}x`,
    ];
    const begin = performance.now();
    for (const header of headers)
      for (let run = 0; run < 100; run += 1) negotiateLanguage(`${header}${run}`, known);
    expect(performance.now() - begin).toBeLessThan(2_000);
  });
});

describe('createLanguages', () => {
  const chosen = (locale: string) => {
    const { choose } = createLanguages({ locale, negotiated: true });
    const headers = ['en', undefined, 'zh', 'en', 'x'.repeat(2_000), 'en'];
    return headers.map((header) => choose?.(header).locale);
  };

  it('chooses for each header, and the first language without one', () => {
    expect(chosen('zh-CN')).toEqual(['en', 'zh-CN', 'zh-CN', 'en', 'zh-CN', 'en']);
    expect(chosen('en')).toEqual(['en', 'en', 'zh-CN', 'en', 'en', 'en']);
  });

  it('chooses nothing where the language is fixed', () => {
    const { choose, first } = createLanguages({ locale: 'en', negotiated: false });
    expect([choose, first.locale]).toEqual([undefined, 'en']);
  });

  it('names a language that it does not have, and the file that would add it', () => {
    expect(() => createLanguages({ locale: 'de', negotiated: false })).toThrow(
      'LOCALE=de: there is no such language (zh-CN, en, auto); locales/de.ts of the application would add it',
    );
  });
});
