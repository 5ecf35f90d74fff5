import { describe, expect, it } from 'vitest';
import { app as firstTexts } from '../../admin/src/texts/en/first.ts';
import { outside } from '../../admin/src/texts/en/outside.ts';
import { app as pageTexts } from '../../admin/src/texts/en/pages.ts';

/** A number before a noun in the plural, which is wrong of one: "1 records". */
const counted = /%\{(?:smart_)?count\} (?:more )?[a-z]+s\b/;

const textsIn = (texts: object): readonly string[] =>
  Object.values(texts).flatMap((value: unknown) =>
    typeof value === 'string' ? [value] : textsIn(value as object),
  );

const isWrongOfOne = (text: string): boolean => counted.test(text.split(' |||| ')[0] ?? '');

describe('the English texts of the administration pages', () => {
  it('English texts of the administration pages have a form of their own for one', () => {
    const texts = [firstTexts, pageTexts, outside].flatMap(textsIn);
    expect(isWrongOfOne('%{count} more days')).toBe(true);
    expect(texts.filter((text) => text.includes(' |||| ')).length).toBeGreaterThan(15);
    expect(texts.filter(isWrongOfOne)).toEqual([]);
  });
});
