/**
 * Endpoints of sign-in by providers: begin, callback, exchange of the code, linking from a session, and back-channel
 * logout.
 */

import { randomBytes } from 'node:crypto';
import {
  canonicalAccount,
  mailboxViolation,
  maxUsernameLength,
  usernameViolation,
} from '../../auth/account.ts';
import { addressOf, isExactAddress, noAddress } from '../../auth/address.ts';
import type { Tokens } from '../../auth/jwt.ts';
import { type AuthenticateAccount, loginFailed } from '../../auth/login.ts';
import type { VerifiedUser } from '../../auth/ports.ts';
import { anonymous } from '../../auth/principal.ts';
import { jwt } from '../../auth/registry.ts';
import { field } from '../../fields/define.ts';
import type { JsonSchema } from '../../fields/field.ts';
import { adminAuth, administratorOnly, adminTag, arriving } from '../../http/administration.ts';
import { actorOf, idOf, userOf } from '../../http/call.ts';
import type { Answer, Call, Endpoint } from '../../http/endpoint.ts';
import { createInput, refuseInvalid } from '../../http/input.ts';
import { schemas } from '../../http/schemas.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { type Catalogue, labelText } from '../../kernel/messages.ts';
import { Problem } from '../../kernel/problem.ts';
import type { Actor } from '../../ledger/audit.ts';
import { forgetFailures, issueToken, type TokenIssueParts, typedFactor } from '../sessions/sign-in.ts';
import { takenAddress } from '../users/endpoints.ts';
import { verifyOwnPassword } from '../users/own-password.ts';
import type { UserValues } from '../users/store.ts';
import {
  claimAt,
  type ProvidedAccount,
  type SignInProvider,
  type SignInSecrets,
  UnprovedAccountError,
} from './client.ts';
import { type CodeSignInParts, createBoundCodes, signedInByCode } from './code.ts';
import {
  type LinkedAccountEndpointParts,
  linkedAccountEndpoints,
  linkedAccountsSchema,
} from './linked-account-endpoints.ts';
import { createPendingSignIns, type PendingSignIn, type PendingSignInParts } from './pending.ts';
import type { OidcProvider } from './provider-options.ts';
import { returnPathOf } from './return-path.ts';
import { claimTexts, defaultRoles, mappedRoles } from './role-mapping.ts';

/** A text of somebody else with a blank in place of each control character, so that it stays one line. */
const plainText = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();

/** A person's name as it is stored, of at most 200 characters. */
const plainName = (text: string): string => [...plainText(text.toWellFormed())].slice(0, 200).join('');

/**
 * The values of a first sign-in. An address counts only if the provider has verified it, and in the form in which mail
 * is sent to it: another form may have verified the mailbox of another person.
 */
const newUserOf = (
  name: string,
  { claims, subject }: ProvidedAccount,
  roles: readonly string[],
): UserValues => {
  const text = (claim: string): string => (typeof claims[claim] === 'string' ? claims[claim] : '');
  const isProved =
    claims['email_verified'] === true &&
    mailboxViolation(text('email')) === undefined &&
    isExactAddress(text('email'));
  const email = isProved ? addressOf(text('email')) : undefined;
  const wanted = [text('preferred_username').split('@')[0] ?? '', text('email').split('@')[0] ?? '', subject]
    .map((each) => each.slice(0, maxUsernameLength))
    .find((each) => usernameViolation(each) === undefined);
  const username = wanted ?? `${name}-${randomBytes(6).toString('hex')}`;
  return {
    username,
    usernameCanonical: canonicalAccount(username),
    ...(email === undefined ? noAddress() : { email, emailCanonical: canonicalAccount(email) }),
    name: plainName(text('name')) || username,
    passwordHash: '',
    disabled: false,
    roles,
  };
};

const provesFactor = ({ secondFactor }: OidcProvider, claims: JsonObject): boolean =>
  secondFactor !== undefined &&
  claimTexts(claims[secondFactor.claim]).some((value) => secondFactor.values.includes(value));

const refused = (): Problem =>
  new Problem('provider_refused', { headers: { 'WWW-Authenticate': jwt.challenge } });

/** The description of a redirection. */
const redirection = {
  media: 'text/plain',
  headers: {
    Location: { 'zh-CN': '浏览器接下来打开的地址', en: 'The address that the browser opens next' },
    'Set-Cookie': { 'zh-CN': '将登录绑定到此浏览器', en: 'Binds the sign-in to this browser' },
  },
  problems: ['path_not_found', 'provider_unavailable', 'database_unavailable', 'overloaded'],
} as const;

