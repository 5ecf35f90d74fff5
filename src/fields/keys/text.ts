/**
 * The key `text`: ids that callers give. An id is compared by its code points, is one segment of a path, and is never
 * one that a program on the way could change: no control characters, no white space at its ends, no `.` or `..`.
 */

import { storableText } from '../../kernel/json.ts';
import type { FieldDefinition, FieldType } from '../field.ts';
import type { RecordKey } from '../key.ts';
import { type StringOptions, string } from '../string.ts';
import { codePoints, orderedOperators, textOf } from '../values.ts';

/** Most characters of an id. */
const maxLength = 255;

/** Names below the path of a model that are no records: endpoints of the service, and pages of its administration. */
export const reservedIds: ReadonlySet<string> = new Set([
  '.',
  '..',
  'aggregate',
  'batch',
  'changes',
  'create',
  'export',
  'import',
  'meta',
  'new',
  'references',
  'trash',
]);

const parse = (text: string): string | undefined =>
  text !== '' &&
  codePoints(text) <= maxLength &&
  storableText(text) !== undefined &&
  !/^\s|\s$|\p{Cc}/u.test(text) &&
  !reservedIds.has(text)
    ? text
    : undefined;

const type = {
  ...string,
  define: (): FieldDefinition<StringOptions> => ({ type, options: {} }),
  input: () => ({ type: 'string', minLength: 1, maxLength }),
  check: (value) => (parse(textOf(value)) === undefined ? { rule: 'pattern' } : undefined),
  encode: (value) => {
    const id = parse(textOf(value));
    if (id === undefined) throw new TypeError('not an id');
    return id;
  },
  operators: orderedOperators,
  parse,
  searchable: false,
} satisfies FieldType<StringOptions>;

/** A text that the body of a create has. */
export const textKey = {
  kind: 'text',
  givenBy: 'caller',
  field: { type, options: { required: true } },
  schema: type.input(),
  parse,
  format: String,
  of: (value) => (typeof value === 'string' ? parse(value) : undefined),
  stored: String,
  compare: (one, other) => Buffer.compare(Buffer.from(String(one)), Buffer.from(String(other))),
} satisfies RecordKey<string>;
