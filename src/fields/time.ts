/** The field `time`: a time of day, without a date or a zone. */

import { numeric, type OptionTable } from '../kernel/options.ts';
import {
  type CommonOptions,
  commonOptions,
  definition,
  type FieldDefinition,
  type FieldType,
  type Strict,
} from './field.ts';
import { type OrderedOperator, orderedOperators, orNull, textOf } from './values.ts';

export interface TimeOptions extends CommonOptions {
  readonly default?: string;
  /** Digits that a second may have after the point, in a column of an external table: 0 to 6, by default 0. */
  readonly fraction?: number;
}

const pattern = /^([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.(\d{1,6}))?)?$/;

/** The canonical text, with seconds and without zeros at the end of a fraction, or undefined for any other text. */
const parse = (text: string, { fraction = 0 }: TimeOptions): string | undefined => {
  const [, hour, minute, second = '00', digits = ''] = pattern.exec(text) ?? [];
  const part = digits.replace(/0+$/, '');
  if (hour === undefined || part.length > fraction) return undefined;
  return `${hour}:${minute}:${second}${part === '' ? '' : `.${part}`}`;
};

const rule = {
  name: 'time',
  sentence: {
    'zh-CN': '{label}不是有效的时间（HH:MM 或 HH:MM:SS）',
    en: '{label} is not a valid time (HH:MM or HH:MM:SS)',
  },
} as const;

/**
 * A time of day without a date and a time zone: `HH:MM:SS`, accepted without seconds as well. With `fraction` a second
 * has parts, `HH:MM:SS.5`.
 */
export const time = {
  kind: 'time',
  column: 'time',
  define: <const Options extends TimeOptions = TimeOptions>(
    options?: Strict<Options, TimeOptions>,
  ): FieldDefinition<Options, string, string, OrderedOperator> => definition(time, options),
  options: { ...commonOptions, fraction: numeric } satisfies OptionTable<TimeOptions>,
  // The `time` of JSON Schema has an offset; the OpenAPI format registry has this name for one without.
  input: () => ({ type: 'string', format: 'time-local' }),
  format: {
    name: 'time-local',
    rule,
    test: (text) => pattern.test(text),
  },
  flaw: ({ fraction = 0 }) =>
    Number.isInteger(fraction) && fraction >= 0 && fraction <= 6
      ? undefined
      : 'fraction must be a whole number from 0 to 6',
  check: (value, options) => (parse(textOf(value), options) === undefined ? { rule } : undefined),
  encode: (value, options) => {
    const canonical = parse(textOf(value), options);
    if (canonical === undefined) throw new TypeError('not a time of day');
    return canonical;
  },
  operators: orderedOperators,
  parse,
  fromText: orNull,
  searchable: false,
  sortable: true,
  form: () => ({ ui: { 'ui:widget': 'text', 'ui:options': { inputType: 'time' } } }),
} satisfies FieldType<TimeOptions>;
