import type { Json } from '../kernel/json.ts';
import type { FilterOperator } from './field.ts';

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

/** Texts that both databases store unchanged: PostgreSQL refuses NUL, UTF-8 has no lone surrogates. */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

/** The text of a value that is known to be one. */
export const textOf = (value: Json): string => {
  if (typeof value !== 'string' || !isStorable(value)) throw new TypeError('not a storable text');
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

/** An id as paths and parameters spell it; undefined for any other text. */
export const parseId = (text: string): number | undefined => {
  const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(id) ? id : undefined;
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

/** Entries that have a value: schemas and bounds contain only the limits that a field has. */
export const withoutUndefined = <Value>(
  entries: Readonly<Record<string, Value | undefined>>,
): Record<string, Value> =>
  Object.fromEntries(
    Object.entries(entries).filter((entry): entry is [string, Value] => entry[1] !== undefined),
  );
