/**
 * `defineMail`: a message of the application in each of its languages, with placeholders for values, which are escaped
 * in HTML.
 */

import { escapeHtml } from '../../kernel/html.ts';
import { type Label, type Locale, labelText } from '../../kernel/messages.ts';
import {
  label,
  mapOf,
  nearestHint,
  numberOrText,
  type OptionTable,
  optionsFlaw,
} from '../../kernel/options.ts';
import { DefinitionError } from '../../model/definition-error.ts';
import type { MailTexts } from './mail-options.ts';
import { mailTemplates } from './mail-queue.ts';
import { htmlOfParagraphs, oneLine } from './templates.ts';

/** Values for the placeholders of a message. */
export type MailTemplateValues = Readonly<Record<string, string | number>>;

/** A message of the application. `{name}` in a text is replaced by the value `name`. */
export interface MailDefinition {
  /** One text, or one per language. */
  readonly subject: Label;
  /** Plain text; an empty line begins a paragraph. */
  readonly text: Label;
  /** HTML, in which values are escaped. Default: the paragraphs of `text`, in the layout of the service's own mail. */
  readonly html?: Label;
  /** A value for each placeholder: names the values that `send` needs, and fills the preview of `gatewright dev`. */
  readonly sample?: MailTemplateValues;
}

const options = {
  subject: label,
  text: label,
  html: label,
  sample: mapOf(numberOrText),
} satisfies OptionTable<MailDefinition>;

/** `{name}`; braces around anything else are literal. */
const placeholder = /\{([A-Za-z_]\w*)\}/g;

const textsOf = (given: Label | undefined): readonly string[] =>
  typeof given === 'object' ? Object.values(given) : [given ?? ''];

/** The first placeholder without a value. */
const unknownPlaceholder = ({ subject, text, html, sample = {} }: MailDefinition): string | undefined =>
  [subject, text, html]
    .flatMap(textsOf)
    .flatMap((each) => Array.from(each.matchAll(placeholder), ([, name = '']) => name))
    .find((name) => !Object.hasOwn(sample, name));

const made = new WeakSet<object>();

/**
 * Defines a message. A file in `mails/` that exports one by default needs no registration; the file's name is that of
 * the message.
 * @throws DefinitionError for an unknown option, and for a placeholder that `sample` does not have
 */
export const defineMail = (definition: MailDefinition): MailDefinition => {
  const { subject, text, sample = {} } = definition;
  const missing = Object.entries({ subject, text }).find(([, value]) => value === undefined)?.[0];
  const flaw = optionsFlaw(definition, options) ?? (missing && `it has no ${missing}`);
  if (flaw !== undefined) throw new DefinitionError('mail', flaw);
  const unknown = unknownPlaceholder(definition);
  if (unknown !== undefined)
    throw new DefinitionError(
      'mail',
      `sample has no value for {${unknown}}${nearestHint(unknown, Object.keys(sample))}`,
    );
  const mail = Object.freeze({ ...definition });
  made.add(mail);
  return mail;
};

export const isMailDefinition = (value: unknown): value is MailDefinition =>
  typeof value === 'object' && value !== null && made.has(value);

/** The messages of an application by name. */
export type Mails = ReadonlyMap<string, MailDefinition>;

const namePattern = /^[A-Za-z][A-Za-z0-9_-]{0,62}$/;

/** @throws DefinitionError for an invalid name, one of the service, and a value that `defineMail` did not create */
export const collectMails = (mails: Readonly<Record<string, MailDefinition>>): Mails => {
  for (const [name, mail] of Object.entries(mails)) {
    const where = `mail ${name}`;
    if (!namePattern.test(name))
      throw new DefinitionError(where, 'a name is a letter and up to 62 letters, digits, _ and -');
    if (mailTemplates.some((each) => each === name))
      throw new DefinitionError(where, 'the service sends this message: `mail.templates` replaces its texts');
    if (!isMailDefinition(mail)) throw new DefinitionError(where, 'it was not made by defineMail');
  }
  return new Map(Object.entries(mails));
};

/** @throws TypeError that names a missing or unknown value, or one that is neither text nor number */
const checkValues = (name: string, { sample = {} }: MailDefinition, values: MailTemplateValues): void => {
  const known = Object.keys(sample);
  const unknown = Object.keys(values).find((each) => !known.includes(each));
  if (unknown !== undefined)
    throw new TypeError(`mail ${name}: there is no value "${unknown}"${nearestHint(unknown, known)}`);
  const missing = known.find((each) => !['string', 'number'].includes(typeof values[each]));
  if (missing !== undefined)
    throw new TypeError(`mail ${name}: the value "${missing}" must be a text or a number`);
};

const inHtml = (text: string): string => escapeHtml(text).replaceAll("'", '&#39;');

/**
 * Returns the texts of a message in a language.
 * @param fallbacks languages whose texts stand for missing ones
 * @throws TypeError for a missing, unknown or unsuitable value
 */
export const filledMail = (
  name: string,
  mail: MailDefinition,
  values: MailTemplateValues,
  locale: Locale,
  fallbacks: readonly Locale[] | undefined,
): Required<MailTexts> => {
  checkValues(name, mail, values);
  const fill = (given: Label, shown: (value: string) => string): string =>
    labelText(given, locale, fallbacks).replace(placeholder, (_, each: string) =>
      shown(String(values[each])),
    );
  const text = fill(mail.text, (value) => value);
  const html = mail.html === undefined ? undefined : fill(mail.html, inHtml);
  return { subject: fill(mail.subject, oneLine), text, html: html ?? htmlOfParagraphs(text, locale) };
};
