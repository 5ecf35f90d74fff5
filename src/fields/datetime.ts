import { parseTimestamp, toTimestamp } from '../kernel/clock.ts';
import type { OptionTable } from '../kernel/options.ts';
import {
  type CommonOptions,
  commonOptions,
  definition,
  type FieldDefinition,
  type FieldType,
  type Strict,
} from './field.ts';
import { type OrderedOperator, orderedOperators, orNull, textOf } from './values.ts';

export interface DatetimeOptions extends CommonOptions {
  readonly default?: string;
}

/** The canonical text of an instant, or undefined for any other text. */
const parse = (text: string): string | undefined => {
  const milliseconds = parseTimestamp(text);
  return milliseconds === undefined ? undefined : toTimestamp(milliseconds);
};

/** An instant in milliseconds, years 0001 to 9999. Accepted with any ISO 8601 offset, returned in UTC. */
export const datetime = {
  kind: 'datetime',
  column: 'timestamp',
  define: <const Options extends DatetimeOptions = DatetimeOptions>(
    options?: Strict<Options, DatetimeOptions>,
  ): FieldDefinition<Options, string, string, OrderedOperator> => definition(datetime, options),
  options: commonOptions satisfies OptionTable<DatetimeOptions>,
  input: () => ({ type: 'string', format: 'date-time' }),
  format: { name: 'date-time', rule: 'datetime', test: (text) => parse(text) !== undefined },
  encode: (value) => {
    const canonical = parse(textOf(value));
    if (canonical === undefined) throw new TypeError('not a timestamp');
    return canonical;
  },
  operators: orderedOperators,
  parse,
  fromText: orNull,
  searchable: false,
  sortable: true,
  // As with dates; moreover the browser's own input accepts no text with a zone.
  form: ({ required }) =>
    required === true ? {} : { ui: { 'ui:widget': 'text', 'ui:placeholder': '2024-01-31T09:30:00Z' } },
} satisfies FieldType<DatetimeOptions>;
