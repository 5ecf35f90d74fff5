import { withoutUndefined } from '../kernel/json.ts';
import { numeric, type OptionTable } from '../kernel/options.ts';
import {
  type CommonOptions,
  commonOptions,
  definition,
  type FieldDefinition,
  type FieldType,
  type Strict,
} from './field.ts';
import { boundsFlaw, numberOf, type OrderedOperator, orderedOperators, orNull } from './values.ts';

export interface NumberOptions extends CommonOptions {
  readonly default?: number;
  /** Smallest value; a smaller one is 422. */
  readonly min?: number;
  /** Greatest value; a greater one is 422. */
  readonly max?: number;
}

const parse = (text: string): number | undefined => {
  if (!/^-?\d{1,400}(?:\.\d{1,400})?(?:[eE][+-]?\d{1,3})?$/.test(text)) return undefined;
  const number = Number(text);
  return Number.isFinite(number) ? numberOf(number) : undefined;
};

/** A measured number: a finite IEEE 754 double. For money use a decimal or an integer. */
export const number = {
  kind: 'number',
  column: 'number',
  define: <const Options extends NumberOptions = NumberOptions>(
    options?: Strict<Options, NumberOptions>,
  ): FieldDefinition<Options, number, number, OrderedOperator> => definition(number, options),
  options: { ...commonOptions, min: numeric, max: numeric } satisfies OptionTable<NumberOptions>,
  modifiers: ['min', 'max'],
  flaw: ({ min, max }) =>
    [min, max].every((bound) => bound === undefined || Number.isFinite(bound))
      ? boundsFlaw(min, max)
      : 'min and max must be finite',
  input: ({ min, max }) => ({ type: 'number', ...withoutUndefined({ minimum: min, maximum: max }) }),
  // A measured number: the nearest double.
  fromExact: ({ text }) => Number(text),
  encode: numberOf,
  operators: orderedOperators,
  parse,
  fromText: (text) => parse(text) ?? orNull(text),
  searchable: false,
  sortable: true,
  bounds: ({ min, max }) => withoutUndefined({ min, max }),
} satisfies FieldType<NumberOptions>;
