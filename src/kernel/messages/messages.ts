/** Labels in several languages, and the field errors of validation with their messages. */

import type { FieldError } from '../field-error.ts';
import { joinList } from '../spacing.ts';
import {
  type Catalogue,
  fill,
  type Locale,
  locales,
  type RuleName,
  type ServiceLocale,
} from './catalogue.ts';
import { en } from './en.ts';
import { zhCN } from './zh-CN.ts';

const catalogues: Readonly<Record<ServiceLocale, Catalogue>> = { 'zh-CN': zhCN, en };

const isOfService = (locale: Locale): locale is ServiceLocale => locales.some((each) => each === locale);

/** The service's own texts in a language; English where it has none. */
export const catalogueOf = (locale: Locale): Catalogue => catalogues[isOfService(locale) ? locale : 'en'];

/** A text of the service in its languages, and in any further ones; English stands for a missing one. */
export interface Translations extends Readonly<Record<ServiceLocale, string>> {
  readonly [locale: Locale]: string;
}

/** A text by language: at least one, in any language. */
export type TextByLanguage = Readonly<Record<Locale, string>>;

/** A label by language; a plain string is the label in all of them. */
export type Label = string | TextByLanguage;

/** The text in a language itself, or in the wider one: that in `de` for `de-AT`. */
const textOf = (texts: TextByLanguage, locale: Locale): string | undefined =>
  texts[locale] ?? (locale.includes('-') ? texts[locale.slice(0, locale.indexOf('-'))] : undefined);

/** The text in the first of these languages that has one; any other text where none has. */
const firstText = (texts: TextByLanguage, order: readonly Locale[]): string => {
  for (const locale of order) {
    const text = textOf(texts, locale);
    if (text !== undefined) return text;
  }
  return Object.values(texts)[0] ?? '';
};

const english: readonly Locale[] = ['en'];

/**
 * Returns a label in a language.
 * @param fallbacks languages whose text stands for a missing one, in order; any other text stands for these
 */
export const labelText = (label: Label, locale: Locale, fallbacks = english): string =>
  typeof label === 'string' ? label : (textOf(label, locale) ?? firstText(label, fallbacks));

/** Returns a label in the language of a catalogue, which may have it by its English text. */
export const labelIn = (label: Label, { locale, words, fallbacks }: Catalogue): string => {
  if (typeof label === 'string') return label;
  const own = textOf(label, locale) ?? words?.get(label['en'] ?? '');
  return own ?? firstText(label, fallbacks ?? english);
};

/**
 * Returns a label with a text for each language of the service and each of these: that of the first of them that has
 * one stands for a missing one, then any.
 */
export const completeLabel = (label: Label, fallbacks = english): Label => {
  if (typeof label === 'string') return label;
  const missing = [...locales, ...fallbacks].filter((locale) => label[locale] === undefined);
  if (missing.length === 0) return label;
  const texts = missing.map((locale) => [locale, labelText(label, locale, fallbacks)]);
  return { ...label, ...Object.fromEntries(texts) };
};

/** Returns what there is for a language of the service; that for English in any other language. */
export const forLocale = <Chinese, English>(
  each: { readonly 'zh-CN': Chinese; readonly en: English },
  locale: Locale,
): Chinese | English => each[isOfService(locale) ? locale : 'en'];

/** The label of a name in the service's catalogues; undefined where they do not have it. */
export const namedLabel = (kind: 'labels' | 'inputs', name: string): Label | undefined => {
  const [zh, english] = [zhCN, en].map(({ [kind]: texts }) =>
    Object.hasOwn(texts, name) ? texts[name] : undefined,
  );
  return zh === undefined || english === undefined ? undefined : { 'zh-CN': zh, en: english };
};

/**
 * A rule with its own sentence, for one field type for example; with the placeholders `{label}` and the rule's bounds.
 */
export interface OwnRule {
  readonly name: string;
  readonly sentence: TextByLanguage;
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

/** Values of placeholders: texts as they are, `type` as the JSON Schema name, and labels, which are listed. */
export type RuleParams = Readonly<Record<string, string | number | readonly Label[]>>;

/** The parts of a message, from which it is made in any language. */
interface Sentence {
  /** Language of the message in the error. */
  readonly locale: Locale;
  readonly label: Label;
  readonly rule: FieldRule;
  readonly params: RuleParams;
}

/**
 * The parts of messages by their errors: an error itself has the properties that a response contains, and no others.
 */
const sentences = new WeakMap<FieldError, Sentence>();

const paramText = (catalogue: Catalogue, name: string, value: RuleParams[string]): string | number => {
  if (name === 'type')
    return (catalogue.types as Readonly<Record<string, string>>)[String(value)] ?? String(value);
  if (typeof value === 'string' || typeof value === 'number') return value;
  const texts = value.map((label) => labelIn(label, catalogue));
  return joinList(catalogue.locale, texts);
};

const sentenceText = (catalogue: Catalogue, { label, rule, params }: Sentence): string => {
  const sentence =
    typeof rule === 'string'
      ? catalogue.rules[rule]
      : labelText(rule.sentence, catalogue.locale, catalogue.fallbacks);
  const texts = Object.entries(params).map(
    ([name, value]) => [name, paramText(catalogue, name, value)] as const,
  );
  return fill(sentence, { label: labelIn(label, catalogue), ...Object.fromEntries(texts) });
};

/**
 * Returns the validation error of a field: its message contains the label and the rule's bounds. The message is in the
 * language of the catalogue; `messageIn` translates it.
 */
export const fieldError = (
  catalogue: Catalogue,
  field: string,
  label: Label,
  rule: FieldRule,
  params: RuleParams = {},
): FieldError => {
  const sentence: Sentence = { locale: catalogue.locale, label, rule, params };
  const error = { field, rule: ruleName(rule), message: sentenceText(catalogue, sentence) };
  sentences.set(error, sentence);
  return error;
};

/** Returns the error for another field, such as that of a record within others: `lines.3.title`. */
export const errorAt = (error: FieldError, field: string): FieldError => {
  const placed = { ...error, field };
  const sentence = sentences.get(error);
  if (sentence !== undefined) sentences.set(placed, sentence);
  return placed;
};

/** Returns the message of a validation error in the language of a catalogue; the text of the application as it is. */
export const messageIn = (catalogue: Catalogue, error: FieldError): string => {
  const sentence = sentences.get(error);
  return sentence === undefined || sentence.locale === catalogue.locale
    ? error.message
    : sentenceText(catalogue, sentence);
};
