/**
 * Endpoints of links by mail: password reset, change of address and registration, each with request and confirmation.
 */

import { canonicalAccount, mailboxViolation, usernameViolation } from '../../auth/account.ts';
import { addressOf, domainName } from '../../auth/address.ts';
import { hashLinkToken } from '../../auth/link-token.ts';
import { type AuthenticateAccount, loginFailed } from '../../auth/login.ts';
import type { LoginThrottle } from '../../auth/login-throttle.ts';
import type { Passwords } from '../../auth/password.ts';
import { passwordRules, passwordViolation } from '../../auth/password-rules.ts';
import type { Identities } from '../../auth/ports.ts';
import { anonymous, type UserPrincipal } from '../../auth/principal.ts';
import type { MailQueue, RegistrationOptions } from '../../delivery/mail.ts';
import { field } from '../../fields/define.ts';
import type { RuleViolation } from '../../fields/field.ts';
import { asSessionPrincipal } from '../../http/administration.ts';
import { ticketOf, userOf } from '../../http/call.ts';
import type { Answer, Call, Endpoint } from '../../http/endpoint.ts';
import { createInput, type Input, passwordSchema, refined, refuseInvalid } from '../../http/input.ts';
import type { FieldError } from '../../kernel/field-error.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { type Catalogue, type Languages, type Locale, languageOfUser } from '../../kernel/messages.ts';
import { Problem } from '../../kernel/problem.ts';
import { isAdministrator } from '../../policy/rule.ts';
import { publicUserEntity } from '../../records/user-entity.ts';
import type { AccountLinks, LinkPurpose, LinkRequest } from './account-links.ts';
import { usernameOfAddress } from './made-username.ts';
import { verifyOwnPassword } from './own-password.ts';
import type { UserStore } from './store.ts';
import { createUserInput, newUserOf, type UserForm } from './user-input.ts';

export interface AccountLinkEndpointParts {
  readonly accountLinks: AccountLinks | undefined;
  /** Undefined where users cannot register themselves. */
  readonly registration: RegistrationOptions | undefined;
  /** Messages to be sent, and the links of users; undefined where the application sends no mail. */
  readonly mail: MailQueue | undefined;
  readonly users: UserStore;
  readonly identities: Identities;
  readonly login: AuthenticateAccount;
  readonly passwords: Passwords;
  readonly throttle: LoginThrottle;
  readonly locale: Locale;
  readonly catalogue: Catalogue;
  readonly languages: Languages;
}

/** Parts of an application that sends mail. */
interface MailingParts extends AccountLinkEndpointParts {
  readonly accountLinks: AccountLinks;
}

const throttleProblems = ['too_many_requests', 'overloaded'] as const;

const open = { method: 'POST', auth: [], policy: { kind: 'open' }, accepts: 'json' } as const;

const tokenField = { token: field.text({ required: true }) };

/**
 * Stores a request for a link. Each is counted, by account and network, whether or not the account exists, and before
 * anything is hashed for it.
 * @param more makes the parts that cost time, such as the hash of a password
 */
const requestLink = async (
  { accountLinks, throttle }: MailingParts,
  { address, signal }: Call,
  request: Omit<LinkRequest, 'address'>,
  more: () => Promise<Pick<LinkRequest, 'registration'>> = async () => ({}),
): Promise<Answer> => {
  const counted = `${request.purpose} ${request.canonical}`;
  const send = async (): Promise<undefined> => {
    await accountLinks.request({ ...request, ...(await more()), address });
  };
  await throttle.run(counted, address, send, signal, 'link');
  return {};
};

/**
 * Returns a check of the addresses that users choose. Its rule `email_domain` refuses addresses outside the domains in
 * which users may register, which are compared byte for byte.
 */
