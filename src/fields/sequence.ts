/**
 * The field type `sequence`: numbers without gaps, formatted as text and assigned in the transaction of a
 * create.
 */

import { storableText } from '../kernel/json.ts';
import type { Label } from '../kernel/messages.ts';
import { flag, label, type OptionTable, oneOf, textual } from '../kernel/options.ts';
import { type Assigned, definition, type FieldDefinition, type FieldType, type Strict } from './field.ts';
import { checkStorable, orNull, type TextOperator, textOf, textOperators, utf8Bytes } from './values.ts';

export interface SequenceOptions {
  readonly label?: Label;
  readonly group?: Label;
  readonly index?: boolean;
  /**
   * A reference of the model, by its key: the records of each referenced record are numbered by themselves, those
   * without one in one sequence. Updates ignore that reference. Give it `onDelete: 'restrict'` or `'cascade'`.
   */
  readonly per?: string;
  /**
   * The text of a number, default `{n}`: `{n:5}` has five digits or more, `{year}` is the year in which the record was
   * created, in UTC. With `{year}` every year starts with 1 again.
   */
  readonly format?: string;
  /** Always so, among the records of one sequence; migrations state it. */
  readonly unique?: true;
}

/** Maximum characters of a format, and of the text that is made from it. */
const maxFormat = 100;
const maxText = maxFormat + 16;

const place = /\{(year|n)(?::([1-9]|1[0-5]))?\}/g;

const formatOf = ({ format = '{n}' }: SequenceOptions): string => format;

const isYearly = (options: SequenceOptions): boolean => formatOf(options).includes('{year}');

const flaw = (options: SequenceOptions): string | undefined => {
  const format = formatOf(options);
  if (storableText(format) === undefined || format.length > maxFormat)
    return `format must be a text of at most ${maxFormat} characters`;
  const places = [...format.matchAll(place)].map(([whole]) => whole);
  const rest = format.replaceAll(place, '');
  if (/[{}]/.test(rest) || places.some((each) => each.startsWith('{year:')))
    return 'format takes {year}, and {n} or {n:1} to {n:15}; other braces are not allowed';
  if (options.per !== undefined && options.unique !== undefined)
    return 'with per, numbers are unique among those of one reference, not of the model';
  const numbers = places.filter((each) => each !== '{year}');
  return numbers.length === 1 ? undefined : 'format needs the number once, as {n} or {n:5}';
};

/**
 * A number without gaps, as text (`INV-2026-00042`), which the service assigns in the transaction that creates the
 * record. Bodies and hooks do not set it, and it never changes. It is neither `required` nor has it a `default`:
 * records that are older than the field have null.
 */
export const sequence = {
  kind: 'sequence',
  column: 'text',
  define: <const Options extends SequenceOptions = SequenceOptions>(
    options?: Strict<Options, SequenceOptions>,
  ): FieldDefinition<Options & Assigned, string, string, TextOperator> => definition(sequence, options),
  options: {
    label,
    group: label,
    index: flag,
    unique: oneOf(true),
    per: textual,
    format: textual,
  } satisfies OptionTable<SequenceOptions>,
  modifiers: ['per', 'format'],
  flaw,
  input: () => ({ type: 'string' }),
  check: checkStorable,
  encode: textOf,
  operators: textOperators,
  parse: storableText,
  fromText: orNull,
  searchable: true,
  sortable: true,
  indexBytes: () => utf8Bytes(maxText),
  counting: (options) => ({
    per: options.per,
    period: (at) => (isYearly(options) ? new Date(at).getUTCFullYear() : 0),
    value: (n, period) =>
      formatOf(options).replaceAll(place, (_whole, name: string, digits = '1') =>
        name === 'year' ? String(period) : String(n).padStart(Number(digits), '0'),
      ),
  }),
} satisfies FieldType<SequenceOptions>;
