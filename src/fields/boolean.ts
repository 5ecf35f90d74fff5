import type { OptionTable } from '../kernel/options.ts';
import {
  type CommonOptions,
  commonOptions,
  definition,
  type FieldDefinition,
  type FieldType,
  type Strict,
} from './field.ts';
import { orNull } from './values.ts';

export interface BooleanOptions extends CommonOptions {
  readonly default?: boolean;
}

/** Spellings in spreadsheets and databases. */
const words: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
  ['1', true],
  ['0', false],
]);

/** True or false; 1 and 0 in SQLite. */
export const boolean = {
  kind: 'boolean',
  column: 'boolean',
  define: <const Options extends BooleanOptions = BooleanOptions>(
    options?: Strict<Options, BooleanOptions>,
  ): FieldDefinition<Options, boolean, boolean, 'eq' | 'ne' | 'null'> => definition(boolean, options),
  options: commonOptions satisfies OptionTable<BooleanOptions>,
  input: () => ({ type: 'boolean' }),
  encode: (value) => {
    if (typeof value !== 'boolean') throw new TypeError('not a boolean');
    return value;
  },
  operators: ['eq', 'ne', 'null'],
  parse: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
  fromText: (text) => words.get(text.toLowerCase()) ?? orNull(text),
  searchable: false,
  sortable: true,
  // A checkbox has no third state, and an untouched one is not an answer.
  form: ({ required, default: preset }) =>
    preset === undefined ? { ui: { 'ui:widget': required === true ? 'radio' : 'select' } } : {},
} satisfies FieldType<BooleanOptions>;