const addressRule = ({
  registration,
}: {
  readonly registration: RegistrationOptions | undefined;
}): ((email: string) => RuleViolation | undefined) => {
  const allowed = registration?.domains?.map(domainName);
  return (email) => {
    const violation = mailboxViolation(email);
    if (violation !== undefined || allowed === undefined) return violation;
    const canonical = canonicalAccount(email);
    return allowed.includes(canonical.slice(canonical.lastIndexOf('@') + 1))
      ? undefined
      : { rule: 'email_domain' };
  };
};

/**
 * Confirms a link. A link that is over counts as a failure, and each confirmation takes its place in the counters
 * before a password is hashed. @throws Problem `link_ended`, `too_many_requests`, `overloaded`
 * @param confirm undefined if the link is invalid
 */
const confirmLink = async <Result>(
  { throttle }: MailingParts,
  purpose: LinkPurpose,
  token: string,
  { address, signal }: Call,
  confirm: () => Promise<Result | undefined>,
): Promise<Result> => {
  const counted = `${purpose} ${hashLinkToken(token) ?? ''}`;
  const confirmed = await throttle.run(counted, address, confirm, signal, 'link');
  if (confirmed === undefined) throw new Problem('link_ended');
  return confirmed;
};

/** Finds an open link, its user, and the user as an actor; undefined if the link is invalid or the user is disabled. */
const findOfUser = async (
  { accountLinks, identities }: MailingParts,
  purpose: LinkPurpose,
  token: string,
  { address }: Call,
) => {
  const link = await accountLinks.find(purpose, token);
  const identity = link?.user && (await identities.byUserId(link.user.id, []));
  if (link === undefined || identity === undefined) return undefined;
  return { link, identity, actor: { principal: asSessionPrincipal(identity), address } };
};

const passwordResetEndpoints = (services: MailingParts): Endpoint[] => {
  const { locale, catalogue, accountLinks, passwords } = services;
  const requestInput = createInput({ account: field.text(), email: field.text() }, catalogue);
  const confirmInput = createInput({ ...tokenField, password: field.text({ required: true }) }, catalogue);
  return [
    {
      ...open,
      operation: 'requestPasswordReset',
      path: '/api/v1/auth/password_reset',
      input: { ...requestInput.schema, anyOf: [{ required: ['account'] }, { required: ['email'] }] },
      docs: {
        summary: { 'zh-CN': '请求重置密码', en: 'Request a password reset' },
        description: {
          'zh-CN':
            '`account` 为用户名或邮箱（也可使用 `email`）。账号存在时，向其邮箱发送 30 分钟内有效、只能使用一次的链接。账号不存在时响应相同。没有密码、也没有关联身份提供方账号的用户不会收到链接。',
          en: '`account` is a username or an email address, which can also be sent as `email`. If the account exists, a link is sent to its address, which works once within 30 minutes. The response is the same if there is no such account. A user with neither a password nor an account of a provider receives no link.',
        },
        tag: 'Auth',
        problems: throttleProblems,
      },
      handle: async (call) => {
        const { values, errors } = requestInput.read(call.body);
        refuseInvalid(errors);
        const account = values['account'] ?? values['email'];
        if (typeof account !== 'string') {
          refuseInvalid([requestInput.error('account', { rule: 'required' })]);
          throw new Problem('invalid_record');
        }
        const canonical = canonicalAccount(account);
        return requestLink(services, call, {
          purpose: 'password_reset',
          account,
          canonical,
          locale: call.language,
        });
      },
    },
    {
      ...open,
      operation: 'confirmPasswordReset',
      path: '/api/v1/auth/password_reset/confirm',
      input: refined(confirmInput.schema, { password: passwordSchema(locale) }),
      docs: {
        summary: { 'zh-CN': '凭链接重置密码', en: 'Reset a password by its link' },
        description: {
          'zh-CN': `${passwordRules['zh-CN']}该用户的全部令牌与会话随即结束。两步验证不受影响。`,
          en: `${passwordRules.en} All tokens and sessions of the user end. Two-step verification stays.`,
        },
        tag: 'Auth',
        problems: ['link_ended', ...throttleProblems],
      },
      handle: async (call) => {
        const { values, errors } = confirmInput.read(call.body);
        refuseInvalid(errors);
        const [token, password] = [String(values['token']), String(values['password'])];
        await confirmLink(services, 'password_reset', token, call, async () => {
          const found = await findOfUser(services, 'password_reset', token, call);
          if (found === undefined) return undefined;
          const { link, identity, actor } = found;
          const violation = await passwordViolation(password, identity);
          if (violation !== undefined) refuseInvalid([confirmInput.error('password', violation)]);
          const hash = await passwords.hash(password, ticketOf(call));
          return (await accountLinks.resetPassword(link, hash, actor)) || undefined;
        });
        services.mail?.wake();
        return {};
      },
    },
  ];
};

