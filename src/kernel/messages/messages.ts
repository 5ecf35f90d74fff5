import type { FieldError } from '../field-error.ts';
import { type Catalogue, fill, type Locale, type RuleName } from './catalogue.ts';
import { en } from './en.ts';
import { zhCN } from './zh-CN.ts';

const catalogues: Readonly<Record<Locale, Catalogue>> = { 'zh-CN': zhCN, en };

export const catalogueOf = (locale: Locale): Catalogue => catalogues[locale];

/** A text in every language that the service speaks. */
export type Translations = Readonly<Record<Locale, string>>;

/** A label in every language; a plain string serves all of them. */
export type Label = string | Translations;

export const labelText = (label: Label, locale: Locale): string =>
  typeof label === 'string' ? label : label[locale];

/** A rule with a sentence of its own, such as one field type has: with `{label}` and the rule's own bounds. */
export interface OwnRule {
  readonly name: string;
  readonly sentence: Readonly<Record<Locale, string>>;
}

/** A rule that a field can violate: one of the service's catalogues, or a field type's own. */
export type FieldRule = RuleName | OwnRule;

/** The rule `unique` of fields that are unique jointly: each is named with the others. */
export const uniqueCombination: OwnRule = {
  name: 'unique',
  sentence: {
    'zh-CN': '{label}与{others}的组合已被使用',
    en: '{label} is already taken together with {others}',
  },
};

/** The rule's name, as answers and developers have it. */
export const ruleName = (rule: FieldRule): string => (typeof rule === 'string' ? rule : rule.name);

/** The validation message of one field: label included, the rule's bounds filled in. */
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
