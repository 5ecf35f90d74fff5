/** Texts of doc comments in the language of a page, and a check that no translation is left over. */
import type { ServiceLocale } from '../src/kernel/messages.ts';
import { alertTexts, logMessages, logTexts } from './reference-operation-translations.ts';
import { limitTexts, memberTexts, typeTexts } from './reference-translations.ts';

const chineseOf = new Map([...memberTexts, ...limitTexts, ...alertTexts, ...logTexts, ...logMessages]);

const chineseTypes = new Map(typeTexts);

const used = new Set<string>();

/** The errors that a doc comment names, which need no translation. */
const thrown = / ?Throws (?:Problem )?((?:`\w+`(?:, )?)+|ConstraintError)\.$/;

/** A sentence of a doc comment in a language. @throws Error where the Chinese is missing */
export const inLanguage = (english: string, locale: ServiceLocale): string => {
  if (locale === 'en' || english === '') return english;
  const [, names] = thrown.exec(english) ?? [];
  const sentence = english.replace(thrown, '');
  const errors = names === undefined ? '' : `抛出 ${names.replaceAll(', ', '、')}。`;
  if (sentence === '') return errors;
  const chinese = chineseOf.get(sentence);
  if (chinese === undefined)
    throw new Error(`the translations of the reference (scripts) have no Chinese of: ${sentence}`);
  used.add(sentence);
  return chinese + errors;
};

/** A type in a language: those in words are translated, all others are code. */
export const typeInLanguage = (type: string, locale: ServiceLocale): string =>
  locale === 'en' ? type : (chineseTypes.get(type) ?? type);

/** Translations of texts that no page has any more; asked once all pages are written. */
export const unusedTranslations = (): readonly string[] =>
  [...chineseOf.keys()].filter((english) => !used.has(english));
