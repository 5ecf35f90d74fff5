import type { Locale } from '../kernel/messages/catalogue.ts';
import { type Label, labelText } from '../kernel/messages/messages.ts';
import { label, mapOf, type OptionTable, texts } from '../kernel/options.ts';
import {
  type Choice,
  type CommonOptions,
  commonOptions,
  definition,
  type FieldDefinition,
  type FieldType,
} from './field.ts';
import { type IdentityOperator, identityOperators, isStorable, orNull, textOf, utf8Bytes } from './values.ts';

/** Options beside the choices. */
export interface EnumExtras<Value extends string = string> extends CommonOptions {
  readonly default?: NoInfer<Value>;
  /** What people read in place of a choice; the choice itself where absent. */
  readonly labels?: { readonly [Name in NoInfer<Value>]?: Label };
}

export interface EnumOptions extends CommonOptions {
  readonly choices: readonly string[];
  readonly labels?: Readonly<Record<string, Label | undefined>>;
}

const longest = 64;

const flaw = ({ choices, labels = {} }: EnumOptions): string | undefined => {
  const wrong = texts(choices, 'the list of choices');
  if (wrong !== undefined) return wrong;
  if (choices.length === 0) return 'it has no choices';
  if (new Set(choices).size !== choices.length) return 'a choice is named twice';
  const bad = choices.find((choice) => !/^[^\s,]+$/u.test(choice) || !isStorable(choice));
  if (bad !== undefined) return `choice ${JSON.stringify(bad)}: no blanks, commas or empty texts`;
  const long = choices.find((choice) => choice.length > longest);
  if (long !== undefined) return `choice ${long} is longer than ${longest} characters`;
  const stray = Object.keys(labels).find((name) => !choices.includes(name));
  return stray === undefined ? undefined : `label for ${stray}, which is no choice`;
};

const choicesOf = ({ choices, labels }: EnumOptions, locale: Locale): Choice[] =>
  choices.map((value) => ({ value, label: labelText(labels?.[value] ?? value, locale) }));

/** One of a few texts that the model names. */
export const enumeration = {
  kind: 'enum',
  column: 'text',
  define: <const Value extends string, const Extras extends EnumExtras<Value> = EnumExtras<Value>>(
    choices: readonly Value[],
    extras?: Extras & { [Key in Exclude<keyof Extras, keyof EnumExtras>]: never },
  ): FieldDefinition<Extras & { readonly choices: readonly Value[] }, Value, Value, IdentityOperator> =>
    definition(enumeration, extras, {
      choices: Array.isArray(choices) ? Object.freeze([...choices]) : choices,
    }),
  options: { ...commonOptions, labels: mapOf(label) } satisfies OptionTable<EnumExtras>,
  argument: { option: 'choices', list: true },
  flaw,
  input: (options, locale) => ({
    type: 'string',
    oneOf: choicesOf(options, locale).map(({ value, label }) => ({ const: value, title: label })),
  }),
  encode: textOf,
  operators: identityOperators,
  parse: (text, { choices }) => (choices.includes(text) ? text : undefined),
  fromText: orNull,
  searchable: false,
  sortable: true,
  indexBytes: () => utf8Bytes(longest),
  choices: choicesOf,
} satisfies FieldType<EnumOptions>;
