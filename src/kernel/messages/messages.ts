import type { FieldError } from '../field-error.ts';
import { type Catalogue, fill, type Locale, type RuleName } from './catalogue.ts';
import { en } from './en.ts';
import { zhCN } from './zh-CN.ts';

const catalogues: Readonly<Record<Locale, Catalogue>> = { 'zh-CN': zhCN, en };

export const catalogueOf = (locale: Locale): Catalogue => catalogues[locale];

/** A text in every language of the service. */
export type Translations = Readonly<Record<Locale, string>>;

/** A label in every language; a plain string is the label in all of them. */
export type Label = string | Translations;

export const labelText = (label: Label, locale: Locale): string =>
  typeof label === 'string' ? label : label[locale];

/** A rule with its own sentence, for one field type for example; with the placeholders `{label}` and the rule's bounds. */
export interface OwnRule {
  readonly name: string;
  readonly sentence: Readonly<Record<Locale, string>>;
}

/** A rule that a field can violate, from the catalogues or with its own sentence. */
export type FieldRule = RuleName | OwnRule;

/** The rule `unique` of several fields: the message of each names the others. */
export const uniqueCombination: OwnRule = {
  name: 'unique',
  sentence: {
    'zh-CN': '{label}与{others}的组合已被使用',
    en: '{label} is already taken in combination with {others}',
  },
};

/** Returns the name of a rule, as responses contain it. */
export const ruleName = (rule: FieldRule): string => (typeof rule === 'string' ? rule : rule.name);

/** Returns the validation error of a field: its message contains the label and the rule's bounds. */
export const fieldError = (
  catalogue: Catalogue,
  field: string,
  label: string,
  rule: FieldRule,
  params: Readonly<Record<string, string | number>> = {},
): FieldError => {
  const sentence = typeof rule === 'string' ? catalogue.rules[rule] : rule.sentence[catalogue.locale];
  return { field, rule: ruleName(rule), message: fill(sentence, { label, ...params }) };
};
