/**
 * Sign-in by password: the verification that token and session share, and the endpoints that issue and revoke tokens.
 */

import { canonicalAccount } from '../../auth/account.ts';
import type { Tokens } from '../../auth/jwt.ts';
import { type AuthenticateAccount, loginFailed } from '../../auth/login.ts';
import type { LoginThrottle } from '../../auth/login-throttle.ts';
import type { Identities, Identity, VerifiedUser } from '../../auth/ports.ts';
import { tokenOf } from '../../auth/registry.ts';
import { sameOrigin } from '../../auth/same-origin.ts';
import { field } from '../../fields/define.ts';
import type { FieldDefinition, JsonSchema } from '../../fields/field.ts';
import { asSessionPrincipal } from '../../http/administration.ts';
import { actorOf, userOf } from '../../http/call.ts';
import type { Call, Endpoint } from '../../http/endpoint.ts';
import { createInput, refuseInvalid } from '../../http/input.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Catalogue, Translations } from '../../kernel/messages.ts';
import type { Proof } from '../second-factors/proof.ts';
import {
  factorProblem,
  proveTyped,
  recordFailedFactor,
  runCountedFactor,
  type TypedFactor,
  type TypedFactorParts,
} from '../second-factors/token-endpoints.ts';
import type { SecurityEventStore } from '../security-events.ts';
import { loginSchema, withRefreshToken } from '../users/identity-schemas.ts';
import type { LongSignIns } from './long-sign-ins.ts';
import { truncateUserAgent } from './session-user.ts';
import type { SessionStore } from './store.ts';
import type { TokenStore } from './tokens.ts';

/** A user who has signed in. `verified` goes into the write that rests on the password. */
export interface SignedIn {
  readonly verified: VerifiedUser;
  readonly user: Identity;
  readonly values: JsonObject;
}

/** The check of an account and a password, which the login and the administration area share. */
export interface SignIn {
  readonly schema: JsonSchema;
  /** @throws Problem `invalid_record`, `login_failed`, `too_many_requests`, `overloaded` */
  readonly run: (call: Pick<Call, 'body' | 'address' | 'signal'>) => Promise<SignedIn>;
}

export interface SignInParts {
  readonly catalogue: Catalogue;
  readonly identities: Identities;
  readonly login: AuthenticateAccount;
}

/** @param more further fields of the body, returned in `values` */
export const createSignIn = (
  services: SignInParts,
  more: Readonly<Record<string, FieldDefinition>> = {},
): SignIn => {
  // The lengths are bounded by the body's; every byte of a password counts.
  const input = createInput(
    { account: field.text({ required: true }), password: field.text({ required: true }), ...more },
    services.catalogue,
  );
  const { identities } = services;
  return {
    schema: input.schema,
    run: async ({ body, address, signal }) => {
      const { values, errors } = input.read(body);
      refuseInvalid(errors);
      const account = String(values['account']);
      const password = String(values['password']);
      const verified = await services.login({ account, password, address, signal });
      const user = await identities.byUserId(verified.id, []);
      // Disabled or deleted between the two: the same answer as a moment later.
      if (user === undefined) throw loginFailed();
      return { verified, user, values };
    },
  };
};

/** Forgets the failures before a sign-in that is complete, with its second factor if there is one. */
export const forgetFailures = (
  { throttle }: { readonly throttle: LoginThrottle },
  { username, email }: Pick<Identity, 'username' | 'email'>,
  { address }: Pick<Call, 'address'>,
): Promise<void> =>
  throttle.forget(
    [username, email].flatMap((account) => (account === null ? [] : [canonicalAccount(account)])),
    address,
  );

/** Maximum number of attempts of a login when all tokens are revoked while it verifies the password. */
const maxLoginTries = 3;

/** Authenticator applications show six digits; a recovery code has more characters. */
export const typedFactor = (otp: string): TypedFactor => ({
  by: /^\s*\d{3}\s?\d{3}\s*$/.test(otp) ? 'totp' : 'recovery_code',
  code: otp,
});

