/** Verification and change of one's own password, for endpoints of the API and of the administration area. */

import type { Tokens } from '../../auth/jwt.ts';
import { type AuthenticateAccount, loginFailed } from '../../auth/login.ts';
import { normalPassword, type Passwords } from '../../auth/password.ts';
import { type AccountNames, passwordRules, passwordViolation } from '../../auth/password-rules.ts';
import type { VerifiedUser } from '../../auth/ports.ts';
import type { UserPrincipal } from '../../auth/principal.ts';
import { field } from '../../fields/define.ts';
import { adminAuth, adminTag } from '../../http/administration.ts';
import { actorOf, ticketOf, userOf } from '../../http/call.ts';
import type { Answer, Call, Endpoint } from '../../http/endpoint.ts';
import { createInput, type Input, passwordSchema, refined, refuseInvalid } from '../../http/input.ts';
import { sessionOf } from '../../http/list-endpoint.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Catalogue } from '../../kernel/messages.ts';
import { Problem } from '../../kernel/problem.ts';
import { freshMinutes, freshSignIn, signInTooOld } from './fresh-sign-in.ts';
import type { UserStore } from './store.ts';

/**
 * The body of a change of one's own password: old and new password. @param needsCurrent false where users can lack an
 * old one
 */
const ownPasswordInput = (catalogue: Catalogue, needsCurrent = true): Input => {
  const input = createInput(
    { current_password: field.text({ required: needsCurrent }), password: field.text({ required: true }) },
    catalogue,
  );
  return { ...input, schema: refined(input.schema, { password: passwordSchema(catalogue.locale) }) };
};

/** @throws Problem `invalid_record` where the new password breaks a rule, or is the old one again */
const readOwnPassword = async (input: Input, body: JsonObject, account: AccountNames) => {
  const { values, errors } = input.read(body);
  refuseInvalid(errors);
  const current = String(values['current_password']);
  const password = String(values['password']);
  const violation =
    normalPassword(current) === normalPassword(password)
      ? { rule: 'same_password' as const }
      : await passwordViolation(password, account);
  if (violation !== undefined) refuseInvalid([input.error('password', violation)]);
  return { current, password };
};

/**
 * Verifies the user's password. Attempts are counted as logins, so that neither a stolen token nor a page left open can
 * be used to guess it. Returns undefined for a wrong password. The write receives the result, since the verification
 * may be invalid by then. @throws Problem `too_many_requests`, `overloaded`
 */
export const verifyOwnPassword = async (
  services: { readonly login: AuthenticateAccount },
  { address, signal }: Pick<Call, 'address' | 'signal'>,
  user: UserPrincipal,
  password: string,
): Promise<VerifiedUser | undefined> => {
  try {
    const verified = await services.login({ account: user.username, password, address, signal });
    return verified.id === user.id ? verified : undefined;
  } catch (error) {
    if (error instanceof Problem && error.problem === 'login_failed') return undefined;
    throw error;
  }
};

interface OwnPasswordParts {
  readonly login: AuthenticateAccount;
  readonly passwords: Passwords;
  readonly users: UserStore;
  readonly catalogue: Catalogue;
}

/**
 * The change of one's own password, for both of its endpoints. @param wrong makes the problem for a wrong current
 * password
 */
const ownPasswordChange = (services: OwnPasswordParts, wrong: (input: Input) => Problem) => {
  const input = ownPasswordInput(services.catalogue);
  return {
    method: 'PUT',
    accepts: 'json',
    input: input.schema,
    handle: async (call) => {
      const user = userOf(call);
      const { current, password } = await readOwnPassword(input, call.body, user);
      const verified = await verifyOwnPassword(services, call, user, current);
      if (verified === undefined) throw wrong(input);
      const passwordHash = await services.passwords.hash(password, ticketOf(call));
      // A user who has just entered both passwords need not sign in again, with a second factor even less.
      const session = sessionOf(call);
      if (!(await services.users.changePassword(verified, passwordHash, actorOf(call), session)))
        throw wrong(input);
      return {};
    },
  } as const satisfies Partial<Endpoint>;
};

