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
  type TextOperator,
  textOf,
  textOperators,
  utf8Bytes,
} from './values.ts';

export interface StringOptions extends LengthOptions {
  /** Maximum number of characters; default 255. */
  readonly max?: number;
}

const maxOf = (options: StringOptions): number => options.max ?? 255;

/** One line of text. */
export const string = {
  kind: 'string',
  column: 'text',
  define: <const Options extends StringOptions = StringOptions>(
    options?: Strict<Options, StringOptions>,
  ): FieldDefinition<Options, string, string, TextOperator> => definition(string, options),
  options: lengthOptions satisfies OptionTable<StringOptions>,
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
  indexBytes: (options) => utf8Bytes(maxOf(options)),
  bounds: (options) => lengthBounds(options, maxOf(options)),
} satisfies FieldType<StringOptions>;
