/** The field type `decimal`: exact amounts with a fixed scale, stored as scaled integers. */

import { type Json, withoutUndefined } from '../kernel/json.ts';
import { numberOrText, numeric, type OptionTable } from '../kernel/options.ts';
import { decimalForm } from './exact-decimal.ts';
import {
  type CommonOptions,
  commonOptions,
  definition,
  type FieldDefinition,
  type FieldType,
  type RuleViolation,
  type Strict,
} from './field.ts';
import { type OrderedOperator, orderedOperators, orNull } from './values.ts';

export interface DecimalOptions extends CommonOptions {
  readonly default?: string | number;
  /** Digits after the decimal point, 0 to 8; default 2. */
  readonly scale?: number;
  /** Smallest value; a smaller one is 422. */
  readonly min?: string | number;
  /** Greatest value; a greater one is 422. */
  readonly max?: string | number;
}

/**
 * Digits in total: the scaled integer stays exact in every JSON reader and in both databases.
 * @limit Fields | digits of a decimal | count | 422
 */
export const maxDigits = 15;

const scaleOf = (options: DecimalOptions): number => options.scale ?? 2;

/**
 * Longer texts are refused without being read; the longest sensible one has 15 digits, a sign, a point and an
 * exponent.
 */
const maxTextLength = 64;

/**
 * The number as an integer count of 10^−scale, exactly; undefined for a text that is no number, is finer than the
 * scale or has more than 15 digits. It works on digits and never uses floating-point values.
 */
export const toScaled = (text: string, scale: number): number | undefined => {
  const match = text.length <= maxTextLength ? decimalForm.exec(text) : null;
  if (match === null) return undefined;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return 0;
  const zeros = digits.length - significant.length + Number(exponent) - fraction.length + scale;
  if (zeros < 0 || significant.length + zeros > maxDigits) return undefined;
  return Number(`${sign}${significant}${'0'.repeat(zeros)}`);
};

/** The text of a scaled integer: `1250` with scale 2 is `12.50`. */
export const fromScaled = (scaled: number | bigint, scale: number): string => {
  const digits = String(scaled < 0 ? -scaled : scaled).padStart(scale + 1, '0');
  const point = digits.length - scale;
  const text = scale === 0 ? digits : `${digits.slice(0, point)}.${digits.slice(point)}`;
  return scaled < 0 ? `-${text}` : text;
};

/** A JSON number is read by its shortest text, as the caller wrote it: 0.1 is one tenth. */
const scaledOf = (value: Json, options: DecimalOptions): number | undefined =>
  typeof value === 'string' || typeof value === 'number'
    ? toScaled(String(value), scaleOf(options))
    : undefined;

const flaw = (options: DecimalOptions): string | undefined => {
  const scale = scaleOf(options);
  if (!Number.isInteger(scale) || scale < 0 || scale > 8) return 'scale must be a whole number from 0 to 8';
  const bounds = [options.min, options.max].map((bound) =>
    bound === undefined ? undefined : scaledOf(bound, options),
  );
  if (options.min !== undefined && bounds[0] === undefined)
    return `min ${options.min} does not fit the scale`;
  if (options.max !== undefined && bounds[1] === undefined)
    return `max ${options.max} does not fit the scale`;
  const [min = -Infinity, max = Infinity] = bounds;
  return min > max ? `min ${options.min} is above max ${options.max}` : undefined;
};

/** True if a value is a decimal number of any length. */
const isNumeric = (value: Json): boolean =>
  typeof value === 'number' || (typeof value === 'string' && decimalForm.test(value.slice(0, maxTextLength)));

const check = (value: Json, options: DecimalOptions): RuleViolation | undefined => {
  const { min, max } = options;
  const scaled = scaledOf(value, options);
  if (scaled === undefined && !isNumeric(value)) return { rule: 'number' };
  if (scaled === undefined)
    return { rule: 'decimal', params: { digits: maxDigits, scale: scaleOf(options) } };
  if (min !== undefined && scaled < (scaledOf(min, options) ?? -Infinity))
    return { rule: 'minimum', params: { min } };
  if (max !== undefined && scaled > (scaledOf(max, options) ?? Infinity))
    return { rule: 'maximum', params: { max } };
  return undefined;
};

/** An exact number with a fixed count of digits after the point, stored as a scaled integer. */
export const decimal = {
  kind: 'decimal',
  column: 'decimal',
  define: <const Options extends DecimalOptions = DecimalOptions>(
    options?: Strict<Options, DecimalOptions>,
  ): FieldDefinition<Options, string, string | number, OrderedOperator> => definition(decimal, options),
  options: {
    ...commonOptions,
    scale: numeric,
    min: numberOrText,
    max: numberOrText,
  } satisfies OptionTable<DecimalOptions>,
  modifiers: ['scale', 'min', 'max'],
  flaw,
  scale: scaleOf,
  input: () => ({ type: ['string', 'number'], format: 'decimal' }),
  output: () => ({ type: 'string', format: 'decimal' }),
  // The scale decides what is valid, so `check` validates.
  format: { name: 'decimal', rule: 'decimal', test: () => true },
  // Judged by its digits: a double would round them to a value that fits.
  fromExact: ({ text }) => text,
  check,
  encode: (value, options) => {
    const scaled = scaledOf(value, options);
    if (scaled === undefined) throw new TypeError('not a decimal');
    return scaled;
  },
  decode: (column, options) => fromScaled(Number(column), scaleOf(options)),
  operators: orderedOperators,
  parse: (text, options) => toScaled(text, scaleOf(options)),
  fromText: orNull,
  searchable: false,
  sortable: true,
  bounds: (options) =>
    withoutUndefined({ min: options.min, max: options.max, digits: maxDigits, scale: scaleOf(options) }),
} satisfies FieldType<DecimalOptions>;
