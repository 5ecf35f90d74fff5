/** Usernames and email addresses: the form in which they are compared, and the rules for new ones. */

import type { RuleViolation } from '../fields/field.ts';
import { addressOf, canonicalAddress } from './address.ts';

/**
 * Characters (code points) of a username.
 * @limit Accounts and credentials | a username | characters | 422
 */
export const maxUsernameLength = 64;
/** Characters of an email address (RFC 5321, 4.5.3.1.3, less the brackets). */
export const maxEmailLength = 254;

/**
 * Length limit in UTF-16 units. A longer text is not an account and is not normalised: sorting a megabyte of
 * combining marks would block the process for minutes.
 */
const maxCanonicalLength = 512;

/** Limit of normalisation rounds. Two are enough for every character and every random text of the tests. */
const maxRounds = 8;

/**
 * Folds case with the methods of String: lower, upper, lower again unifies all letters that share a capital (ß, ẞ and
 * ss; ı, i and I; ſ and s), as Unicode's full case folding does, and ı besides. The final sigma, which lower case
 * chooses by its position in the word, becomes the common one.
 */
const fold = (text: string): string =>
  text.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ').normalize('NFKC');

/** A text of bounded length in the form for comparisons that ignore case and the encoding of letters. */
export const foldText = (text: string): string => fold(fold(text.normalize('NFKC')));

/**
 * The form in which accounts are compared. A text with an @ is an address, see `canonicalAddress`. A username is
 * compared by NFKC and case folding, repeated until neither changes anything, so that the function is idempotent:
 * variants in other letters (full width, composed or not, upper case) get the same form. Nothing is trimmed. Empty for
 * a text that is not an account: too long, or without such a form.
 */
export const canonicalAccount = (account: string): string => {
  let text = account;
  for (let round = 0; round < maxRounds && text.length <= maxCanonicalLength; round += 1) {
    const normal = text.normalize('NFKC');
    if (normal.includes('@')) return normal.length <= maxCanonicalLength ? canonicalAddress(normal) : '';
    const folded = fold(normal);
    if (folded === text) return text;
    text = folded;
  }
  return '';
};

/** Control, invisible and unassigned characters, lone surrogates, white space, and the blank of Braille. */
const invisible = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u;

const lengthOf = (text: string): number => [...text].length;

/** Checks both forms: full-width ＠ becomes @, and ¨ a space, only by normalisation. */
const everyForm = (text: string, accepts: (form: string) => boolean): boolean => {
  const canonical = canonicalAccount(text);
  return canonical !== '' && accepts(text) && accepts(canonical);
};

const isUsername = (text: string): boolean => !text.includes('@') && !invisible.test(text);

const isEmail = (text: string): boolean => {
  const [local = '', domain = '', ...more] = text.split('@');
  const labels = domain.split('.');
  return local !== '' && more.length === 0 && labels.every((label) => label !== '') && !invisible.test(text);
};

/**
 * The rule that a username breaks: `required`, `max_length`, `pattern`. It contains no @, so it never is an email.
 */
export const usernameViolation = (username: string): RuleViolation | undefined => {
  if (username === '') return { rule: 'required' };
  if (lengthOf(username) > maxUsernameLength)
    return { rule: 'max_length', params: { max: maxUsernameLength } };
  return everyForm(username, isUsername) ? undefined : { rule: 'pattern' };
};

/** The rule that an email address breaks: `required`, `max_length`, `email`. */
export const emailViolation = (email: string): RuleViolation | undefined => {
  if (email === '') return { rule: 'required' };
  const isLong = lengthOf(email) > maxEmailLength || (addressOf(email)?.length ?? 0) > maxEmailLength;
  if (isLong) return { rule: 'max_length', params: { max: maxEmailLength } };
  return everyForm(email, isEmail) ? undefined : { rule: 'email' };
};

/**
 * Characters by which a header or a command of SMTP separates addresses, quotes, or adds comments (RFC 5322, 3.2.3).
 */
const separators = /["(),:;<>[\]\\]/;

/**
 * As `emailViolation`, for an address to which mail is sent: without the characters by which a mail server could read
 * it as another address, or as several.
 */
export const mailboxViolation = (email: string): RuleViolation | undefined =>
  emailViolation(email) ??
  (separators.test(email) || separators.test(canonicalAccount(email)) ? { rule: 'email' } : undefined);
