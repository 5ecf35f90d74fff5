/**
 * Parts that field types share: operators of filters, parsing of texts, and the options, bounds and schema of
 * a length.
 */

import { isStorableText, type Json, withoutUndefined } from '../kernel/json.ts';
import { numeric, type OptionTable, textual } from '../kernel/options.ts';
import {
  type CommonOptions,
  commonOptions,
  type FilterOperator,
  type JsonSchema,
  type RuleViolation,
} from './field.ts';
import { patternFlaw } from './pattern.ts';

/** Operators of ordered types other than texts. */
export const orderedOperators = [
  'eq',
  'ne',
  'gt',
  'gte',
  'lt',
  'lte',
  'in',
  'null',
] as const satisfies readonly FilterOperator[];
export type OrderedOperator = (typeof orderedOperators)[number];

export const textOperators = [
  ...orderedOperators,
  'like',
  'starts_with',
] as const satisfies readonly FilterOperator[];
export type TextOperator = (typeof textOperators)[number];

/** Operators of types whose values are only equal or not. */
export const identityOperators = ['eq', 'ne', 'in', 'null'] as const satisfies readonly FilterOperator[];
export type IdentityOperator = (typeof identityOperators)[number];

/** The text of a value that is known to be one. */
export const textOf = (value: Json): string => {
  if (typeof value !== 'string' || !isStorableText(value)) throw new TypeError('not a storable text');
  return value;
};

/** The number of a value that is known to be one; minus zero becomes zero, as PostgreSQL has no other. */
export const numberOf = (value: Json): number => {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new TypeError('not a finite number');
  return value === 0 ? 0 : value;
};

/** Parses a decimal integer within ±(2^53−1); no exponent, no sign but minus. */
export const parseInteger = (text: string): number | undefined => {
  if (!/^-?\d{1,16}$/.test(text)) return undefined;
  const number = Number(text);
  return Number.isSafeInteger(number) ? numberOf(number) : undefined;
};

/** A whole number from 1 to 2^53−1 without leading zeros; undefined for any other text. */
export const parsePositive = (text: string): number | undefined => {
  const number = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(number) ? number : undefined;
};

/** A text of a file without types, for types that have no empty value. */
export const orNull = (text: string): string | null => (text === '' ? null : text);

/** Length in Unicode code points, as in JSON Schema. */
export const codePoints = (text: string): number => {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
};

/** Maximum of UTF-8 bytes of a text with so many code points. */
export const utf8Bytes = (length: number): number => length * 4;

/** The flaw of a pair of bounds that no value can meet. */
export const boundsFlaw = (min: number | undefined, max: number | undefined): string | undefined =>
  min !== undefined && max !== undefined && min > max ? `min ${min} is above max ${max}` : undefined;

/** Options of texts that people write. Lengths are Unicode code points. */
export interface LengthOptions extends CommonOptions {
  readonly default?: string;
  /** Minimum number of characters; a shorter text is 422. */
  readonly min?: number;
  /** Maximum number of characters; a longer text is 422. */
  readonly max?: number;
  /**
   * A regular expression (flag `u`) that must match somewhere: anchor it with `^` and `$`. One whose matching time
   * can explode, as `^(a+)+$` does, is refused at start, and so are back-references and look-behind.
   */
  readonly pattern?: string;
}

export const lengthOptions = {
  ...commonOptions,
  min: numeric,
  max: numeric,
  pattern: textual,
} satisfies OptionTable<LengthOptions>;

/**
 * Characters that one PostgreSQL value can take on its way through a body: the service's default body limit.
 * @limit Fields | a text without `max` | characters | 422
 */
export const maxCharacters = 1_048_576;

const isLength = (length: number): boolean =>
  Number.isInteger(length) && length >= 0 && length <= maxCharacters;

/** The flaw of the options of a text. */
export const lengthFlaw = (options: LengthOptions, max: number): string | undefined => {
  for (const [name, length] of Object.entries({ min: options.min, max: options.max }))
    if (length !== undefined && !isLength(length))
      return `${name} must be a whole number from 0 to ${maxCharacters}`;
  const flaw = boundsFlaw(options.min, max);
  if (flaw !== undefined || options.pattern === undefined) return flaw;
  return patternFlaw(options.pattern, max);
};

/** A required text is never blank, so forms may demand one character. */
const minimumLength = ({ min, required }: LengthOptions): number | undefined =>
  required === true ? Math.max(min ?? 0, 1) : min;

export const lengthSchema = (options: LengthOptions, max: number): JsonSchema => ({
  type: 'string',
  ...withoutUndefined({ minLength: minimumLength(options), maxLength: max, pattern: options.pattern }),
});

export const lengthBounds = ({ min, pattern }: LengthOptions, max: number) =>
  withoutUndefined<string | number>({ min, max, pattern });

/** The body parser refuses such texts earlier; other callers must not store them either. */
export const checkStorable = (value: Json): RuleViolation | undefined =>
  typeof value === 'string' && isStorableText(value) ? undefined : { rule: 'pattern' };
