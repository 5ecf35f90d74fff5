import { describe, expect, it } from 'vitest';
import { defineResource } from '../model/define-resource.ts';
import { defineEndpoint } from '../resources/application/define-endpoint.ts';
import { field } from './define.ts';
import { patternFlaw } from './pattern.ts';

describe('a pattern', () => {
  it.each([
    ['^[0-9-]{10,17}$', 255],
    ['^[\\p{L}\\p{N} ]{1,200}$', 255],
    ['^\\u{1F600}+\\$$', 1_048_576],
    ['^[a-z]+(-[a-z]+)*$', 1_048_576],
    ['^(?<year>\\d{4})-(?<month>\\d\\d)$', 255],
    // Its steps grow with the square of the length: nothing on a line, minutes on a book.
    ['^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$', 255],
    ['^(?=.*[A-Z])(?=.*\\d).{8,}$', 1_048_576],
    ['^\\w{1,200}@\\w{1,200}$', 1_048_576],
    ['^(?:png|jpg|pdf)(?:,(?:png|jpg|pdf))*$', 1_048_576],
    ['^\\p{Lu}\\p{Ll}+(?: \\p{Lu}\\p{Ll}+)*$', 1_048_576],
    ['^(?:[01]\\d|2[0-3]):[0-5]\\d$', 255],
    ['\\d+', 1_048_576],
    ['^(?:(?!--).)*$', 1_048_576],
  ])('%s is taken up to %i characters', (pattern, longest) => {
    expect(patternFlaw(pattern, longest)).toBeUndefined();
  });

  it.each([
    ['(a+)+$', 255, '2^N'],
    ['^(a|a)*$', 255, '2^N'],
    ['^(?=(a+)+$).*', 255, '2^N'],
    ['^(?:a?){30}a{30}$', 255, '2^N'],
    ['^(?:a+b?)+$', 255, '2^N'],
    ['^(?:\\u{1F600}|[\\u{1F600}-\\u{1F64F}])+$', 255, '2^N'],
    ['^(?:\\uD83D\\uDE00|\\u{1F600})+$', 255, '2^N'],
    ['a*a*a*a*a*b', 255, 'N^6'],
    ['^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$', 1_048_576, 'N^2'],
  ])('%s is refused for texts of %i characters: %s', (pattern, longest, growth) => {
    const flaw = patternFlaw(pattern, longest);
    expect(flaw).toContain(`can take ${growth} steps`);
    expect(flaw).toContain(`max allows ${longest}: repeat nothing that can match in two ways, as `);
  });

  it.each(['^(a+)\\1$', '^(?<x>a+)\\k<x>$', '(?<=a)b', '(?<!a)b', '^[\\]](?<=a)'])(
    '%s is refused, however short the texts are',
    (pattern) => {
      expect(patternFlaw(pattern, 10)).toContain('a back-reference or look-behind can take any time');
    },
  );

  it.each(['^\\\\1$', '^[(?<=a)]+$', '^(?<name>a)$'])('%s has neither', (pattern) => {
    expect(patternFlaw(pattern, 255)).toBeUndefined();
  });

  it.each([
    ['^(?:(?=a+).)*$', 'N^2', 'repeat less'],
    ['\\d+x', 'N^2', 'begin it with ^'],
  ])('%s is refused with advice on what repeats in it', (pattern, growth, advice) => {
    const flaw = patternFlaw(pattern, 1_048_576);
    expect(flaw).toContain(`can take ${growth} steps`);
    expect(flaw).toContain(advice);
  });

  it('a pattern with modifiers is refused, and a text that is no pattern says why', () => {
    expect(patternFlaw('^(?i:a)$', 255)).toContain('a group with modifiers');
    expect(patternFlaw('(', 255)).toMatch(/^pattern: Invalid regular expression/);
  });

  it('a pattern is refused by the name of the model and the field, and in the body of an endpoint', () => {
    const code = field.string({ pattern: '^(a+)+$' });
    expect(() => defineResource('Memo', { fields: { code } })).toThrow('Memo.code: pattern ^(a+)+$ can take');
    expect(() =>
      defineEndpoint({ method: 'POST', path: '/memo', input: { code }, handle: () => null }),
    ).toThrow('endpoint POST /memo.code: pattern ^(a+)+$ can take');
  });
});
