import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decimal, fromScaled, maxDigits, toScaled } from './decimal.ts';

const scales = fc.integer({ min: 0, max: 8 });
const most = 10 ** maxDigits - 1;

/** A scaled integer as text by BigInt, independent of the code under test. */
const expected = (scaled: number, scale: number): string => {
  const unit = 10n ** BigInt(scale);
  const absolute = BigInt(Math.abs(scaled));
  const fraction = scale === 0 ? '' : `.${String(absolute % unit).padStart(scale, '0')}`;
  return `${scaled < 0 ? '-' : ''}${absolute / unit}${fraction}`;
};

describe('decimal', () => {
  it('writes and reads every scaled integer back', () => {
    fc.assert(
      fc.property(fc.integer({ min: -most, max: most }), scales, (scaled, scale) => {
        const text = fromScaled(scaled, scale);
        expect(text).toBe(expected(scaled, scale));
        expect(toScaled(text, scale)).toBe(scaled);
      }),
    );
  });

  it('takes a JSON number by its shortest text, also where that has an exponent', () => {
    fc.assert(
      fc.property(fc.integer({ min: -(10 ** 9), max: 10 ** 9 }), scales, (scaled, scale) => {
        expect(decimal.encode(Number(expected(scaled, scale)), { scale })).toBe(scaled);
      }),
    );
    expect(decimal.encode(1e-7, { scale: 8 })).toBe(10);
    expect(decimal.encode(1.5e-7, { scale: 8 })).toBe(15);
  });

  it.each([
    ['0.1', 10],
    ['0.29', 29],
    ['1.005e2', 10050],
    ['12.5', 1250],
    ['12.500', 1250],
    ['+7', 700],
    ['-0', 0],
    ['-0.00', 0],
    ['1e12', 100_000_000_000_000],
    ['0e999', 0],
    ['0009999999999999.99', most],
    ['-9999999999999.99', -most],
  ])('reads %s exactly', (text, scaled) => {
    const read = toScaled(text, 2);
    expect(read).toBe(scaled);
    expect(Object.is(read, -0)).toBe(false);
  });

  it.each(['1.005', '1e-3', '1e13', '10000000000000.00', '1e999', `${'0'.repeat(64)}1`])(
    'refuses %j by its digits',
    (text) => {
      expect(toScaled(text, 2)).toBeUndefined();
      expect(decimal.check(text, {})).toEqual({ rule: 'decimal', params: { digits: 15, scale: 2 } });
      expect(() => decimal.encode(text, {})).toThrow(TypeError);
    },
  );

  it.each(['', ' 1', '1 ', '1.', '.5', '1e9999', '0x10', '1_000', '1,5', 'NaN', 'Infinity', '１２', 'cheap'])(
    'refuses %j as no number',
    (text) => {
      expect(toScaled(text, 2)).toBeUndefined();
      expect(decimal.check(text, {})).toEqual({ rule: 'number' });
      expect(() => decimal.encode(text, {})).toThrow(TypeError);
    },
  );

  it('compares bounds as exact numbers', () => {
    const options = { min: '0.10', max: 0.3 };
    expect(decimal.check('0.09', options)).toEqual({ rule: 'minimum', params: { min: '0.10' } });
    expect(decimal.check(0.1, options)).toBeUndefined();
    expect(decimal.check('0.30', options)).toBeUndefined();
    expect(decimal.check('0.31', options)).toEqual({ rule: 'maximum', params: { max: 0.3 } });
  });

  it.each([
    [{ scale: 9 }, /scale/],
    [{ scale: 1.5 }, /scale/],
    [{ min: '0.001' }, /min 0.001/],
    [{ min: 2, max: '1.99' }, /above/],
  ])('finds the flaw of %j', (options, text) => {
    expect(decimal.flaw(options)).toMatch(text);
  });
});
