/**
 * A key of several columns, for tables of other programs: the id is the values of the columns, each percent-encoded as
 * `encodeURIComponent` does, joined by commas. Each id has one spelling; another one names no record.
 */

import { isStorableText } from '../../kernel/json.ts';
import {
  type ColumnKind,
  type CommonOptions,
  commonOptions,
  type FieldDefinition,
  type FieldType,
} from '../field.ts';
import type { KeyPart, RecordKey } from '../key.ts';
import { orderedOperators, orNull, textOf } from '../values.ts';

/** Kinds of columns whose values have one text each, which both databases write alike. */
export const kindsOfParts: ReadonlySet<ColumnKind> = new Set([
  'text',
  'integer',
  'bigint',
  'date',
  'time',
  'uuid',
]);

/** True for the kinds whose texts may have characters that the id has percent-encoded. */
export const isEncoded = (kind: ColumnKind): boolean => kind === 'text' || kind === 'time';

const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
};

/** True for the one spelling of a value of the column. */
const isPart = ({ type, options }: KeyPart, spelled: string): boolean => {
  const text = decoded(spelled);
  if (text === undefined || !isStorableText(text) || encodeURIComponent(text) !== spelled) return false;
  const value = type.parse(text, options);
  return value !== undefined && value !== null && String(value) === text;
};

const comparedTexts = (one: string, other: string): number => {
  if (one === other) return 0;
  return one < other ? -1 : 1;
};

/** The key of several fields, in this order. */
export const keyOfColumns = (
  parts: readonly KeyPart[],
): RecordKey<string> & { readonly parts: readonly KeyPart[] } => {
  const parse = (text: string): string | undefined => {
    const spelled = text.split(',');
    const fits =
      spelled.length === parts.length && parts.every((part, at) => isPart(part, spelled[at] ?? ''));
    return fits ? text : undefined;
  };
  const type = {
    kind: 'string',
    column: 'text',
    define: (): FieldDefinition<CommonOptions> => ({ type, options: {} }),
    options: commonOptions,
    input: () => ({ type: 'string', pattern: `^[^,]*${',[^,]*'.repeat(parts.length - 1)}$` }),
    check: (value) => (parse(textOf(value)) === undefined ? { rule: 'pattern' } : undefined),
    encode: (value) => {
      const id = parse(textOf(value));
      if (id === undefined) throw new TypeError('not an id');
      return id;
    },
    operators: orderedOperators,
    parse,
    fromText: orNull,
    searchable: false,
    sortable: true,
    indexBytes: () => parts.reduce((sum, part) => sum + (part.type.indexBytes?.(part.options) ?? 16), 0),
  } satisfies FieldType;
  return Object.freeze({
    kind: 'columns',
    givenBy: 'database',
    parts,
    field: { type, options: { required: true } },
    schema: type.input(),
    parse,
    format: String,
    of: (value: unknown) => (typeof value === 'string' ? parse(value) : undefined),
    stored: String,
    compare: (one, other) => comparedTexts(String(one), String(other)),
  } satisfies RecordKey<string>);
};
