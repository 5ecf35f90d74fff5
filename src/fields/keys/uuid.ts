/** The key `uuid`: ids of version 7 (RFC 9562), which sort in the order in which the service made them. */

import type { FieldType } from '../field.ts';
import type { RecordKey } from '../key.ts';
import { type UuidOptions, uuid } from '../uuid.ts';
import { orderedOperators } from '../values.ts';

/** Ids are compared, as they have an order: for pages, and for an export that goes on. */
const type = { ...uuid, operators: orderedOperators } satisfies FieldType<UuidOptions>;

/** Values of the 12 bits behind the time, which count the ids of one millisecond. */
const countPerMs = 4_096;

const random = (bytes: number): Uint8Array => crypto.getRandomValues(new Uint8Array(bytes));

/** The last time in milliseconds, and the number of the id in it: ids of one process never go back. */
const last = { ms: 0, count: 0 };

/** The time and the number of the next id. A clock that went back goes on at the last time. */
const nextPlace = (now: number): typeof last => {
  if (now > last.ms) {
    last.ms = now;
    // The lower half, so that thousands of ids fit into a millisecond before its time is exceeded.
    const [high = 0, low = 0] = random(2);
    last.count = (high * 256 + low) % (countPerMs / 2);
  } else if (last.count + 1 < countPerMs) last.count += 1;
  else {
    last.ms += 1;
    last.count = 0;
  }
  return last;
};

/** A new id. `now`: milliseconds since 1970. */
export const newUuid = (now: number): string => {
  const { ms, count } = nextPlace(Math.trunc(now));
  const rest = random(8);
  rest[0] = ((rest[0] ?? 0) & 0x3f) | 0x80;
  const hex = `${ms.toString(16).padStart(12, '0')}7${count.toString(16).padStart(3, '0')}${Array.from(rest, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
};

/** A UUID that the service gives to a new record; paths and bodies may name it in either case. */
export const uuidKey = {
  kind: 'uuid',
  givenBy: 'service',
  field: { type, options: { required: true } },
  schema: type.input(),
  parse: type.parse,
  format: String,
  of: (value) => (typeof value === 'string' ? type.parse(value) : undefined),
  stored: String,
  compare: (one, other) => {
    if (one === other) return 0;
    return one < other ? -1 : 1;
  },
  create: newUuid,
} satisfies RecordKey<string>;
