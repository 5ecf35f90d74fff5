import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type DecimalInput, decimalOf, type Rounding } from './exact-decimal.ts';

const text = (value: { toString(): string }): string => value.toString();

describe('an exact decimal', () => {
  it.each<readonly [DecimalInput, string]>([
    ['12.50', '12.50'],
    ['-0.050', '-0.050'],
    ['+7', '7'],
    [0.1, '0.1'],
    [1e21, '1000000000000000000000'],
    [1e-7, '0.0000001'],
    ['1.25e1', '12.5'],
    ['1.25e-1', '0.125'],
    [12n, '12'],
    [-0, '0'],
    ['-0.00', '0.00'],
    [decimalOf('3.10'), '3.10'],
  ])('an exact decimal is read from %s', (value, expected) => {
    expect(text(decimalOf(value))).toBe(expected);
  });

  it.each<unknown>([
    '',
    ' 1',
    '1.',
    '.5',
    '1,5',
    '0x1',
    'NaN',
    '1'.repeat(1_001),
    Number.NaN,
    Infinity,
    null,
    undefined,
    true,
    {},
    [],
  ])('an exact decimal is not read from %j', (value) => {
    expect(() => decimalOf(value as string)).toThrow(TypeError);
  });

  it('adds, subtracts and multiplies without a rounding', () => {
    expect(text(decimalOf('0.1').plus('0.2'))).toBe('0.3');
    expect(text(decimalOf('1.5').plus('1.50'))).toBe('3.00');
    expect(text(decimalOf('1').minus('0.000000001'))).toBe('0.999999999');
    expect(text(decimalOf('19.99').times(3))).toBe('59.97');
    expect(text(decimalOf('19.99').times('0.19'))).toBe('3.7981');
    expect(text(decimalOf('999999999999999.99').times('999999999999999.99'))).toBe(
      '999999999999999980000000000000.0001',
    );
    expect(JSON.stringify({ total: decimalOf('2.50').plus(0) })).toBe('{"total":"2.50"}');
  });

  it.each<readonly [string, number, Rounding, string]>([
    ['2.345', 2, 'half-up', '2.35'],
    ['-2.345', 2, 'half-up', '-2.35'],
    ['2.345', 2, 'half-even', '2.34'],
    ['2.355', 2, 'half-even', '2.36'],
    ['2.3451', 2, 'half-even', '2.35'],
    ['-2.345', 2, 'half-even', '-2.34'],
    ['2.349', 2, 'down', '2.34'],
    ['-2.349', 2, 'down', '-2.34'],
    ['-0.004', 2, 'half-up', '0.00'],
    ['0.5', 0, 'half-up', '1'],
    ['0.5', 0, 'half-even', '0'],
    ['9.995', 2, 'half-up', '10.00'],
    ['7', 3, 'down', '7.000'],
  ])('rounds %s to %i digits %s: %s', (value, scale, rounding, expected) => {
    expect(text(decimalOf(value).round(scale, rounding))).toBe(expected);
  });

  it('refuses a scale or a rounding that there is not', () => {
    for (const scale of [-1, 0.5, 1_001, Number.NaN])
      expect(() => decimalOf('1').round(scale)).toThrow(RangeError);
    expect(() => decimalOf('1.5').round(0, 'toString' as Rounding)).toThrow(
      'there is no rounding "toString"',
    );
  });

  it('compares by value, not by digits', () => {
    expect(decimalOf('1.5').compare('1.50')).toBe(0);
    expect(decimalOf('-1').compare('0.1')).toBe(-1);
    expect(decimalOf('10').compare('9.99')).toBe(1);
    expect(['10', '9.5', '-1'].sort((one, other) => decimalOf(one).compare(other))).toEqual([
      '-1',
      '9.5',
      '10',
    ]);
  });

  it('agrees with integer arithmetic', () => {
    const number = fc.tuple(fc.bigInt(-(10n ** 20n), 10n ** 20n), fc.integer({ min: 0, max: 8 }));
    fc.assert(
      fc.property(number, number, ([one, scale], [other, otherScale]) => {
        const read = (count: bigint, digits: number) => decimalOf(`${count}e-${digits}`);
        const [a, b] = [read(one, scale), read(other, otherScale)];
        const common = 10n ** 8n;
        const inUnits = (count: bigint, digits: number) => (count * common) / 10n ** BigInt(digits);
        const sum = inUnits(one, scale) + inUnits(other, otherScale);
        expect(a.plus(b).compare(read(sum, 8))).toBe(0);
        expect(a.plus(b).minus(b).compare(a)).toBe(0);
        expect(a.times(b).compare(read(one * other, scale + otherScale))).toBe(0);
        expect(Math.sign(Number(inUnits(one, scale) - inUnits(other, otherScale)))).toBe(a.compare(b));
        expect(decimalOf(text(a)).compare(a)).toBe(0);
      }),
    );
  });
});
