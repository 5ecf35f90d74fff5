import { storableText } from '../kernel/json.ts';
import type { OptionTable } from '../kernel/options.ts';
import { definition, type FieldDefinition, type FieldType, type Strict } from './field.ts';
import {
  checkStorable,
  type LengthOptions,
  lengthBounds,
  lengthFlaw,
  lengthOptions,
  lengthSchema,
  maxCharacters,
  type TextOperator,
  textOf,
  textOperators,
} from './values.ts';

export interface TextOptions extends LengthOptions {
  /** Maximum number of characters; default 1,048,576. */
  readonly max?: number;
}

const maxOf = (options: TextOptions): number => options.max ?? maxCharacters;

/** Text of any length, over several lines. */
export const text = {
  kind: 'text',
  column: 'text',
  define: <const Options extends TextOptions = TextOptions>(
    options?: Strict<Options, TextOptions>,
  ): FieldDefinition<Options, string, string, TextOperator> => definition(text, options),
  options: lengthOptions satisfies OptionTable<TextOptions>,
  modifiers: ['min', 'max', 'pattern'],
  flaw: (options) => lengthFlaw(options, maxOf(options)),
  input: (options) => lengthSchema(options, maxOf(options)),
  check: checkStorable,
  encode: textOf,
  operators: textOperators,
  parse: storableText,
  fromText: (text) => text,
  searchable: true,
  sortable: true,
  indexBytes: () => Number.POSITIVE_INFINITY,
  bounds: (options) => lengthBounds(options, maxOf(options)),
  form: () => ({ ui: { 'ui:widget': 'textarea' } }),
} satisfies FieldType<TextOptions>;
