import { describe, expect, it } from 'vitest';
import { defineEndpoint } from '../endpoints/define-endpoint.ts';
import { defineResource } from '../model/define-resource.ts';
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
  ])('%s is taken up to %i characters', (pattern, longest) => {
    expect(patternFlaw(pattern, longest)).toBeUndefined();
  });

  it.each([
    ['(a+)+$', 255, '2^N'],
    ['^(a|a)*$', 255, '2^N'],
    ['^(?=(a+)+$).*', 255, '2^N'],
    ['^(?:a?){30}a{30}$', 255, '2^N'],
    ['a*a*a*a*a*b', 255, 'N^6'],
    ['^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$', 1_048_576, 'N^2'],
  ])('%s is refused for texts of %i characters: %s', (pattern, longest, growth) => {
    const flaw = patternFlaw(pattern, longest);
    expect(flaw).toContain(`can take ${growth} steps`);
    expect(flaw).toMatch(new RegExp(`max allows ${longest}, for example on '.+'`));
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

  it.each(['^(?=.*[A-Z])(?=.*\\d).{8,}$', '^\\w{1,200}@\\w{1,200}$'])(
    '%s, which is tried and not proved, is taken for short texts only',
    (pattern) => {
      expect(patternFlaw(pattern, 255)).toBeUndefined();
      expect(patternFlaw(pattern, 1_048_576)).toMatch(
        / can take .* steps | cannot be proved; give the field a max of 1000 /,
      );
    },
  );

  it('that the checker cannot read is refused too, and one that is none says why', () => {
    expect(patternFlaw('^(?i:a)$', 255)).toContain('could not be told (invalid)');
    expect(patternFlaw('(', 255)).toMatch(/^pattern: Invalid regular expression/);
  });

  it('is refused by the name of the model and the field, and in the body of an endpoint', () => {
    const code = field.string({ pattern: '^(a+)+$' });
    expect(() => defineResource('Memo', { fields: { code } })).toThrow('Memo.code: pattern ^(a+)+$ can take');
    expect(() =>
      defineEndpoint({ method: 'POST', path: '/memo', input: { code }, handle: () => null }),
    ).toThrow('endpoint POST /memo.code: pattern ^(a+)+$ can take');
  });
});
