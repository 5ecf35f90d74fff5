import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { afterPrefix, foldAscii, splitValues } from './filters.ts';

const byCodePoint = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
const text = fc.string({ unit: 'grapheme', maxLength: 8 });
const edge = fc.constantFrom('', 'a', '\u007f', '\ud7ff', '\ue000', '\uffff', '\u{10000}', '\u{10ffff}');

describe('splitValues', () => {
  it.each([
    ['a,b', ['a', 'b']],
    ['a\\,b', ['a,b']],
    ['a\\\\,b', ['a\\', 'b']],
    ['a\\b', ['a\\b']],
    ['a\\', ['a\\']],
    ['', ['']],
    [',', ['', '']],
  ])('splits %s', (given, values) => {
    expect(splitValues(given)).toEqual(values);
  });

  it('gives back what was escaped and joined', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 1 }), (values) => {
        const joined = values.map((value) => value.replace(/[\\,]/g, '\\$&')).join(',');
        expect(splitValues(joined)).toEqual(values);
      }),
    );
  });
});

describe('afterPrefix', () => {
  it('is above every text with the prefix and no other', () => {
    const piece = fc.array(fc.oneof(text, edge), { maxLength: 3 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(piece, piece, (prefix, other) => {
        const end = afterPrefix(prefix);
        expect(end === undefined || end.isWellFormed()).toBe(true);
        const within = (value: string) =>
          byCodePoint(value, prefix) >= 0 && (end === undefined || byCodePoint(value, end) < 0);
        expect(within(prefix + other)).toBe(true);
        expect(within(other)).toBe(other.startsWith(prefix));
      }),
    );
  });
});

describe('foldAscii', () => {
  it('folds the letters of ASCII only', () => {
    expect(foldAscii('AZaz ÄÖ\u0130 \u212a')).toBe('azaz ÄÖ\u0130 \u212a');
  });
});
