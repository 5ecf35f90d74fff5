/** Texts joined from parts, with a space where Chinese meets a Latin word, a figure or a name in code. */

const chineseAtEnd = /\p{Script=Han}$/u;
const chineseAtStart = /^\p{Script=Han}/u;
const latinAtEnd = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Nd}`]$/u;
const latinAtStart = /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Nd}`]/u;

const isSpaceBetween = (before: string, after: string): boolean =>
  (chineseAtEnd.test(before) && latinAtStart.test(after)) ||
  (latinAtEnd.test(before) && chineseAtStart.test(after));

/** Returns the parts as one text. The parts themselves stay as they are. */
export const joinParts = (parts: readonly string[]): string => {
  let text = '';
  // Two units hold the last character.
  for (const part of parts) text += isSpaceBetween(text.slice(-2), part) ? ` ${part}` : part;
  return text;
};

/** A template whose values are parts: `列出${label}`. */
export const spaced = (texts: TemplateStringsArray, ...values: readonly string[]): string =>
  joinParts(texts.flatMap((text, index) => [text, ...values.slice(index, index + 1)]));

/** The parts of a template at its placeholders, with their values; `undefined` leaves a placeholder visible. */
export const fillTemplate = (
  template: string,
  placeholder: RegExp,
  valueFor: (name: string) => string | undefined,
): string => {
  const parts: string[] = [];
  let end = 0;
  for (const { 0: whole, 1: name = '', index } of template.matchAll(placeholder)) {
    parts.push(template.slice(end, index), valueFor(name) ?? whole);
    end = index + whole.length;
  }
  return joinParts([...parts, template.slice(end)]);
};

/** An English label within a sentence: it begins in lower case, unless capitals follow (`API key`). */
export const inSentence = (label: string): string =>
  label.replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase());

/** A list of texts in the words of a language: `a, b and c`. Loads the ICU data of the language. */
export const joinList = (locale: string, texts: readonly string[]): string =>
  joinParts(new Intl.ListFormat(locale).formatToParts(texts).map(({ value }) => value));
