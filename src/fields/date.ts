import { isDate } from '../kernel/clock.ts';
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

export interface DateOptions extends CommonOptions {
  readonly default?: string;
}

/** A calendar day, `YYYY-MM-DD`, without a time zone. */
export const date = {
  kind: 'date',
  column: 'date',
  define: <const Options extends DateOptions = DateOptions>(
    options?: Strict<Options, DateOptions>,
  ): FieldDefinition<Options, string, string, OrderedOperator> => definition(date, options),
  options: commonOptions satisfies OptionTable<DateOptions>,
  input: () => ({ type: 'string', format: 'date' }),
  format: { name: 'date', rule: 'date', test: isDate },
  encode: (value) => {
    const text = textOf(value);
    if (!isDate(text)) throw new TypeError('not a date');
    return text;
  },
  operators: orderedOperators,
  parse: (text) => (isDate(text) ? text : undefined),
  fromText: orNull,
  searchable: false,
  sortable: true,
  // The date widget submits a cleared date as a missing value, which leaves the field unchanged.
  form: ({ required }) =>
    required === true ? {} : { ui: { 'ui:widget': 'text', 'ui:options': { inputType: 'date' } } },
} satisfies FieldType<DateOptions>;
