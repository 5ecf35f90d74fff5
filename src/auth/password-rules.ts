import type { RuleViolation } from '../fields/field.ts';

/** Bytes of UTF-8. The upper bound keeps hashing cheap to start; nothing is ever cut. */
export const passwordBytes = { min: 8, max: 1024 } as const;

const commonCount = 3_000;

/**
 * The 3,000 commonest passwords of those that are long enough to be chosen here at all (ASVS 5.0, 6.2.4), lower case
 * as the list has them. Loaded when the first password is set, since most processes never need it.
 */
const load = async (): Promise<ReadonlySet<string>> => {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  const ranked = dictionary['passwords-common'];
  return new Set(ranked.filter((word) => Buffer.byteLength(word) >= passwordBytes.min).slice(0, commonCount));
};

let common: Promise<ReadonlySet<string>> | undefined;

/** The rule that a new password breaks, if it breaks one: `password_length`, `pattern`, `common_password`. */
export const passwordViolation = async (password: string): Promise<RuleViolation | undefined> => {
  const bytes = Buffer.byteLength(password);
  if (bytes < passwordBytes.min || bytes > passwordBytes.max) {
    return { rule: 'password_length', params: passwordBytes };
  }
  // A lone surrogate has no UTF-8: all of them would be hashed as the same replacement character.
  if (!password.isWellFormed()) return { rule: 'pattern' };
  common ??= load();
  const list = await common;
  return list.has(password) || list.has(password.toLowerCase()) ? { rule: 'common_password' } : undefined;
};
