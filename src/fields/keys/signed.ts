/** The key `integer` of external tables, which may have zero and negative numbers too. */

import { integer as type } from '../integer.ts';
import type { RecordKey } from '../key.ts';
import { parseInteger } from '../values.ts';

const of = (value: unknown): number | undefined =>
  Number.isSafeInteger(value) && !Object.is(value, -0) ? Number(value) : undefined;

/** A whole number within ±(2^53−1) that the database gives to a new record, or that another program gave. */
export const signedKey = {
  kind: 'integer',
  givenBy: 'database',
  field: type.define({ required: true }),
  schema: type.input({}),
  // One spelling of each: no leading zeros, and no minus before zero.
  parse: (text) => (/^(?:0|-?[1-9]\d*)$/.test(text) ? parseInteger(text) : undefined),
  format: String,
  of,
  stored: Number,
  compare: (one, other) => Number(one) - Number(other),
} satisfies RecordKey<number>;
