import type { RuleViolation } from '../fields/field.ts';
import { foldText } from './account.ts';

/** Limits in bytes of UTF-8. The upper one keeps hashing cheap; a password is never truncated. */
export const passwordBytes = { min: 8, max: 1024 } as const;

/** The rules in words, shown before a password is chosen. */
export const passwordRules = {
  'zh-CN': '密码须为 8 至 1024 字节，不得过于常见，也不得以服务名或账号名称（用户名、邮箱、姓名）为主。',
  en: 'A password must have 8 to 1,024 bytes, must not be a common one, and must not be based on the name of the service or of the account (username, email address, name).',
} as const;

const commonCount = 3_000;

/**
 * The 3,000 most common passwords that are long enough to be allowed here (ASVS 5.0, 6.2.4), in lower case. Loaded
 * when the first password is set, since most processes never need it.
 */
const load = async (): Promise<ReadonlySet<string>> => {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  const ranked = dictionary['passwords-common'];
  return new Set(ranked.filter((word) => Buffer.byteLength(word) >= passwordBytes.min).slice(0, commonCount));
};

let common: Promise<ReadonlySet<string>> | undefined;

/** The names of the account that a password is for: an attacker tries them first. */
export interface AccountNames {
  readonly username: string;
  readonly email: string;
  readonly name: string;
}

const serviceName = 'gatewright';

/** Characters (code points) from which a name is searched inside a password; shorter ones occur by chance. */
const minSoughtLength = 4;

const lengthOf = (text: string): number => [...text].length;

/** Names in their folded form, each whole and by its words (`zhang.min`: also `zhang` and `min`), longest first. */
const wordsOf = ({ username, email, name }: AccountNames): readonly string[] => {
  const names = [serviceName, username, email.replace(/@[^@]*$/, ''), name].map((text) =>
    foldText(text).trim(),
  );
  const words = names.flatMap((text) => [text, ...text.split(/[^\p{L}\p{M}\p{N}]+/u)]);
  return [...new Set(words)].filter((word) => word !== '').sort((a, b) => b.length - a.length);
};

/**
 * Whether a password depends on the names of its account (NIST SP 800-63B-4, 3.1.1.2, "context-specific words"): it
 * is one of them, or the rest of it without them would be refused as too short or too common. A name within a longer
 * password is allowed. Compared by NFKC and without regard to case.
 */
const isBasedOnNames = (password: string, account: AccountNames, list: ReadonlySet<string>): boolean => {
  const words = wordsOf(account);
  const folded = foldText(password);
  if (words.includes(folded)) return true;
  const sought = words.filter((word) => lengthOf(word) >= minSoughtLength);
  const rest = sought.reduce((text, word) => text.replaceAll(word, ''), folded);
  return rest !== folded && (Buffer.byteLength(rest) < passwordBytes.min || list.has(rest));
};

/**
 * The rule that a new password of this account breaks: `password_length`, `pattern`, `common_password`, `own_name`;
 * undefined when it breaks none.
 */
export const passwordViolation = async (
  password: string,
  account: AccountNames,
): Promise<RuleViolation | undefined> => {
  const bytes = Buffer.byteLength(password);
  if (bytes < passwordBytes.min || bytes > passwordBytes.max) {
    return { rule: 'password_length', params: passwordBytes };
  }
  // A lone surrogate has no UTF-8: all of them would be hashed as the same replacement character.
  if (!password.isWellFormed()) return { rule: 'pattern' };
  common ??= load();
  const list = await common;
  if (list.has(password.toLowerCase())) return { rule: 'common_password' };
  return isBasedOnNames(password, account, list) ? { rule: 'own_name' } : undefined;
};
