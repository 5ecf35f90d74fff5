import { describe, expect, it } from 'vitest';
import { parsePreferences, prefersStrict } from './preferences.ts';

describe('the header Prefer', () => {
  it.each([
    'handling=strict',
    'Handling=Strict',
    'handling = "strict"',
    'handling="stri\\ct"',
    'respond-async, wait=10, handling=strict',
    'respond-async;x="a,handling=lenient";y , handling=strict;z=1',
    ',, handling=strict ,',
    'handling=strict, handling=lenient',
  ])('asks for strict handling by %s', (header) => {
    expect(prefersStrict(header)).toBe(true);
  });

  it.each([
    '',
    'strict',
    'handling',
    'handling=',
    'handling=lenient',
    'handling=lenient, handling=strict',
    'handling=strictly',
    'x; handling=strict',
    'x="handling=strict"',
    'x="unclosed, handling=strict',
    'handling=strict é',
    'x-handling=strict',
  ])('does not ask for it by %j', (header) => {
    expect(prefersStrict(header)).toBe(false);
  });

  it('returns each preference once, without its parameters', () => {
    expect([...parsePreferences('A=1;b=2, c, a=3; d="x"')]).toEqual([
      ['a', '1'],
      ['c', ''],
    ]);
  });

  it('reads a header of the greatest length in one pass', () => {
    const begun = performance.now();
    for (const piece of ['"\\"', '; ', ';\t;', '=,', 'a="'])
      expect(prefersStrict(piece.repeat(16_384 / piece.length))).toBe(false);
    expect(performance.now() - begun).toBeLessThan(500);
  });
});