/** Where users manage their linked accounts, and the refusal of a wrong password there. */
interface IdentityArea extends Pick<Endpoint, 'auth' | 'policy'> {
  readonly names: Readonly<Record<'list' | 'link' | 'unlink', string>>;
  readonly paths: Readonly<Record<'list' | 'link', string>>;
  readonly tag: string;
  readonly wrong: () => Problem;
}

/** The outcome of a sign-in: the fragment for its page, and the cookie that binds a one-time code to the browser. */
interface Arrival {
  readonly fragment: string;
  readonly cookie?: string;
}

const none: JsonSchema = { type: 'array', items: { type: 'object' } };

export interface OidcParts
  extends PendingSignInParts,
    CodeSignInParts,
    TokenIssueParts,
    LinkedAccountEndpointParts {
  readonly providers: ReadonlyMap<string, SignInProvider>;
  readonly tokens: Tokens;
  readonly login: AuthenticateAccount;
  readonly catalogue: Catalogue;
}

/** Sign-in with the providers of the application. None of these endpoints exists without one. */
export const oidcEndpoints = (services: OidcParts): Endpoint[] => {
  const { providers: parts, linkedAccounts, baseUrl, catalogue, throttle, securityEvents } = services;
  if (parts.size === 0) return [];
  const { origin, pathname } = new URL(baseUrl);
  const basePath = pathname.replace(/\/+$/, '');
  const pending = createPendingSignIns(services);
  const codes = createBoundCodes(baseUrl);
  /** Where a browser returns to unless the sign-in names a page. */
  const defaultReturnPath = `${basePath}/admin/login`;
  /** @throws Problem `invalid_parameter` */
  const readReturnPath = (sent: string | null): string => {
    const path = sent === null ? defaultReturnPath : returnPathOf(sent, baseUrl);
    if (path === undefined) throw new Problem('invalid_parameter', { params: { name: 'return' } });
    return path;
  };
  const partOf = (call: Call): SignInProvider => {
    const part = parts.get(call.params['provider'] ?? '');
    if (part === undefined) throw new Problem('path_not_found');
    return part;
  };

  const redirect = (to: string, headers: Answer['headers'] = {}): Answer => ({
    status: 302,
    headers: { ...headers, Location: to, 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' },
    raw: { type: 'text/plain; charset=utf-8', body: '' },
  });

  /** Begins a sign-in. Returns the address at the provider, and the cookie that binds the sign-in to the browser. */
  const begin = async (
    { name, client }: SignInProvider,
    returnPath: string,
    linking: VerifiedUser | null,
  ) => {
    const secrets = await client.newSecrets();
    const url = await client.authorizationUrl(secrets);
    return { url: url.href, cookie: pending.set({ ...secrets, provider: name, returnPath, linking }) };
  };

  /**
   * A failure is counted as one of a login is: by network, and by `subject` and network. Undefined from the attempt is
   * a failure.
   */
  const counted = <Result>(
    { name }: SignInProvider,
    subject: string,
    { address, signal }: Call,
    attempt: () => Promise<Result | undefined>,
  ) => throttle.run(`${name} ${subject.slice(0, 64)}`, address, attempt, signal, 'provider');

  const failed = (part: SignInProvider, { address }: Call, reason: string): undefined => {
    securityEvents.record({
      action: 'sign_in.failed',
      address,
      detail: { provider: part.name, reason: plainText(reason).slice(0, 300).toWellFormed() },
    });
    return undefined;
  };

  /** The account that the provider proves; undefined where it proves none. */
  const provedBy = async (
    part: SignInProvider,
    call: Call,
    secrets: SignInSecrets,
  ): Promise<ProvidedAccount | undefined> => {
    try {
      return await part.client.account(call.query, secrets);
    } catch (error) {
      if (error instanceof UnprovedAccountError) return failed(part, call, error.message);
      throw error;
    }
  };

  /** Ends a sign-in: with a one-time code, or with a linked account. */
  const complete = async (
    part: SignInProvider,
    call: Call,
    signIn: PendingSignIn,
  ): Promise<Arrival | undefined> => {
    const account = await provedBy(part, call, signIn);
    if (account === undefined) return undefined;
    const { name, provider } = part;
    const proved = {
      provider: name,
      issuer: account.issuer,
      subject: account.subject,
      sessionId: account.sessionId,
      claimValues: null,
    };
    const { linking } = signIn;
    if (linking !== null) {
      const identity = await services.identities.byUserId(linking.id, []);
      if (identity === undefined) return failed(part, call, 'the user is disabled');
      const actor = { principal: arriving(identity), address: call.address, language: call.language };
      if (!(await linkedAccounts.link(linking, proved, actor)))
        return failed(part, call, 'the user was signed out after the link began');
      return { fragment: 'linked=1' };
    }
    const { roles } = provider;
    const values = roles === undefined ? [] : claimTexts(claimAt(account.claims, roles.claim));
    const rolesOf =
      roles === undefined ? undefined : (current: readonly string[]) => mappedRoles(roles, values, current);
    const [unknown] = await services.users.unknownRoles(rolesOf?.([]) ?? []);
    if (unknown !== undefined) return failed(part, call, `the role ${unknown} does not exist`);
    const created =
      provider.create === false ? undefined : newUserOf(name, account, rolesOf?.([]) ?? defaultRoles);
    const actor: Actor = { principal: 'service', address: call.address };
    const user = await linkedAccounts.signIn(
      roles === undefined ? proved : { ...proved, claimValues: values },
      created,
      rolesOf,
      actor,
    );
    if (user === undefined) return failed(part, call, 'no enabled user has this account');
    const { code, stored, cookie } = codes.create();
    await linkedAccounts.storeCode(stored, user, provesFactor(provider, account.claims));
    return { fragment: `code=${code}`, cookie };
  };

  const start: Endpoint = {
    operation: 'beginProviderSignIn',
    method: 'GET',
    path: '/api/v1/auth/oidc/:provider',
    auth: [],
    policy: { kind: 'open' },
    accepts: 'nothing',
    status: 302,
    docs: {
      summary: { 'zh-CN': '前往身份提供方登录', en: 'Sign in with a provider' },
      description: {
        'zh-CN':
          '浏览器打开此地址。登录后返回 `return`（页面的路径，不能在 `/api/v1` 之下），片段中有一次性代码 `code`，或错误码 `error`。',
        en: 'A browser opens this address. After the sign-in it returns to `return`, the path of a page and never one below `/api/v1`, with a one-time `code` in the fragment, or the code of an `error`.',
      },
      tag: 'Auth',
      ...redirection,
      query: [
        {
          name: 'return',
          description: { 'zh-CN': '登录后返回的路径', en: 'Path to which the browser returns' },
          schema: { type: 'string', default: defaultReturnPath },
        },
      ],
      problems: [...redirection.problems, 'invalid_parameter'],
    },
    handle: async (call) => {
      const part = partOf(call);
      const returnPath = readReturnPath(new URLSearchParams(call.query).get('return'));
      const { url, cookie } = await begin(part, returnPath, null);
      return redirect(url, { 'Set-Cookie': cookie });
    },
  };

  const callback: Endpoint = {
    operation: 'endProviderSignIn',
    method: 'GET',
    path: '/api/v1/auth/oidc/:provider/callback',
    auth: [],
    policy: { kind: 'open' },
    accepts: 'nothing',
    status: 302,
    docs: {
      summary: { 'zh-CN': '身份提供方的回调', en: 'Return from a provider' },
      description: {
        'zh-CN': '由身份提供方转回的浏览器打开。`state` 未知或属于其他浏览器时为 401。',
        en: 'Opened by a browser that returns from the provider. 401 if the `state` is unknown or of another browser.',
      },
      tag: 'Auth',
      ...redirection,
      query: (['code', 'state', 'iss', 'error'] as const).map((name) => ({
        name,
        description: { 'zh-CN': '身份提供方的响应', en: 'Response of the provider' },
        schema: { type: 'string' },
      })),
      problems: [...redirection.problems, 'provider_refused', 'too_many_requests'],
    },
    handle: async (call) => {
      const part = partOf(call);
      const state = new URLSearchParams(call.query).get('state') ?? '';
      let returnPath: string | undefined;
      const arrival = await counted<Arrival>(part, state, call, async () => {
        const signIn = await pending.take(call, part.name, state);
        if (signIn === undefined) return failed(part, call, 'no sign-in of this browser has this state');
        ({ returnPath } = signIn);
        return complete(part, call, signIn);
      }).catch((error: unknown) => {
        if (!(error instanceof Problem) || returnPath === undefined) throw error;
        return { fragment: `error=${error.code}` };
      });
      if (returnPath === undefined) throw refused();
      const { fragment, cookie }: Arrival = arrival ?? { fragment: `error=${refused().code}` };
      const cookies = [pending.clear(state), ...(cookie === undefined ? [] : [cookie])];
      return redirect(`${origin}${returnPath}#${fragment}`, { 'Set-Cookie': cookies });
    },
  };

  const tokenInput = createInput({ code: field.text({ required: true }), otp: field.text() }, catalogue);
  const token: Endpoint = {
    operation: 'exchangeCode',
    method: 'POST',
    path: '/api/v1/auth/token',
    auth: [],
    policy: { kind: 'open' },
    accepts: 'json',
    input: tokenInput.schema,
    docs: {
      summary: { 'zh-CN': '用一次性代码换取令牌', en: 'Exchange a one-time code for a token' },
      description: {
        'zh-CN':
          '`code` 来自身份提供方登录后返回地址的片段，2 分钟内有效，只能使用一次，且只能在发起登录的浏览器中使用（凭其 Cookie）。已启用两步验证的用户须附 `otp`，除非提供方的第二因素被认可。若提供方的邮箱已属于其他用户，则 `email` 为 null，且带有 `email_taken`。',
        en: '`code` is in the fragment of the address to which a sign-in with a provider returns. It is valid once within 2 minutes, in the browser that began (by its cookie). A user with two-step verification also sends `otp`, unless the second factor of the provider counts. If the address at the provider belongs to another user, `email` is null and `email_taken` is there.',
      },
      tag: 'Auth',
      data: schemas.exchangedLogin,
      problems: [
        ...(['login_failed', 'second_factor_required', 'second_factor_wrong'] as const),
        ...(['too_many_requests', 'overloaded'] as const),
      ],
    },
    handle: async (call) => {
      const { values, errors } = tokenInput.read(call.body);
      refuseInvalid(errors);
      const code = codes.read(call, String(values['code']));
      const signedIn = await signedInByCode(services, code);
      const typed = typeof values['otp'] === 'string' ? typedFactor(values['otp']) : undefined;
      const use = () => linkedAccounts.useCode(code);
      const issued = await issueToken(services, call, signedIn, typed, use);
      if (typeof issued !== 'object') throw loginFailed();
      const { id, username, email, name } = signedIn.user;
      await forgetFailures(services, signedIn.user, call);
      await securityEvents.signedIn({ id, username }, call.address);
      const taken = await takenAddress(services, signedIn.user);
      return {
        data: {
          token: services.tokens.issue(id, issued.expiry),
          user: { id, username, email, name, ...taken },
        },
      };
    },
  };

  const linkInput = createInput(
    { password: field.text({ required: true }), return: field.text() },
    catalogue,
  );

  /** The linked accounts of the caller, for the API and for the administration area. */
  const identities = ({ names, paths, auth, policy, tag, wrong }: IdentityArea): Endpoint[] => [
    {
      operation: names.list,
      method: 'GET',
      path: paths.list,
      auth,
      policy,
      accepts: 'nothing',
      docs: {
        summary: { 'zh-CN': '已关联的账号', en: 'List linked accounts' },
        tag,
        data: linkedAccountsSchema,
      },
      handle: async (call) => ({
        data: (await linkedAccounts.listOf(userOf(call).id)).map((each) => ({ ...each })),
      }),
    },
    {
      operation: names.link,
      method: 'POST',
      path: paths.link,
      auth,
      policy,
      accepts: 'json',
      input: linkInput.schema,
      docs: {
        summary: { 'zh-CN': '关联身份提供方的账号', en: 'Link an account of a provider' },
        description: {
          'zh-CN': '返回浏览器要打开的地址。`password` 为当前密码，错误计入登录限制。',
          en: 'Returns the address that the browser opens. `password` is the current password: a wrong one counts as a failed login.',
        },
        tag,
        data: { type: 'object', properties: { url: { type: 'string' } }, required: ['url'] },
        headers: { 'Set-Cookie': { 'zh-CN': '将关联绑定到此浏览器', en: 'Binds the link to this browser' } },
        problems: ['login_failed', 'provider_unavailable', 'too_many_requests', 'overloaded'],
      },
      handle: async (call) => {
        const part = partOf(call);
        const { values, errors } = linkInput.read(call.body);
        refuseInvalid(errors);
        const returnPath = readReturnPath(typeof values['return'] === 'string' ? values['return'] : null);
        const user = userOf(call);
        const verified = await verifyOwnPassword(services, call, user, String(values['password']));
        if (verified === undefined) throw wrong();
        const { url, cookie } = await begin(part, returnPath, verified);
        return { data: { url }, headers: { 'Set-Cookie': cookie } };
      },
    },
    {
      operation: names.unlink,
      method: 'DELETE',
      path: `${paths.list}/:id`,
      auth,
      policy,
      accepts: 'nothing',
      docs: {
        summary: { 'zh-CN': '解除关联', en: 'Unlink an account' },
        tag,
        problems: ['record_not_found', 'identity_last'],
      },
      handle: async (call) => {
        await linkedAccounts.remove(userOf(call).id, idOf(call), actorOf(call));
        return {};
      },
    },
  ];

  const logoutInput = createInput({ logout_token: field.text({ required: true }) }, catalogue);
  const logout: Endpoint = {
    operation: 'providerLogout',
    method: 'POST',
    path: '/api/v1/auth/oidc/:provider/logout',
    auth: [],
    policy: { kind: 'open' },
    accepts: 'form',
    input: logoutInput.schema,
    docs: {
      summary: { 'zh-CN': '提供方发起的退出登录', en: 'Back-channel logout' },
      description: {
        'zh-CN': '由身份提供方调用：结束该用户的全部会话与令牌。',
        en: 'Called by the provider: ends all sessions and tokens of the user.',
      },
      tag: 'Auth',
      problems: ['bad_request', 'provider_unavailable', 'too_many_requests', 'overloaded'],
    },
    handle: async (call) => {
      const part = partOf(call);
      const { values, errors } = logoutInput.read(call.body);
      refuseInvalid(errors);
      const read = await part.client.logout(String(values['logout_token'])).catch((error: unknown) => {
        if (error instanceof UnprovedAccountError) return error;
        throw error;
      });
      // The provider may share its network with others: what it has signed is never refused because of them.
      if (read instanceof UnprovedAccountError) {
        const { address, signal } = call;
        const reason = async () => failed(part, call, read.message);
        await throttle.run(part.name, address, reason, signal, 'logout');
        throw new Problem('bad_request');
      }
      if (!(await services.nonces.use(` ${part.name}`, read.id, read.until)))
        throw new Problem('bad_request');
      await linkedAccounts.signOut(read, { principal: anonymous, address: call.address });
      return { headers: { 'Cache-Control': 'no-store' } };
    },
  };

  return [
    {
      operation: 'listProviders',
      method: 'GET',
      path: '/api/v1/auth/providers',
      auth: [],
      policy: { kind: 'open' },
      accepts: 'nothing',
      docs: {
        summary: { 'zh-CN': '身份提供方列表', en: 'List providers' },
        tag: 'Auth',
        data: {
          ...none,
          items: {
            type: 'object',
            title: 'Provider',
            properties: { name: { type: 'string' }, label: { type: 'string' }, url: { type: 'string' } },
          },
        },
      },
      handle: ({ language }) => ({
        data: [...parts.values()].map(({ name, provider: { label = name } }) => ({
          name,
          label: labelText(label, language),
          url: `${baseUrl}/api/v1/auth/oidc/${name}`,
        })),
      }),
    },
    start,
    callback,
    token,
    logout,
    ...identities({
      names: { list: 'listIdentities', link: 'linkProvider', unlink: 'unlinkIdentity' },
      paths: { list: '/api/v1/auth/identities', link: '/api/v1/auth/oidc/:provider/link' },
      auth: ['jwt'],
      policy: { kind: 'user' },
      tag: 'Auth',
      wrong: loginFailed,
    }),
    ...identities({
      names: { list: 'adminListIdentities', link: 'adminLinkProvider', unlink: 'adminUnlinkIdentity' },
      paths: { list: '/admin/identities', link: '/admin/identities/:provider' },
      auth: adminAuth,
      policy: administratorOnly,
      tag: adminTag,
      // The session is valid: 401 would end it on the page.
      wrong: () =>
        new Problem('invalid_record', { errors: [linkInput.error('password', { rule: 'wrong_password' })] }),
    }),
    ...linkedAccountEndpoints(services),
  ];
};
