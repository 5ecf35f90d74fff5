/** Creates the first super_admin of an empty database from ADMIN_USERNAME, ADMIN_EMAIL and ADMIN_PASSWORD. */

import { randomBytes } from 'node:crypto';
import type { UserStore } from '../accounts/users.ts';
import { canonicalAccount, emailViolation, usernameViolation } from '../auth/account.ts';
import { addressOf } from '../auth/address.ts';
import type { Passwords } from '../auth/password.ts';
import { passwordViolation } from '../auth/password-rules.ts';
import type { RuleViolation } from '../fields/field.ts';
import { catalogueOf, fieldError } from '../kernel/messages.ts';
import { superAdmin } from '../policy/rule.ts';
import type { Config } from './config.ts';

export interface FirstAdmin {
  readonly username: string;
  /** The password, if it was generated: it is shown once. */
  readonly password: string | undefined;
}

/** A password that cannot be guessed and is easy to type: 120 random bits. */
export const generatePassword = (): string => randomBytes(15).toString('base64url');

type Field = keyof Config['admin'];

/** The violation of the account that the environment configures: its variable, and the message of the rule. */
const violationOf = async ({
  admin,
  locale,
}: Pick<Config, 'admin' | 'locale'>): Promise<string | undefined> => {
  const { username, email, password } = admin;
  const catalogue = catalogueOf(locale);
  const violations: readonly (readonly [Field, RuleViolation | undefined])[] = [
    ['username', usernameViolation(username)],
    ['email', emailViolation(email)],
    [
      'password',
      password === undefined ? undefined : await passwordViolation(password, { ...admin, name: username }),
    ],
  ];
  const lines = violations.flatMap(([field, violation]) => {
    if (violation === undefined) return [];
    const { rule, params } = violation;
    const { message } = fieldError(catalogue, field, catalogue.labels[field] ?? field, rule, params);
    return [`ADMIN_${field.toUpperCase()}: ${message}`];
  });
  return lines.length === 0 ? undefined : lines.join('\n');
};

/**
 * Checks whether the first super_admin can be created, before anything is written; does nothing where there is a
 * user.
 * @throws Error where ADMIN_USERNAME, ADMIN_EMAIL or ADMIN_PASSWORD breaks a rule of accounts, or where production,
 * which prints no secret, has no ADMIN_PASSWORD
 */
export const assertFirstAdmin = async (
  config: Pick<Config, 'admin' | 'locale' | 'production'>,
): Promise<void> => {
  const violation = await violationOf(config);
  if (violation !== undefined) throw new Error(violation);
  if (config.production && config.admin.password === undefined)
    throw new Error(
      'there are no users yet: set ADMIN_PASSWORD for the first super_admin (in production none is generated and printed)',
    );
};

/**
 * Creates the first super_admin if there is no user at all. If several instances start at once, one creates it.
 */
export const ensureFirstAdmin = async (
  users: UserStore,
  passwords: Passwords,
  config: Pick<Config, 'admin' | 'locale' | 'production'>,
): Promise<FirstAdmin | undefined> => {
  if (await users.any()) return undefined;
  await assertFirstAdmin(config);
  const { username, email, password } = config.admin;
  const chosen = password ?? generatePassword();
  const values = {
    username,
    usernameCanonical: canonicalAccount(username),
    email: addressOf(email) ?? email,
    emailCanonical: canonicalAccount(email),
    name: username,
    passwordHash: await passwords.hash(chosen),
    disabled: false,
    roles: [superAdmin],
  };
  const id = await users.createFirst(values, { principal: 'first start', address: null });
  if (id === undefined) return undefined;
  return { username, password: password === undefined ? chosen : undefined };
};
