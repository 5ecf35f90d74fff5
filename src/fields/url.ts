import { storableText } from '../kernel/json.ts';
import { numeric, type OptionTable } from '../kernel/options.ts';
import {
  type CommonOptions,
  commonOptions,
  definition,
  type FieldDefinition,
  type FieldType,
  type Strict,
} from './field.ts';
import { orNull, type TextOperator, textOf, textOperators, utf8Bytes } from './values.ts';

export interface UrlOptions extends CommonOptions {
  readonly default?: string;
  /** Maximum number of characters; default 2,048. */
  readonly max?: number;
}

/** @limit Fields | a URL | characters | 422 */
const maxLength = 2048;

const maxOf = (options: UrlOptions): number => options.max ?? maxLength;

/**
 * True if the text is an absolute http or https address. The WHATWG parser alone also accepts `http:host`,
 * backslashes and line breaks, which other readers interpret differently; so the beginning is compared literally.
 */
const isUrl = (text: string): boolean =>
  /^https?:\/\/[^\s/?#\\@]/i.test(text) && !/[\s\p{Cc}\\]/u.test(text) && URL.canParse(text);

/** A web address, stored as written. Only http and https are accepted. */
export const url = {
  kind: 'url',
  column: 'text',
  define: <const Options extends UrlOptions = UrlOptions>(
    options?: Strict<Options, UrlOptions>,
  ): FieldDefinition<Options, string, string, TextOperator> => definition(url, options),
  options: { ...commonOptions, max: numeric } satisfies OptionTable<UrlOptions>,
  modifiers: ['max'],
  flaw: (options) =>
    Number.isInteger(maxOf(options)) && maxOf(options) >= 10 && maxOf(options) <= maxLength
      ? undefined
      : `max must be a whole number from 10 to ${maxLength}`,
  input: (options) => ({ type: 'string', format: 'uri', maxLength: maxOf(options) }),
  format: { name: 'uri', rule: 'url', test: isUrl },
  encode: textOf,
  operators: textOperators,
  parse: storableText,
  fromText: orNull,
  searchable: true,
  sortable: true,
  indexBytes: (options) => utf8Bytes(maxOf(options)),
  bounds: (options) => ({ max: maxOf(options) }),
} satisfies FieldType<UrlOptions>;
