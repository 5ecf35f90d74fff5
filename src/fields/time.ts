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

export interface TimeOptions extends CommonOptions {
  readonly default?: string;
}

const pattern = /^([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?$/;

/** The canonical text, with seconds, or undefined for any other text. */
const parse = (text: string): string | undefined => {
  const match = pattern.exec(text);
  return match === null ? undefined : `${match[1]}:${match[2]}:${match[3] ?? '00'}`;
};

/** A time of day without a date and a time zone: `HH:MM:SS`, accepted without seconds as well. */
export const time = {
  kind: 'time',
  column: 'time',
  define: <const Options extends TimeOptions = TimeOptions>(
    options?: Strict<Options, TimeOptions>,
  ): FieldDefinition<Options, string, string, OrderedOperator> => definition(time, options),
  options: commonOptions satisfies OptionTable<TimeOptions>,
  // The `time` of JSON Schema has an offset; the OpenAPI format registry has this name for one without.
  input: () => ({ type: 'string', format: 'time-local' }),
  format: {
    name: 'time-local',
    rule: {
      name: 'time',
      sentence: {
        'zh-CN': '{label}不是有效的时间（HH:MM 或 HH:MM:SS）',
        en: '{label} is not a valid time (HH:MM or HH:MM:SS)',
      },
    },
    test: (text) => pattern.test(text),
  },
  encode: (value) => {
    const canonical = parse(textOf(value));
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
