/**
 * The field type `sequence`: numbers without gaps, formatted as text and assigned in the transaction of a
 * create.
 */

import { type Json, storableText } from '../kernel/json.ts';
import type { Label } from '../kernel/messages.ts';
import { flag, label, type OptionCheck, type OptionTable, oneOf, textual } from '../kernel/options.ts';
import { isTimeZone, yearReader } from '../kernel/time-zone.ts';
import { type Assigned, definition, type FieldDefinition, type FieldType, type Strict } from './field.ts';
import { checkStorable, orNull, type TextOperator, textOf, textOperators, utf8Bytes } from './values.ts';

export interface SequenceOptions {
  readonly label?: Label;
  readonly group?: Label;
  readonly index?: boolean;
  /**
   * Any reference of the model, by its key: the records of each referenced record have their own sequence. Updates
   * ignore that reference. Give it `onDelete: 'restrict'` or `'cascade'`.
   */
  readonly per?: string;
  /**
   * The text of a number, default `{n}`: `{n:5}` has five digits or more, `{year}` is the year in which the record
   * was created. With `{year}` every year starts with 1 again.
   */
  readonly format?: string | ((record: Readonly<Record<string, Json>>) => string);
  /** The time zone in which `{year}` begins, such as `Europe/Berlin`. Default: UTC. */
  readonly zone?: string;
  /** Always so, among the records of one sequence; migrations state it. */
  readonly unique?: true;
}

/** Maximum characters of a format, and of the text that is made from it. */
const maxFormat = 100;
const maxText = maxFormat + 16;

const place = /\{(year|n)(?::([1-9]|1[0-5]))?\}/g;

const yearOfUtc = (at: number): number => new Date(at).getUTCFullYear();

/** A text, or a function of the record. */
const formatOption: OptionCheck = (value, path) =>
  typeof value === 'function' ? undefined : textual(value, path);

const isYearly = (format: string): boolean => format.includes('{year}');

const formatFlaw = (format: string): string | undefined => {
  if (storableText(format) === undefined || format.length > maxFormat)
    return `format must be a text of at most ${maxFormat} characters`;
  const places = [...format.matchAll(place)].map(([whole]) => whole);
  const rest = format.replaceAll(place, '');
  if (/[{}]/.test(rest) || places.some((each) => each.startsWith('{year:')))
    return 'format takes {year}, and {n} or {n:1} to {n:15}; other braces are not allowed';
  const numbers = places.filter((each) => each !== '{year}');
  return numbers.length === 1 ? undefined : 'format needs the number once, as {n} or {n:5}';
};

const flaw = ({ format = '{n}', zone, per, unique }: SequenceOptions): string | undefined => {
  const wrong = typeof format === 'function' ? undefined : formatFlaw(format);
  if (wrong !== undefined) return wrong;
  if (zone !== undefined && !isTimeZone(zone))
    return `zone must be the name of a time zone, such as Europe/Berlin, not ${JSON.stringify(zone)}`;
  return per !== undefined && unique !== undefined
    ? 'with per, numbers are unique among those of one reference, not of the model'
    : undefined;
};

/** The format of a record's number. @throws Error for a function that returns no format; its own errors */
const formatOf = (
  { format = '{n}' }: SequenceOptions,
  record: () => Readonly<Record<string, Json>>,
): string => {
  if (typeof format !== 'function') return format;
  const made: unknown = format(record());
  if (typeof made !== 'string') throw new Error(`format must return a text, not ${typeof made}`);
  const wrong = formatFlaw(made);
  if (wrong !== undefined)
    throw new Error(`${wrong}: it returned ${JSON.stringify(made.slice(0, maxFormat))}`);
  return made;
};

/**
 * A number without gaps, as text (`INV-2026-00042`), which the service assigns in the transaction that creates the
 * record. It never changes; records that are older than the field have null.
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
    format: formatOption,
    zone: textual,
  } satisfies OptionTable<SequenceOptions>,
  modifiers: ['per', 'format', 'zone'],
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
  counting: (options) => {
    const yearOf = options.zone === undefined ? yearOfUtc : yearReader(options.zone);
    return {
      per: options.per,
      numbering: (record, at) => {
        const format = formatOf(options, record);
        const period = isYearly(format) ? yearOf(at) : 0;
        return {
          period,
          value: (n) =>
            format.replaceAll(place, (_whole, name: string, digits = '1') =>
              name === 'year' ? String(period) : String(n).padStart(Number(digits), '0'),
            ),
        };
      },
    };
  },
} satisfies FieldType<SequenceOptions>;
