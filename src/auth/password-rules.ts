/** The rules for new passwords: length, no common password, no name of the account. */

import type { RuleViolation } from '../fields/field.ts';
import { foldText } from './account.ts';
import { normalPassword } from './password.ts';

/**
 * At least so many characters (code points) and at most so many bytes of UTF-8, both of the NFC form. The upper limit
 * keeps hashing cheap; a password is never truncated.
 */
export const passwordLimits = {
  /** @limit Accounts and credentials | a password, at least | characters | 422 */
  min: 8,
  /** @limit Accounts and credentials | a password, at most | bytes | 422 */
  max: 1024,
} as const;

/** The rules in words, shown before a password is chosen. */
export const passwordRules = {
  'zh-CN':
    '密码至少 8 个字符，至多 1024 字节，不得过于常见，也不得以服务名或账号名称（用户名、邮箱、姓名）为主。',
  en: 'A password must have at least 8 characters, must not be very long (over 1,024 bytes) or a common one, and must not be based on the name of the service or of the account (username, email address, name).',
} as const;

const commonCount = 3_000;

const lengthOf = (text: string): number => [...text].length;

/**
 * The 3,000 most common passwords that are long enough to be allowed here (ASVS 5.0, 6.2.4), in lower case. Loaded
 * when the first password is set, since most processes never need it.
 */
const load = async (): Promise<ReadonlySet<string>> => {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  const ranked = dictionary['passwords-common'];
  return new Set(ranked.filter((word) => lengthOf(word) >= passwordLimits.min).slice(0, commonCount));
};

let common: Promise<ReadonlySet<string>> | undefined;

/** The names of the account that a password is for: an attacker tries them first. */
export interface AccountNames {
  readonly username: string;
  /** Null or empty if there is none. */
  readonly email: string | null;
  readonly name: string;
}

const serviceName = 'gatewright';

/** Characters (code points) from which a name is searched inside a password; shorter ones occur by chance in words. */
const minSoughtLength = 4;

/** The names of a folded account, each whole and by its words (`zhang.min`: also `zhang` and `min`), longest first. */
const wordsOf = ({ username, email, name }: AccountNames): readonly string[] => {
  const address = email ?? '';
  const names = [serviceName, username, address.replace(/@[^@]*$/, ''), name].map((text) =>
    foldText(text).trim(),
  );
  const words = names.flatMap((text) => [text, ...text.split(/[^\p{L}\p{M}\p{N}]+/u)]);
  // An address by its whole: the words of its domain are no names of the account.
  const all = new Set([...words, foldText(address).trim()]);
  return [...all].filter((word) => word !== '').sort((a, b) => b.length - a.length);
};

const without = (text: string, words: readonly string[]): string =>
  words.reduce((rest, word) => rest.replaceAll(word, ''), text);

/**
 * True if a password depends on the names of its account (NIST SP 800-63B-4, 3.1.1.2, "context-specific words"): it
 * is one of them, or the rest of it without them would be refused as too short or too common. A short name counts
 * where nothing but digits and signs is left beside names. A name within a longer password is allowed. Compared by
 * NFKC and without regard to case.
 */
const isBasedOnNames = (password: string, account: AccountNames, list: ReadonlySet<string>): boolean => {
  const words = wordsOf(account);
  const folded = foldText(password);
  if (words.includes(folded)) return true;
  const rest = without(
    folded,
    words.filter((word) => lengthOf(word) >= minSoughtLength),
  );
  const isWeak = (text: string): boolean => lengthOf(text) < passwordLimits.min || list.has(text);
  if (rest !== folded && isWeak(rest)) return true;
  const bare = without(folded, words);
  return bare !== folded && isWeak(bare) && !/\p{L}/u.test(bare);
};

/**
 * The rule that a new password of this account breaks: `password_length`, `pattern`, `common_password`, `own_name`;
 * undefined when it breaks none.
 */
export const passwordViolation = async (
  password: string,
  account: AccountNames,
): Promise<RuleViolation | undefined> => {
  const normal = normalPassword(password);
  if (lengthOf(normal) < passwordLimits.min || Buffer.byteLength(normal) > passwordLimits.max) {
    return { rule: 'password_length', params: passwordLimits };
  }
  // A lone surrogate has no UTF-8: all of them would be hashed as the same replacement character.
  if (!normal.isWellFormed()) return { rule: 'pattern' };
  common ??= load();
  const list = await common;
  if (list.has(normal.toLowerCase())) return { rule: 'common_password' };
  return isBasedOnNames(normal, account, list) ? { rule: 'own_name' } : undefined;
};
