import type { OptionTable } from '../kernel/options.ts';
import {
  type CommonOptions,
  commonOptions,
  definition,
  type FieldDefinition,
  type FieldType,
  type Strict,
} from './field.ts';
import { type IdentityOperator, identityOperators, orNull, textOf } from './values.ts';

export interface UuidOptions extends CommonOptions {
  readonly default?: string;
}

const pattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The canonical form, lower case, or undefined for a text that is no UUID of 36 characters. */
const parse = (text: string): string | undefined => (pattern.test(text) ? text.toLowerCase() : undefined);

/** A UUID of any version. */
export const uuid = {
  kind: 'uuid',
  column: 'uuid',
  define: <const Options extends UuidOptions = UuidOptions>(
    options?: Strict<Options, UuidOptions>,
  ): FieldDefinition<Options, string, string, IdentityOperator> => definition(uuid, options),
  options: commonOptions satisfies OptionTable<UuidOptions>,
  input: () => ({ type: 'string', format: 'uuid' }),
  format: { name: 'uuid', rule: 'uuid', test: (text) => pattern.test(text) },
  encode: (value) => {
    const canonical = parse(textOf(value));
    if (canonical === undefined) throw new TypeError('not a UUID');
    return canonical;
  },
  operators: identityOperators,
  parse,
  fromText: orNull,
  searchable: false,
  sortable: true,
  indexBytes: () => 36,
} satisfies FieldType<UuidOptions>;