export interface FirstPasswordParts extends OwnPasswordParts {
  /** By name; without any, every user who signs in has a password. */
  readonly providers: ReadonlyMap<string, unknown>;
  /** Names of the providers whose users set no first password. */
  readonly closedToPasswords: readonly string[];
  readonly tokens: Tokens;
  readonly clock: Clock;
}

/**
 * The first password of a user who came by a provider: the sign-in of the last minutes proves what the old password
 * proves for others. @throws Problem `recent_sign_in_required`
 */
const setFirstPassword = async (services: FirstPasswordParts, input: Input, call: Call): Promise<Answer> => {
  const user = userOf(call);
  const { values, errors } = input.read(call.body);
  refuseInvalid(errors);
  const password = String(values['password']);
  const violation = await passwordViolation(password, user);
  if (violation !== undefined) refuseInvalid([input.error('password', violation)]);
  const fresh = freshSignIn(services, call);
  if (fresh === undefined) throw signInTooOld();
  const passwordHash = await services.passwords.hash(password, ticketOf(call));
  const { users, closedToPasswords } = services;
  if (!(await users.setFirstPassword(user.id, fresh, closedToPasswords, passwordHash, actorOf(call))))
    throw signInTooOld();
  return {};
};

const changeWords = {
  'zh-CN': `${passwordRules['zh-CN']}当前密码错误为 401，并计入登录限制。`,
  en: `${passwordRules.en} A wrong current password returns 401 and counts as a failed login.`,
};

const firstWords = {
  'zh-CN': `通过身份提供方登录且尚无密码的用户，可在登录后 ${freshMinutes} 分钟内设置首个密码，不附 \`current_password\`；否则为 403（40306）。`,
  en: ` A user who has come by a provider and has no password yet sets the first one without \`current_password\`, within ${freshMinutes} minutes after a sign-in; otherwise 403 (40306).`,
};

/** Changes one's own password; ends one's sessions in the administration area. */
export const passwordEndpoint = (services: FirstPasswordParts): Endpoint => {
  const change = ownPasswordChange(services, loginFailed);
  const common = {
    ...change,
    operation: 'changePassword',
    path: '/api/v1/auth/password',
    auth: ['jwt'],
    policy: { kind: 'user', beforePasswordChange: true },
  } as const satisfies Partial<Endpoint>;
  const docs = { summary: { 'zh-CN': '修改密码', en: 'Change password' }, tag: 'Auth' };
  const problems = ['login_failed', 'too_many_requests', 'overloaded'] as const;
  if (services.providers.size === 0)
    return { ...common, docs: { ...docs, description: changeWords, problems } };
  const input = ownPasswordInput(services.catalogue, false);
  const description = {
    'zh-CN': changeWords['zh-CN'] + firstWords['zh-CN'],
    en: changeWords.en + firstWords.en,
  };
  return {
    ...common,
    input: input.schema,
    docs: { ...docs, description, problems: [...problems, 'recent_sign_in_required'] },
    handle: async (call) => {
      const isWithoutCurrent = (call.body['current_password'] ?? null) === null;
      const { users, closedToPasswords } = services;
      return isWithoutCurrent && (await users.maySetFirstPassword(userOf(call).id, closedToPasswords))
        ? setFirstPassword(services, input, call)
        : change.handle(call);
    },
  };
};

/** An administrator's own password, changed where a cookie is the sign-in. */
export const adminPasswordEndpoint = (services: OwnPasswordParts): Endpoint => ({
  operation: 'adminChangePassword',
  path: '/admin/password',
  auth: adminAuth,
  policy: { kind: 'administrator', beforePasswordChange: true, beforeSecondFactor: true },
  ...ownPasswordChange(services, (input) => {
    const errors = [input.error('current_password', { rule: 'wrong_password' })];
    return new Problem('invalid_record', { errors });
  }),
  docs: {
    summary: { 'zh-CN': '修改自己的密码', en: "Change one's own password" },
    description: {
      'zh-CN': `${passwordRules['zh-CN']}当前密码错误为 422，并计入登录限制。自己的其他会话全部结束。`,
      en: `${passwordRules.en} A wrong current password returns 422 and counts as a failed login. All your other sessions end.`,
    },
    tag: adminTag,
    problems: ['too_many_requests', 'overloaded'],
  },
});
