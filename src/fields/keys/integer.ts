import { integer as type } from '../integer.ts';
import type { RecordKey } from '../key.ts';
import { parsePositive } from '../values.ts';

/** A positive whole number that the database gives to a new record. */
export const integerKey = {
  kind: 'integer',
  givenBy: 'database',
  field: type.define({ required: true }),
  schema: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
  parse: parsePositive,
  format: String,
  of: (value) => (Number.isSafeInteger(value) && Number(value) > 0 ? Number(value) : undefined),
  stored: Number,
  compare: (one, other) => Number(one) - Number(other),
  before: (id, places) => {
    const before = Number(id) - places;
    return before >= 1 ? before : undefined;
  },
} satisfies RecordKey<number>;
