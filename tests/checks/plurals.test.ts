import { describe, expect, it } from 'vitest';
import { app as firstTexts } from '../../admin/src/texts/en/first.ts';
import { outside } from '../../admin/src/texts/en/outside.ts';
import { app as pageTexts } from '../../admin/src/texts/en/pages.ts';
import { app as chineseFirstTexts } from '../../admin/src/texts/zh-CN/first.ts';
import { app as chinesePageTexts } from '../../admin/src/texts/zh-CN/pages.ts';

/** A number before a noun in the plural, which is wrong of one: "1 records". */
const counted = /%\{(?:smart_)?count\} (?:more )?[a-z]+s\b/;

const textsIn = (texts: object): readonly string[] =>
  Object.values(texts).flatMap((value: unknown) =>
    typeof value === 'string' ? [value] : textsIn(value as object),
  );

const isWrongOfOne = (text: string): boolean => counted.test(text.split(' |||| ')[0] ?? '');

/** The names of the values in each text, by the path of the text. */
const valuesIn = (texts: object, path = ''): readonly (readonly [string, string])[] =>
  Object.entries(texts).flatMap(([key, value]: [string, unknown]) => {
    if (typeof value !== 'string') return valuesIn(value as object, `${path}${key}.`);
    const names = [...value.matchAll(/%\{~?(\w+)\}/g)].map(([, name = '']) => name);
    return [[path + key, [...new Set(names)].sort().join()] as const];
  });

describe('the texts of the administration pages', () => {
  it('both languages show the same values in each text', () => {
    const english = valuesIn({ ...firstTexts, ...pageTexts });
    expect([...valuesIn({ ...chineseFirstTexts, ...chinesePageTexts })].sort()).toEqual([...english].sort());
    expect(english.filter(([, names]) => names !== '').length).toBeGreaterThan(100);
  });
});

describe('the English texts of the administration pages', () => {
  it('English texts of the administration pages have a form of their own for one', () => {
    const texts = [firstTexts, pageTexts, outside].flatMap(textsIn);
    expect(isWrongOfOne('%{count} more days')).toBe(true);
    expect(texts.filter((text) => text.includes(' |||| ')).length).toBeGreaterThan(15);
    expect(texts.filter(isWrongOfOne)).toEqual([]);
  });
});
