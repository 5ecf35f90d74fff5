import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { thingSource } from '../../../tests/support/things.ts';
import type { FilterOperator } from '../../fields/field.ts';
import { afterPrefix, foldAscii, maxValueLength, parseFilter, splitValues } from './query-string.ts';

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
  it('afterPrefix is above every text with the prefix and no other', () => {
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

describe('parseFilter', () => {
  const read = (name: string, operator: FilterOperator, given: string) => {
    const column = thingSource.columns.get(name);
    if (column === undefined) throw new Error(`no column ${name}`);
    const { values, negated } = parseFilter(column, operator, given, 'filter');
    return { values, negated };
  };
  const refused = expect.objectContaining({ problem: 'invalid_parameter', params: { name: 'filter' } });

  it('fills a list up to a power of two with its last value', () => {
    expect(read('n', 'in', '1,2,3')).toEqual({ values: [1, 2, 3, 3], negated: false });
    expect(read('n', 'in', '1,2,3,4,5').values).toEqual([1, 2, 3, 4, 5, 5, 5, 5]);
    expect(read('n', 'in', '1').values).toEqual([1]);
  });

  it('takes 1,000 values, and texts of 1,024 characters', () => {
    const list = (count: number) => Array.from({ length: count }, () => '7').join(',');
    expect(read('n', 'in', list(1_000)).values).toHaveLength(1_024);
    expect(() => read('n', 'in', list(1_001))).toThrow(refused);
    for (const operator of ['eq', 'like', 'starts_with'] as const) {
      expect(read('body', operator, 'x'.repeat(maxValueLength)).values[0]).toHaveLength(maxValueLength);
      expect(() => read('body', operator, 'x'.repeat(maxValueLength + 1))).toThrow(refused);
    }
  });

  it('compares with null by its own operator only', () => {
    expect(read('n', 'null', 'true')).toEqual({ values: [], negated: false });
    expect(read('n', 'null', 'false')).toEqual({ values: [], negated: true });
    for (const given of ['', 'TRUE', '1']) expect(() => read('n', 'null', given)).toThrow(refused);
    for (const operator of ['eq', 'in'] as const) expect(() => read('n', operator, '')).toThrow(refused);
  });
});
