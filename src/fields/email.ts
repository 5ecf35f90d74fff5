/** The field type `email`: an address, stored as written. */

import { storableText } from '../kernel/json.ts';
import type { OptionTable } from '../kernel/options.ts';
import {
  type CommonOptions,
  commonOptions,
  definition,
  type FieldDefinition,
  type FieldType,
  type Strict,
} from './field.ts';
import { orNull, type TextOperator, textOf, textOperators, utf8Bytes } from './values.ts';

export interface EmailOptions extends CommonOptions {
  readonly default?: string;
}

/**
 * Maximum length of an address in RFC 5321.
 * @limit Fields | an email address | characters | 422
 */
const maxLength = 254;

const atom = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+$/u;
const label = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]*[\p{L}\p{M}\p{N}])?$/u;

/**
 * True if current mail systems accept the text as an address: dot-separated atoms, `@`, a domain of two labels or
 * more; letters of any script. Quoted local parts and numeric hosts are refused. Runs in linear time.
 */
const isEmail = (text: string): boolean => {
  const at = text.lastIndexOf('@');
  if (at < 1 || at > 64) return false;
  const labels = text.slice(at + 1).split('.');
  return (
    text
      .slice(0, at)
      .split('.')
      .every((part) => atom.test(part)) &&
    labels.length >= 2 &&
    labels.every((part) => part.length <= 63 && label.test(part))
  );
};

/** An email address, stored as written. */
export const email = {
  kind: 'email',
  column: 'text',
  define: <const Options extends EmailOptions = EmailOptions>(
    options?: Strict<Options, EmailOptions>,
  ): FieldDefinition<Options, string, string, TextOperator> => definition(email, options),
  options: commonOptions satisfies OptionTable<EmailOptions>,
  input: () => ({ type: 'string', format: 'email', maxLength }),
  format: { name: 'email', rule: 'email', test: isEmail },
  encode: textOf,
  operators: textOperators,
  parse: storableText,
  fromText: orNull,
  searchable: true,
  sortable: true,
  indexBytes: () => utf8Bytes(maxLength),
  bounds: () => ({ max: maxLength }),
} satisfies FieldType<EmailOptions>;
