import { randomBytes } from 'node:crypto';
import { canonicalAccount, emailViolation, usernameViolation } from './auth/account.ts';
import type { Passwords } from './auth/password.ts';
import { passwordViolation } from './auth/password-rules.ts';
import type { Config } from './config.ts';
import type { RuleViolation } from './fields/field.ts';
import { ruleName } from './kernel/messages/messages.ts';
import { superAdmin } from './policy/rule.ts';
import { TakenError, type UserStore } from './store/tables/users.ts';

export interface FirstAdmin {
  readonly username: string;
  /** Set where it was generated: to be shown once. */
  readonly password: string | undefined;
}

/** A password that nobody guesses and everybody can type: 120 random bits. */
export const generatePassword = (): string => randomBytes(15).toString('base64url');

const refuse = (variable: string, violation: RuleViolation | undefined): void => {
  if (violation !== undefined) throw new Error(`${variable} is not acceptable (${ruleName(violation.rule)})`);
};

/**
 * Makes the first super_admin where there is no user at all. Of several instances that start at once one makes it.
 * @throws Error where ADMIN_USERNAME, ADMIN_EMAIL or ADMIN_PASSWORD breaks a rule of accounts
 */
export const ensureFirstAdmin = async (
  users: UserStore,
  passwords: Passwords,
  { username, email, password }: Config['admin'],
): Promise<FirstAdmin | undefined> => {
  if (await users.any()) return undefined;
  refuse('ADMIN_USERNAME', usernameViolation(username));
  refuse('ADMIN_EMAIL', emailViolation(email));
  if (password !== undefined) refuse('ADMIN_PASSWORD', await passwordViolation(password));
  const chosen = password ?? generatePassword();
  const values = {
    username,
    usernameCanonical: canonicalAccount(username),
    email,
    emailCanonical: canonicalAccount(email),
    name: username,
    passwordHash: await passwords.hash(chosen),
    disabled: false,
    roles: [superAdmin],
  };
  try {
    await users.create(values, { principal: 'first start', address: null });
  } catch (error) {
    if (error instanceof TakenError) return undefined;
    throw error;
  }
  return { username, password: password === undefined ? chosen : undefined };
};