/** Refuses an address that a user may not choose. @throws Problem `invalid_record` */
type RefuseAddress = (email: string, user: Pick<UserPrincipal, 'roles'>) => void;

const requestEmailEndpoint = (
  services: MailingParts,
  requestInput: Input,
  refuseAddress: RefuseAddress,
): Endpoint => ({
  ...open,
  operation: 'requestEmailChange',
  path: '/api/v1/auth/email',
  auth: ['jwt'],
  policy: { kind: 'user' },
  input: requestInput.schema,
  docs: {
    summary: { 'zh-CN': '请求修改邮箱', en: 'Request a change of the email address' },
    description: {
      'zh-CN':
        '向新邮箱发送 30 分钟内有效、只能使用一次的链接，确认后才会修改。新邮箱已属于其他账号时响应相同。`password` 为当前密码，错误为 401，并计入登录限制。',
      en: 'A link is sent to the new address, which works once within 30 minutes; the address changes when it is confirmed. The response is the same if another account has the address. `password` is the current password: a wrong one returns 401 and counts as a failed login.',
    },
    tag: 'Auth',
    problems: ['login_failed', ...throttleProblems],
  },
  handle: async (call) => {
    const { values, errors } = requestInput.read(call.body);
    refuseInvalid(errors);
    const typed = String(values['email']);
    const user = userOf(call);
    refuseAddress(typed, user);
    const verified = await verifyOwnPassword(services, call, user, String(values['password']));
    if (verified === undefined) throw loginFailed();
    const canonical = canonicalAccount(typed);
    return requestLink(services, call, {
      purpose: 'email',
      account: addressOf(typed) ?? typed,
      canonical,
      user: verified,
      locale: call.language,
    });
  },
});

const confirmEmailEndpoint = (services: MailingParts, refuseAddress: RefuseAddress): Endpoint => {
  const { catalogue, accountLinks } = services;
  const confirmInput = createInput(tokenField, catalogue);
  const users = createUserInput(services.users, catalogue);
  return {
    ...open,
    operation: 'confirmEmailChange',
    path: '/api/v1/auth/email/confirm',
    input: confirmInput.schema,
    docs: {
      summary: { 'zh-CN': '凭链接修改邮箱', en: 'Change the email address by its link' },
      description: {
        'zh-CN': '旧邮箱会收到通知。',
        en: 'The former address is notified.',
      },
      tag: 'Auth',
      problems: ['link_ended', ...throttleProblems],
    },
    handle: async (call) => {
      const { values, errors } = confirmInput.read(call.body);
      refuseInvalid(errors);
      const token = String(values['token']);
      await confirmLink(services, 'email', token, call, async () => {
        const found = await findOfUser(services, 'email', token, call);
        if (found === undefined) return undefined;
        const { link, identity, actor } = found;
        refuseAddress(link.email, identity);
        return (await users.save(() => accountLinks.changeEmail(link, actor))) || undefined;
      });
      services.mail?.wake();
      return {};
    },
  };
};

