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
import {
  boundsFlaw,
  numberOf,
  type OrderedOperator,
  orderedOperators,
  orNull,
  parseInteger,
} from './values.ts';

export interface IntegerOptions extends CommonOptions {
  readonly default?: number;
  /** Smallest value; a smaller one is 422. */
  readonly min?: number;
  /** Greatest value; a greater one is 422. */
  readonly max?: number;
}

const flaw = ({ min, max }: IntegerOptions): string | undefined =>
  [min, max].every((bound) => bound === undefined || Number.isSafeInteger(bound))
    ? boundsFlaw(min, max)
    : 'min and max must be whole numbers within ±(2^53−1)';

/** A whole number within ±(2^53−1). */
export const integer = {
  kind: 'integer',
  column: 'integer',
  define: <const Options extends IntegerOptions = IntegerOptions>(
    options?: Strict<Options, IntegerOptions>,
  ): FieldDefinition<Options, number, number, OrderedOperator> => definition(integer, options),
  options: { ...commonOptions, min: numeric, max: numeric } satisfies OptionTable<IntegerOptions>,
  modifiers: ['min', 'max'],
  flaw,
  input: ({ min, max }) => ({
    type: 'integer',
    minimum: min ?? Number.MIN_SAFE_INTEGER,
    maximum: max ?? Number.MAX_SAFE_INTEGER,
  }),
  encode: numberOf,
  operators: orderedOperators,
  parse: parseInteger,
  fromText: (text) => parseInteger(text) ?? orNull(text),
  searchable: false,
  sortable: true,
  bounds: ({ min, max }) => withoutUndefined({ min, max }),
} satisfies FieldType<IntegerOptions>;