export interface TokenIssueParts extends TypedFactorParts {
  readonly tokens: Tokens;
  /** Undefined where the application has none. */
  readonly longSignIns: LongSignIns | undefined;
  /** Expiries and revocations of the tokens of users; `tokens` signs them. */
  readonly userTokens: TokenStore;
  readonly throttle: LoginThrottle;
  readonly securityEvents: SecurityEventStore;
}

/** The members of a body that asks for a token, beside the evidence. */
export const tokenFields = ({ longSignIns }: Pick<TokenIssueParts, 'longSignIns'>) => ({
  otp: field.text(),
  // Without long sign-ins it is a member like any unknown one.
  ...(longSignIns === undefined ? {} : { remember: field.boolean() }),
});

/** The tokens of a sign-in, as its response has them. */
export type IssuedTokens = { readonly token: string; readonly refresh_token?: string };

/**
 * A new token for a user who has signed in, and has given the second factor if there is one; with `remember`, a long
 * sign-in begins. Undefined if the evidence is no longer valid.
 * @param use uses up the evidence of the sign-in, right before the token is stored; false if it was used before
 * @throws Problem `second_factor_required`, `second_factor_wrong`, `too_many_requests`, `overloaded`
 */
export const issueToken = async (
  services: TokenIssueParts,
  call: Call,
  { verified, user, values }: SignedIn,
  use: () => Promise<boolean> = async () => true,
): Promise<IssuedTokens | undefined> => {
  const { tokens, userTokens, longSignIns } = services;
  const { address } = call;
  const typed = typeof values['otp'] === 'string' ? typedFactor(values['otp']) : undefined;
  const actor = { principal: asSessionPrincipal(user), address };
  const issue = async (proof: Proof | undefined): Promise<IssuedTokens | 'unverified' | 'unproved'> => {
    if (!(await use())) return 'unverified';
    const secondFactor = proof !== undefined || user.secondFactor === 'given';
    const userAgent = truncateUserAgent(call.header('user-agent'));
    const long =
      values['remember'] === true
        ? longSignIns?.begin(user.id, { address, userAgent, secondFactor })
        : undefined;
    const outcome = await userTokens.issue(verified, proof, actor, long?.store);
    if (typeof outcome === 'string') return outcome;
    const token = tokens.issue(user.id, outcome.expiry);
    return long === undefined ? { token } : { token, refresh_token: long.refreshToken };
  };
  const issuedOf = (outcome: IssuedTokens | 'unverified' | 'unproved') =>
    typeof outcome === 'string' ? undefined : outcome;
  if (user.secondFactor !== 'missing') return issuedOf(await issue(undefined));
  const issued = await runCountedFactor(services, call, user, typed?.by, async () => {
    const proof = typed === undefined ? undefined : await proveTyped(services, user.id, typed);
    if (proof === undefined) return undefined;
    const outcome = await issue(proof);
    return outcome === 'unproved' ? undefined : outcome;
  });
  if (issued !== undefined) return issuedOf(issued);
  recordFailedFactor(services, call, user, typed?.by);
  throw factorProblem(typed === undefined ? 'second_factor_required' : 'second_factor_wrong');
};

export interface LoginParts extends SignInParts, TokenIssueParts {}

/** Describes `remember`, where there are long sign-ins. */
export const rememberText = ({ longSignIns }: Pick<TokenIssueParts, 'longSignIns'>): Translations =>
  longSignIns === undefined
    ? { 'zh-CN': '', en: '' }
    : {
        'zh-CN':
          '`"remember": true` 开始长期登录：响应另含 `refresh_token`，供 `POST /api/v1/auth/refresh` 续期。',
        en: ' `"remember": true` begins a long sign-in: the response also has a `refresh_token` for `POST /api/v1/auth/refresh`.',
      };

