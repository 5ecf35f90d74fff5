/** The field type `enum`: one of a few texts that the model lists, each with a label and a colour. */

import { isStorableText } from '../kernel/json.ts';
import { type Label, type Locale, labelText } from '../kernel/messages.ts';
import { label, mapOf, nearestHint, type OptionTable, oneNamed, texts } from '../kernel/options.ts';
import { type ChoiceColour, choiceColours } from './colours.ts';
import {
  type Choice,
  type CommonOptions,
  commonOptions,
  definition,
  type FieldDefinition,
  type FieldType,
  type Strict,
} from './field.ts';
import { type IdentityOperator, identityOperators, orNull, textOf, utf8Bytes } from './values.ts';

/** Options beside the choices. */
export interface EnumExtras<Value extends string = string> extends CommonOptions {
  readonly default?: NoInfer<Value>;
  /** Display texts of choices; the choice itself where absent. */
  readonly labels?: { readonly [Name in NoInfer<Value>]?: Label };
  /**
   * Colours of choices in the administration area, next to their texts: grey, red, orange, yellow, green, teal, blue,
   * purple, pink.
   */
  readonly colors?: { readonly [Name in NoInfer<Value>]?: ChoiceColour };
}

export interface EnumOptions extends CommonOptions {
  readonly choices: readonly string[];
  readonly labels?: Readonly<Record<string, Label | undefined>>;
  readonly colors?: Readonly<Record<string, ChoiceColour | undefined>>;
}

/** A line that begins and ends with something to see. Commas are escaped where a list is written as one text. */
const choiceForm = /^[^\s\p{Cc}](?:[^\p{Cc}\u2028\u2029]*[^\s\p{Cc}])?$/u;

/** @limit Fields | a choice of an `enum` | characters | no start */
const maxChoiceLength = 64;

const flaw = ({ choices, labels = {}, colors = {} }: EnumOptions): string | undefined => {
  const wrong = texts(choices, 'the list of choices');
  if (wrong !== undefined) return wrong;
  if (choices.length === 0) return 'it has no choices';
  if (new Set(choices).size !== choices.length) return 'a choice is named twice';
  const bad = choices.find((choice) => !choiceForm.test(choice) || !isStorableText(choice));
  if (bad !== undefined)
    return `choice ${JSON.stringify(bad)}: it is one line, neither empty nor with a blank at an end`;
  const long = choices.find((choice) => choice.length > maxChoiceLength);
  if (long !== undefined) return `choice ${long} is longer than ${maxChoiceLength} characters`;
  const unknownChoice = (given: object): string | undefined =>
    Object.keys(given).find((name) => !choices.includes(name));
  const wrongLabel = unknownChoice(labels);
  const wrongColour = unknownChoice(colors);
  if (wrongLabel !== undefined) return `label for ${wrongLabel}, which is not a choice`;
  return wrongColour === undefined
    ? undefined
    : `color for ${wrongColour}, which is not a choice${nearestHint(wrongColour, choices)}`;
};

const choicesOf = ({ choices, labels, colors }: EnumOptions, locale: Locale): Choice[] =>
  choices.map((value) => {
    const color = colors?.[value];
    const choice = { value, label: labelText(labels?.[value] ?? value, locale) };
    return color === undefined ? choice : { ...choice, color };
  });

/** One of a few texts that the model lists. */
export const enumeration = {
  kind: 'enum',
  column: 'text',
  define: <const Value extends string, const Extras extends EnumExtras<Value> = EnumExtras<Value>>(
    choices: readonly Value[],
    extras?: Strict<Extras, EnumExtras>,
  ): FieldDefinition<Extras & { readonly choices: readonly Value[] }, Value, Value, IdentityOperator> =>
    definition(enumeration, extras, {
      choices: Array.isArray(choices) ? Object.freeze([...choices]) : choices,
    }),
  options: {
    ...commonOptions,
    labels: mapOf(label),
    colors: mapOf(oneNamed('colour', choiceColours)),
  } satisfies OptionTable<EnumExtras>,
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
  indexBytes: () => utf8Bytes(maxChoiceLength),
  choices: choicesOf,
} satisfies FieldType<EnumOptions>;
