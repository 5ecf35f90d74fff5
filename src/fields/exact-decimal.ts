/**
 * A number that `decimal` reads: a text such as `12.50`, a number by its shortest text, a whole number, or a result.
 */
export type DecimalInput = string | number | bigint | Decimal;

/**
 * The rule for a number between two others: the nearer one, and of two that are equally near the one away from zero
 * (`half-up`) or the even one (`half-even`); or always the one closer to zero (`down`).
 */
export type Rounding = 'half-up' | 'half-even' | 'down';

const maxLength = 1_000;
const maxScale = 1_000;

/** The parts of a decimal number: sign, digits before and after the point, exponent. */
export const decimalForm = /^([+-]?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/;

const powerOfTen = (exponent: number): bigint => 10n ** BigInt(exponent);

const absolute = (value: bigint): bigint => (value < 0n ? -value : value);

/** An exact decimal number, which does not change: each operation returns another one. */
export class Decimal {
  /** The number as a count of 10^−scale. */
  readonly #count: bigint;
  /** Digits after the point, as `toString` writes them. */
  readonly scale: number;

  constructor(count: bigint, scale: number) {
    this.#count = count;
    this.scale = scale;
  }

  /** Returns the sum. It has as many digits after the point as the summand that has more. */
  plus(other: DecimalInput): Decimal {
    const [one, two, scale] = this.#beside(other);
    return new Decimal(one + two, scale);
  }

  /** Returns the difference. It has as many digits after the point as the operand that has more. */
  minus(other: DecimalInput): Decimal {
    const [one, two, scale] = this.#beside(other);
    return new Decimal(one - two, scale);
  }

  /** Returns the product. Its digits after the point are those of both factors. */
  times(other: DecimalInput): Decimal {
    const factor = decimalOf(other);
    return new Decimal(this.#count * factor.#count, this.scale + factor.scale);
  }

  /**
   * Returns the number with this many digits after the point, 0 to 1,000.
   * @param rounding `half-up` unless given
   * @throws RangeError if `scale` is no such number
   */
  round(scale: number, rounding: Rounding = 'half-up'): Decimal {
    if (!Number.isInteger(scale) || scale < 0 || scale > maxScale)
      throw new RangeError(`a scale is a whole number from 0 to ${maxScale}, not ${scale}`);
    if (scale >= this.scale) return new Decimal(this.#count * powerOfTen(scale - this.scale), scale);
    const unit = powerOfTen(this.scale - scale);
    const kept = this.#count / unit;
    const twice = 2n * absolute(this.#count % unit);
    const isUp = {
      'half-up': twice >= unit,
      'half-even': twice > unit || (twice === unit && kept % 2n !== 0n),
      down: false,
    };
    if (!Object.hasOwn(isUp, rounding)) throw new RangeError(`there is no rounding "${rounding}"`);
    const away = this.#count < 0n ? -1n : 1n;
    return new Decimal(isUp[rounding] ? kept + away : kept, scale);
  }

  /** Returns -1, 0 or 1 if this number is less than, equal to or greater than the other: `1.5` equals `1.50`. */
  compare(other: DecimalInput): -1 | 0 | 1 {
    const [one, two] = this.#beside(other);
    if (one === two) return 0;
    return one < two ? -1 : 1;
  }

  /** Returns the form of decimal fields, with all digits of the scale: `12.50`. */
  toString(): string {
    const digits = String(absolute(this.#count)).padStart(this.scale + 1, '0');
    const point = digits.length - this.scale;
    const text = this.scale === 0 ? digits : `${digits.slice(0, point)}.${digits.slice(point)}`;
    return this.#count < 0n ? `-${text}` : text;
  }

  toJSON(): string {
    return this.toString();
  }

  /** Both numbers as counts of the same unit, and its scale. */
  #beside(other: DecimalInput): readonly [bigint, bigint, number] {
    const right = decimalOf(other);
    const scale = Math.max(this.scale, right.scale);
    return [
      this.#count * powerOfTen(scale - this.scale),
      right.#count * powerOfTen(scale - right.scale),
      scale,
    ];
  }
}

/**
 * Reads a decimal number for exact arithmetic: `decimal('0.1').plus('0.2').toString()` is `0.3`. The values of decimal
 * fields are such texts, and take them.
 * @throws TypeError if the value is not a decimal number, or has more than 1,000 characters
 */
export const decimalOf = (value: DecimalInput): Decimal => {
  if (value instanceof Decimal) return value;
  if (typeof value === 'bigint') return new Decimal(value, 0);
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  const match = text.length <= maxLength ? decimalForm.exec(text) : null;
  if (match === null) throw new TypeError(`${JSON.stringify(value)?.slice(0, 80)} is not a decimal number`);
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const scale = fraction.length - Number(exponent);
  const count = BigInt(`${whole}${fraction}`) * powerOfTen(Math.max(0, -scale));
  return new Decimal(sign === '-' ? -count : count, Math.max(0, scale));
};
