/**
 * The key `text`: ids that callers give. An id is compared by its code points, is one segment of a path, and is never
 * one that a program on the way could change: no control characters, no white space at its ends, no `.` or `..`.
 */

import { storableText } from '../../kernel/json.ts';
import type { FieldDefinition, FieldType } from '../field.ts';
import type { RecordKey } from '../key.ts';
import { type StringOptions, string } from '../string.ts';
import { codePoints, orderedOperators, textOf } from '../values.ts';

/**
 * Most characters of an id.
 * @limit Fields | characters of an id that callers give | count | 422
 */
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

/** The order of code points, which is that of the bytes in which databases keep texts. */
const byCodePoints = (one: string, other: string): number => {
  const [first, second] = [[...one], [...other]];
  const at = first.findIndex((character, index) => character !== second[index]);
  if (at < 0) return first.length - second.length;
  return (first[at]?.codePointAt(0) ?? -1) - (second[at]?.codePointAt(0) ?? -1);
};

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
  compare: (one, other) => byCodePoints(String(one), String(other)),
} satisfies RecordKey<string>;
