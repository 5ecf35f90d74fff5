import { integer as type } from '../integer.ts';
import type { RecordKey } from '../key.ts';
import { parsePositive } from '../values.ts';

/** A positive whole number that the database gives to a new record. */
export const integerKey = {
  kind: 'integer',
  field: type.define({ required: true }),
  parse: parsePositive,
  format: String,
  is: (value): value is number => Number.isSafeInteger(value) && Number(value) > 0,
  stored: Number,
  compare: (one, other) => Number(one) - Number(other),
  before: (id, places) => {
    const before = Number(id) - places;
    return before >= 1 ? before : undefined;
  },
} satisfies RecordKey<number>;
