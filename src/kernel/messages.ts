/** The door to the messages: their languages, catalogues, and the texts of rules, errors and reasons. */

export type {
  Catalogue,
  ExplainedRule,
  Locale,
  ReasonName,
  ServiceLocale,
  SuccessName,
} from './messages/catalogue.ts';
export { fill, isLocale, locales } from './messages/catalogue.ts';
export { en, explainedInEnglish, problemsInEnglish } from './messages/en.ts';
export type { LanguageSetting, Languages } from './messages/languages.ts';
export { createLanguages, fallbacksOf, languageOfUser } from './messages/languages.ts';
export type { FieldRule, Label, OwnRule, Translations } from './messages/messages.ts';
export {
  catalogueOf,
  completeLabel,
  errorAt,
  fieldError,
  forLocale,
  labelIn,
  labelText,
  messageIn,
  namedLabel,
  ruleName,
  uniqueCombination,
} from './messages/messages.ts';
export type { Reason, ReasonParam } from './messages/reason.ts';
export { reasonText } from './messages/reason.ts';
export { actionsInEnglish, callersInEnglish, reasonsInEnglish } from './messages/reasons-en.ts';
export { actionsInChinese, callersInChinese, reasonsInChinese } from './messages/reasons-zh-CN.ts';
export { explainedInChinese, problemsInChinese } from './messages/zh-CN.ts';