const emailEndpoints = (services: MailingParts): Endpoint[] => {
  const requestInput = createInput(
    { email: field.text({ required: true }), password: field.text({ required: true }) },
    services.catalogue,
  );
  const addressViolation = addressRule(services);
  const refuseAddress: RefuseAddress = (email, user) => {
    // An administrator could set any address in the administration area.
    const violation = isAdministrator(user) ? mailboxViolation(email) : addressViolation(email);
    if (violation !== undefined) refuseInvalid([requestInput.error('email', violation)]);
  };
  return [
    requestEmailEndpoint(services, requestInput, refuseAddress),
    confirmEmailEndpoint(services, refuseAddress),
  ];
};

/** Registrations of users by themselves, from the request of a link to its confirmation. */
class Registrations {
  readonly #services: MailingParts;
  readonly #options: RegistrationOptions;
  readonly #users: UserForm;
  readonly #addressViolation: ReturnType<typeof addressRule>;
  readonly requestInput: Input;
  readonly confirmInput: Input;

  constructor(services: MailingParts, options: RegistrationOptions) {
    const { catalogue } = services;
    const chosen = { username: field.text(), name: field.string(), password: field.text() };
    this.#services = services;
    this.#options = options;
    this.#users = createUserInput(services.users, catalogue);
    this.#addressViolation = addressRule(services);
    this.requestInput = createInput({ email: field.text({ required: true }), ...chosen }, catalogue);
    this.confirmInput = createInput({ ...tokenField, ...chosen }, catalogue);
  }

  /** Returns the violations of the sent values alone; only the confirmation says that a name is taken. */
  async violations(values: JsonObject, email: string): Promise<readonly FieldError[]> {
    const { username, name, password: secret } = values;
    const names = { email, username: String(username ?? ''), name: String(name ?? '') };
    const found: readonly (readonly [string, RuleViolation | undefined])[] = [
      ['email', this.#addressViolation(email)],
      ['username', typeof username === 'string' ? usernameViolation(username) : undefined],
      ['password', typeof secret === 'string' ? await passwordViolation(secret, names) : undefined],
    ];
    return found.flatMap(([name, violation]) =>
      violation === undefined ? [] : [this.requestInput.error(name, violation)],
    );
  }

  /** The new user; undefined if the link is invalid. */
  async register(call: Call, values: JsonObject) {
    const { accountLinks, passwords, identities, languages } = this.#services;
    const { roles = ['viewer'] } = this.#options;
    const link = await accountLinks.find('registration', String(values['token']));
    if (link === undefined) return undefined;
    const violation = this.#addressViolation(link.email);
    if (violation !== undefined) refuseInvalid([this.requestInput.error('email', violation)]);
    const { username: stored, name, passwordHash } = link.registration;
    const chosen = values['username'] ?? stored;
    const isMade = chosen === undefined || chosen === null;
    const username = isMade ? usernameOfAddress(link.email) : chosen;
    const sent = values['password'] ?? null;
    const credentials: JsonObject =
      sent === null && passwordHash !== undefined ? { invite: true } : { password: sent };
    const read = await this.#users.read(
      {
        username,
        email: link.email,
        name: values['name'] ?? name ?? null,
        ...credentials,
        roles: [...roles],
      },
      'create',
    );
    if (read.errors.some((error) => error.field === 'roles'))
      throw new Error(`registration.roles: one of ${roles.join(', ')} does not exist: create it first`);
    // A username that is made gets another ending where it is taken.
    refuseInvalid(isMade ? read.errors.filter((error) => error.field !== 'username') : read.errors);
    const hash =
      read.password === undefined
        ? (passwordHash ?? '')
        : await passwords.hash(read.password, ticketOf(call));
    const actor = { principal: anonymous, address: call.address };
    const user = { ...newUserOf(read, hash), locale: languageOfUser(languages, link.locale) };
    const id = await this.#users.save(() => accountLinks.register(link, user, actor, isMade));
    return id === undefined ? undefined : identities.byUserId(id, []);
  }
}