/** Exchanges an account and a password, and the second factor of a user who has one, for a token of 24 hours. */
export const loginEndpoint = (services: LoginParts): Endpoint => {
  const signIn = createSignIn(services, tokenFields(services));

  const signInAndIssue = async (call: Call) => {
    for (let tries = 0; tries < maxLoginTries; tries += 1) {
      const signedIn = await signIn.run(call);
      const issued = await issueToken(services, call, signedIn);
      if (issued !== undefined) return { user: signedIn.user, issued };
    }
    throw loginFailed();
  };

  return {
    operation: 'login',
    method: 'POST',
    path: '/api/v1/auth/login',
    auth: [],
    policy: { kind: 'open' },
    accepts: 'json',
    input: signIn.schema,
    docs: {
      summary: { 'zh-CN': '登录', en: 'Sign in' },
      description: {
        'zh-CN': `账号为用户名或邮箱。令牌有效期 24 小时。已启用两步验证的用户须附 \`otp\`（动态验证码或恢复码）：缺少为 401（40107），错误为 401（40108），均计入登录限制。${rememberText(services)['zh-CN']}`,
        en: `The account is a username or an email address. The token is valid for 24 hours. A user with two-step verification also sends \`otp\`, a code of the authenticator application or a recovery code: without it 401 (40107), with a wrong one 401 (40108), and both count as a failed login.${rememberText(services).en}`,
      },
      tag: 'Auth',
      data: services.longSignIns === undefined ? loginSchema : withRefreshToken(loginSchema),
      problems: [
        'login_failed',
        'second_factor_required',
        'second_factor_wrong',
        'too_many_requests',
        'overloaded',
      ],
    },
    handle: async (call) => {
      const { user, issued } = await signInAndIssue(call);
      const { id, username, email, name } = user;
      await forgetFailures(services, user, call);
      await services.securityEvents.signedIn({ id, username }, call.address);
      return { data: { ...issued, user: { id, username, email, name } } };
    },
  };
};

export interface LogoutParts {
  readonly tokens: Tokens;
  /** Expiries and revocations of the tokens of users; `tokens` signs them. */
  readonly userTokens: TokenStore;
  readonly sessions: SessionStore;
  readonly catalogue: Catalogue;
}

/** Revokes the token of the request, or everything that the user has signed in with. */
export const logoutEndpoint = (services: LogoutParts): Endpoint => {
  const { tokens, userTokens, sessions } = services;
  const input = createInput({ all: field.boolean() }, services.catalogue);
  return {
    operation: 'logout',
    method: 'POST',
    path: '/api/v1/auth/logout',
    auth: ['jwt'],
    policy: { kind: 'user', beforePasswordChange: true },
    accepts: 'json',
    bodyOptional: true,
    input: input.schema,
    docs: {
      summary: { 'zh-CN': '退出登录', en: 'Sign out' },
      description: {
        'zh-CN':
          '立即吊销当前令牌：此后在所有实例上均为 401（40101）。`{"all": true}` 吊销该用户的全部令牌，并结束其管理后台会话。',
        en: 'Revokes this token at once: on every instance it is 401 (40101) from the next request on. `{"all": true}` revokes all tokens of the user and ends their sessions in the administration area.',
      },
      tag: 'Auth',
    },
    handle: async (call) => {
      const { values, errors } = input.read(call.body);
      refuseInvalid(errors);
      const { id } = userOf(call);
      if (values['all'] === true) {
        await userTokens.revokeAll(id, actorOf(call));
        return {};
      }
      const claims = tokens.verify(tokenOf(call) ?? '');
      // Expired since the request was authenticated: there is nothing left to revoke.
      if (claims === undefined) return {};
      // A token of a session is valid only with it.
      if (claims.sessionId === undefined) await userTokens.revoke(claims, actorOf(call));
      else await sessions.remove(claims.sessionId, id, actorOf(call));
      return {};
    },
  };
};

/**
 * Returns whether a page of another origin sends the call. A browser without a session must be on a page of this
 * service; a caller without cookie and Origin is no browser.
 */
export const isForeignPage = (call: Pick<Call, 'header'>, baseUrl: string): boolean =>
  (call.header('cookie') !== undefined || call.header('origin') !== undefined) && !sameOrigin(call, baseUrl);
