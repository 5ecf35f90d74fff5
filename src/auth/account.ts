import type { RuleViolation } from '../fields/field.ts';

/** Characters (code points) of a username. */
export const maxUsernameLength = 64;
/** Characters of an email address (RFC 5321, 4.5.3.1.3, less the brackets). */
export const maxEmailLength = 254;

/**
 * UTF-16 units. Longer texts are no account, and are not normalised: sorting a megabyte of combining marks would keep
 * the process busy for minutes.
 */
const maxCanonicalLength = 512;

/** Two settle every character and every random text of the tests; the bound keeps any other from going on for ever. */
const maxRounds = 8;

/**
 * Case folding out of what the language has: lower, upper, lower again makes one of everything that shares a capital
 * (ß, ẞ and ss; ı, i and I; ſ and s), as Unicode's full case folding does, and ı besides. The final sigma, which lower
 * case writes by its place in the word, becomes the common one.
 */
const fold = (text: string): string =>
  text.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ').normalize('NFKC');

/** A text of bounded length, for comparing without regard to case or to how its letters are encoded. */
export const foldText = (text: string): string => fold(fold(text.normalize('NFKC')));

/**
 * The form in which accounts are stored for look-up and compared: NFKC and case folding, until neither changes
 * anything, so that the form of a form is itself. Nothing is trimmed. Twins in other letters (full width, composed or
 * not, upper case) get one form. Empty for a text that is no account: too long, or without such a form.
 */
export const canonicalAccount = (account: string): string => {
  let text = account;
  for (let round = 0; round < maxRounds && text.length <= maxCanonicalLength; round += 1) {
    const folded = fold(text.normalize('NFKC'));
    if (folded === text) return text;
    text = folded;
  }
  return '';
};

/** Controls, invisible and unassigned characters, lone surrogates, white space, and the blank of Braille. */
const unseen = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u;

const lengthOf = (text: string): number => [...text].length;

/** Checked on both forms: full-width ＠ becomes @, and ¨ a space, only when they are normalised. */
const everyForm = (text: string, accepts: (form: string) => boolean): boolean => {
  const canonical = canonicalAccount(text);
  return canonical !== '' && accepts(text) && accepts(canonical);
};

const isUsername = (text: string): boolean => !text.includes('@') && !unseen.test(text);

const isEmail = (text: string): boolean => {
  const [local = '', domain = '', ...more] = text.split('@');
  const labels = domain.split('.');
  return local !== '' && more.length === 0 && labels.every((label) => label !== '') && !unseen.test(text);
};

/** The rule that a username breaks: `required`, `max_length`, `pattern`. It holds no @, so it never is an email. */
export const usernameViolation = (username: string): RuleViolation | undefined => {
  if (username === '') return { rule: 'required' };
  if (lengthOf(username) > maxUsernameLength)
    return { rule: 'max_length', params: { max: maxUsernameLength } };
  return everyForm(username, isUsername) ? undefined : { rule: 'pattern' };
};

/** The rule that an email address breaks: `required`, `max_length`, `email`. */
export const emailViolation = (email: string): RuleViolation | undefined => {
  if (email === '') return { rule: 'required' };
  if (lengthOf(email) > maxEmailLength) return { rule: 'max_length', params: { max: maxEmailLength } };
  return everyForm(email, isEmail) ? undefined : { rule: 'email' };
};