const registerEndpoint = (services: MailingParts, registrations: Registrations): Endpoint => {
  const { locale, passwords } = services;
  const { requestInput } = registrations;
  return {
    ...open,
    operation: 'register',
    path: '/api/v1/auth/register',
    input: refined(requestInput.schema, { password: passwordSchema(locale) }),
    docs: {
      summary: { 'zh-CN': '注册', en: 'Register' },
      description: {
        'zh-CN': `向此邮箱发送 30 分钟内有效、只能使用一次的链接。确认之前不会创建用户。用户名、姓名和密码也可以在确认时填写。邮箱或用户名已被使用时响应相同。${passwordRules['zh-CN']}`,
        en: `A link is sent to the address, which works once within 30 minutes. No user exists before the confirmation, where username, name and password can be sent as well. The response is the same if the address or the username is taken. ${passwordRules.en}`,
      },
      tag: 'Auth',
      problems: throttleProblems,
    },
    handle: async (call) => {
      const { values, errors } = requestInput.read(call.body);
      refuseInvalid(errors);
      const { username, name, password: secret } = values;
      const typed = String(values['email']);
      refuseInvalid(await registrations.violations(values, typed));
      const request = {
        purpose: 'registration',
        account: addressOf(typed) ?? typed,
        canonical: canonicalAccount(typed),
        locale: call.language,
      } as const;
      return requestLink(services, call, request, async () => ({
        registration: {
          username: typeof username === 'string' ? username : undefined,
          name: typeof name === 'string' ? name : undefined,
          passwordHash: typeof secret === 'string' ? await passwords.hash(secret, ticketOf(call)) : undefined,
        },
      }));
    },
  };
};

const confirmRegistrationEndpoint = (services: MailingParts, registrations: Registrations): Endpoint => {
  const { confirmInput } = registrations;
  return {
    ...open,
    operation: 'confirmRegistration',
    path: '/api/v1/auth/register/confirm',
    status: 201,
    input: refined(confirmInput.schema, { password: passwordSchema(services.locale) }),
    docs: {
      summary: { 'zh-CN': '凭链接完成注册', en: 'Complete a registration by its link' },
      description: {
        'zh-CN':
          '此处填写的用户名、姓名和密码取代注册时填写的内容。两处都没有用户名时，以邮箱 @ 之前的部分为用户名；若已被使用，则另加后缀。用户随后即可登录。',
        en: 'Username, name and password replace those of the registration. Without a username in either, the part of the address before the @ becomes one, with an ending where it is taken. The user can then sign in.',
      },
      tag: 'Auth',
      data: publicUserEntity.schema,
      problems: ['link_ended', ...throttleProblems],
    },
    handle: async (call) => {
      const { values, errors } = confirmInput.read(call.body);
      refuseInvalid(errors);
      const token = String(values['token']);
      const made = await confirmLink(services, 'registration', token, call, () =>
        registrations.register(call, values),
      );
      const { id, username, email, name, roles: granted } = made;
      return { data: { id, username, email, name, roles: [...granted].sort() } };
    },
  };
};

const registrationEndpoints = (services: MailingParts): Endpoint[] => {
  if (services.registration === undefined) return [];
  const registrations = new Registrations(services, services.registration);
  return [registerEndpoint(services, registrations), confirmRegistrationEndpoint(services, registrations)];
};

/** Password reset, change of address and registration. None exists in an application that sends no mail. */
export const accountLinkEndpoints = (services: AccountLinkEndpointParts): Endpoint[] => {
  const { accountLinks } = services;
  if (accountLinks === undefined) return [];
  const mailing = { ...services, accountLinks };
  return [...passwordResetEndpoints(mailing), ...emailEndpoints(mailing), ...registrationEndpoints(mailing)];
};
