/** The key `bigint`: whole numbers of 64 bits, as decimal digits in a text. No double is ever made of one. */

import { type CommonOptions, commonOptions, type FieldDefinition, type FieldType } from '../field.ts';
import type { RecordKey } from '../key.ts';
import { orderedOperators, orNull, textOf } from '../values.ts';

/** One spelling of each number: no leading zeros, no plus sign, and no minus before zero. */
const spelling = /^(?:0|-?[1-9]\d{0,18})$/;

/** The text itself, or undefined for one that is no number of 64 bits in its only spelling. */
export const parseBigint = (text: string): string | undefined =>
  spelling.test(text) && String(BigInt.asIntN(64, BigInt(text))) === text ? text : undefined;

const type = {
  kind: 'string',
  column: 'bigint',
  define: (): FieldDefinition<CommonOptions> => ({ type, options: {} }),
  options: commonOptions,
  input: () => ({ type: 'string', pattern: spelling.source, maxLength: 20 }),
  check: (value) => (parseBigint(textOf(value)) === undefined ? { rule: 'pattern' } : undefined),
  encode: (value) => {
    const number = parseBigint(textOf(value));
    if (number === undefined) throw new TypeError('not a whole number of 64 bits');
    return number;
  },
  operators: orderedOperators,
  parse: parseBigint,
  fromText: orNull,
  searchable: false,
  sortable: true,
  indexBytes: () => 8,
} satisfies FieldType;

/** A whole number of 64 bits that the database gives to a new record. */
export const bigintKey = {
  kind: 'bigint',
  givenBy: 'database',
  field: { type, options: { required: true } },
  schema: type.input(),
  parse: parseBigint,
  format: String,
  of: (value) => (typeof value === 'string' ? parseBigint(value) : undefined),
  stored: String,
  compare: (one, other) => {
    const [first, second] = [BigInt(one), BigInt(other)];
    if (first === second) return 0;
    return first < second ? -1 : 1;
  },
} satisfies RecordKey<string>;
