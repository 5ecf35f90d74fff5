/** Endpoints of the sessions of the administration area: sign-in, sign-out, the caller, and the lists of sessions. */

import { loginFailed } from '../../auth/login.ts';
import type { LoginThrottle } from '../../auth/login-throttle.ts';
import type { KnownUser } from '../../auth/security-events.ts';
import type { SessionCookies } from '../../auth/session.ts';
import type { Database } from '../../database/database.ts';
import { field } from '../../fields/define.ts';
import { adminAuth, administratorOnly, adminTag, asSessionPrincipal } from '../../http/administration.ts';
import { actorOf, idOf, reachesIn, userOf } from '../../http/call.ts';
import type { Answer, Call, Endpoint, QueryDocs } from '../../http/endpoint.ts';
import { entityPolicy } from '../../http/entity-endpoint.ts';
import { createInput, refuseInvalid } from '../../http/input.ts';
import { sessionOf } from '../../http/list-endpoint.ts';
import type { Label } from '../../kernel/messages.ts';
import { Problem } from '../../kernel/problem.ts';
import { isAdministrator } from '../../policy/rule.ts';
import type { SignInProvider } from '../oidc/client.ts';
import { type CodeSignInParts, createBoundCodes, signInByCode } from '../oidc/code.ts';
import { askSecondFactor, type SecondFactorAskParts } from '../second-factors/second-factor-sign-in.ts';
import type { SecurityEventStore } from '../security-events.ts';
import { managedUserEntity } from '../users/entity.ts';
import { sessionUserSchema, signInsSchema } from './session-schemas.ts';
import { sessionCookieText, sessionUser, sessionUserText, truncateUserAgent } from './session-user.ts';
import { createSignIn, forgetFailures, isForeignPage, type SignedIn, type SignInParts } from './sign-in.ts';
import type { SessionStore } from './store.ts';

/**
 * Headers of a sign-out. They empty the browser's cache of this origin, so that its back button shows no page of the
 * session. `"cookies"` is absent: it would delete the cookies of every other service below the same registered domain,
 * and Set-Cookie deletes ours. `"storage"` is absent: a front end may live on this origin, and the pages themselves
 * keep only language and theme there.
 */
const signOutHeaders = {
  'Set-Cookie': sessionCookieText,
  'Clear-Site-Data': {
    'zh-CN': '`"cache"`：浏览器清除本站缓存，后退时不再显示已退出的页面',
    en: '`"cache"`: the browser empties its cache of this site, so that its back button shows no page of the session',
  },
} as const satisfies Readonly<Record<string, Label>>;

const signedOutBy = (cookies: SessionCookies) => () => ({
  'Set-Cookie': cookies.clear(),
  'Clear-Site-Data': '"cache"',
});

export interface SessionParts extends SignInParts, SecondFactorAskParts, CodeSignInParts {
  readonly cookies: SessionCookies;
  readonly sessions: SessionStore;
  readonly providers: ReadonlyMap<string, SignInProvider>;
  readonly throttle: LoginThrottle;
  readonly securityEvents: SecurityEventStore;
  readonly baseUrl: string;
}

const path = '/admin/session';

/** The begin of sessions, once a password or a code has been verified. */
class SessionStart {
  readonly #services: SessionParts;

  constructor(services: SessionParts) {
    this.#services = services;
  }

  /** Records a refused sign-in. Returns its problem. */
  refuse({ address }: Call, problem: 'cross_site' | 'forbidden', by?: KnownUser): Problem {
    const detail = { method: 'POST', path };
    this.#services.securityEvents.record({ action: 'admin.refused', address, by, detail });
    return new Problem(problem);
  }

  /** Begins the session of an administrator who has signed in. @param use uses up the evidence; false if it was used */
  async begin(
    call: Call,
    { verified, user }: Pick<SignedIn, 'verified' | 'user'>,
    use: () => Promise<boolean> = async () => true,
  ): Promise<Answer> {
    const { cookies, sessions, securityEvents } = this.#services;
    const principal = asSessionPrincipal(user);
    const by = { id: user.id, username: user.username };
    if (!isAdministrator(principal)) throw this.refuse(call, 'forbidden', by);
    const unused = await use();
    if (unused && user.secondFactor === 'missing')
      throw await askSecondFactor(this.#services, { verified, user });
    const session = cookies.create();
    const userAgent = truncateUserAgent(call.header('user-agent'));
    const made = { hash: session.hash, address: call.address, userAgent };
    // Since the sign-in was verified the password was changed, or the sessions were ended.
    if (!unused || !(await sessions.create(verified, made, { principal, address: call.address }))) {
      const event = { action: 'sign_in.failed', address: call.address, account: by } as const;
      securityEvents.record(event);
      throw loginFailed();
    }
    await forgetFailures(this.#services, user, call);
    securityEvents.log({ action: 'sign_in', address: call.address, by });
    return { data: sessionUser(user), headers: { 'Set-Cookie': cookies.set(session.id) } };
  }
}

const signInEndpoint = (services: SessionParts, start: SessionStart): Endpoint => {
  const signIn = createSignIn(services);
  return {
    operation: 'createSession',
    method: 'POST',
    path,
    auth: [],
    policy: { kind: 'open' },
    accepts: 'json',
    input: signIn.schema,
    docs: {
      summary: { 'zh-CN': '登录管理后台', en: 'Sign in to the administration area' },
      description: {
        'zh-CN': `${sessionUserText['zh-CN']}已启用两步验证的用户不会得到会话，而是 401 与 \`ticket\`，见 \`POST /admin/session/second-factor\`。`,
        en: `${sessionUserText.en} A user with a second factor is given no session but 401 with a \`ticket\` for \`POST /admin/session/second-factor\`.`,
      },
      tag: adminTag,
      data: sessionUserSchema,
      headers: { 'Set-Cookie': sessionCookieText },
      problems: [
        'login_failed',
        'second_factor_required',
        'forbidden',
        'cross_site',
        'too_many_requests',
        'overloaded',
      ],
    },
    handle: async (call) => {
      if (isForeignPage(call, services.baseUrl)) throw start.refuse(call, 'cross_site');
      return start.begin(call, await signIn.run(call));
    },
  };
};

const byCodeEndpoint = (services: SessionParts, start: SessionStart): Endpoint => {
  const { baseUrl, catalogue, linkedAccounts } = services;
  const codes = createBoundCodes(baseUrl);
  const codeInput = createInput({ code: field.text({ required: true }) }, catalogue);
  return {
    operation: 'createSessionByCode',
    method: 'POST',
    path: `${path}/code`,
    auth: [],
    policy: { kind: 'open' },
    accepts: 'json',
    input: codeInput.schema,
    docs: {
      summary: {
        'zh-CN': '通过身份提供方登录管理后台',
        en: 'Sign in to the administration area with a provider',
      },
      description: {
        'zh-CN': `用身份提供方登录后返回的一次性代码开始会话。${sessionUserText['zh-CN']}`,
        en: `Begins a session with the one-time code to which a sign-in with a provider returns. ${sessionUserText.en}`,
      },
      tag: adminTag,
      data: sessionUserSchema,
      headers: { 'Set-Cookie': sessionCookieText },
      problems: ['login_failed', 'second_factor_required', 'forbidden', 'cross_site', 'overloaded'],
    },
    handle: async (call) => {
      if (isForeignPage(call, baseUrl)) throw start.refuse(call, 'cross_site');
      const { values, errors } = codeInput.read(call.body);
      refuseInvalid(errors);
      const code = codes.read(call, String(values['code']));
      return start.begin(call, await signInByCode(services, code), () => linkedAccounts.useCode(code));
    },
  };
};

const getEndpoint: Endpoint = {
  operation: 'getSession',
  method: 'GET',
  path,
  auth: adminAuth,
  policy: { kind: 'administrator', beforePasswordChange: true, beforeSecondFactor: true },
  accepts: 'nothing',
  docs: {
    summary: { 'zh-CN': '当前登录者', en: 'Get the signed-in user' },
    description: sessionUserText,
    tag: adminTag,
    data: sessionUserSchema,
  },
  handle: (call) => ({ data: sessionUser(userOf(call)) }),
};

const signOutEndpoint = ({ cookies, sessions }: SessionParts): Endpoint => {
  const signedOut = signedOutBy(cookies);
  return {
    operation: 'deleteSession',
    method: 'DELETE',
    path,
    auth: ['session'],
    policy: { kind: 'user', beforePasswordChange: true },
    accepts: 'nothing',
    docs: {
      summary: { 'zh-CN': '退出登录', en: 'Sign out' },
      description: {
        'zh-CN': '结束当前会话并清除其 Cookie。',
        en: 'Ends this session and takes its cookie away.',
      },
      tag: adminTag,
      headers: signOutHeaders,
    },
    handle: async (call) => {
      const { id, credential } = userOf(call);
      if (credential !== undefined) await sessions.remove(credential, id, actorOf(call));
      return { headers: signedOut() };
    },
  };
};

export const sessionEndpoints = (services: SessionParts): Endpoint[] => {
  const start = new SessionStart(services);
  const endpoints = [signInEndpoint(services, start)];
  if (services.providers.size > 0) endpoints.push(byCodeEndpoint(services, start));
  endpoints.push(getEndpoint, signOutEndpoint(services));
  return endpoints;
};

const othersQuery: QueryDocs = {
  name: 'others',
  description: {
    'zh-CN': '为 true 时保留当前会话；以令牌调用时没有可保留的会话',
    en: 'true keeps the session of this request; a call by a token has none to keep',
  },
  schema: { type: 'boolean' },
};

/** @throws Problem `invalid_parameter` */
const asksForOthers = ({ query }: Call): boolean => {
  const given = new URLSearchParams(query).getAll(othersQuery.name);
  if (given.length > 1 || given.some((value) => value !== 'true' && value !== 'false'))
    throw new Problem('invalid_parameter', { params: { name: othersQuery.name } });
  return given[0] === 'true';
};

export interface UserSessionParts {
  readonly database: Database;
  readonly sessions: SessionStore;
}

/** Lists the sessions and tokens of a user; `POST /admin/users/:id/logout` ends all of them. */
export const userSessionsEndpoint = ({ database, sessions }: UserSessionParts): Endpoint => ({
  operation: 'adminListUserSessions',
  method: 'GET',
  path: '/admin/users/:id/sessions',
  auth: adminAuth,
  policy: entityPolicy(managedUserEntity),
  accepts: 'nothing',
  docs: {
    summary: { 'zh-CN': '用户的会话与令牌', en: 'Sessions and tokens of a user' },
    description: {
      'zh-CN': '该用户有效的管理后台会话，以及服务所知的令牌情况：服务不保存令牌清单。',
      en: 'The valid sessions of the user in the administration area, and what the service knows of their tokens: it keeps no list of them.',
    },
    tag: adminTag,
    data: signInsSchema,
    problems: ['record_not_found'],
  },
  handle: async (call) => {
    const found = await sessions.signInsOf(idOf(call));
    if (found === undefined) throw new Problem('record_not_found');
    const { sessions: active, tokens } = found;
    const { revoked, ...expiries } = tokens;
    return {
      data: { sessions: active.map((each) => ({ ...each })), tokens: { ...expiries, revoked: [...revoked] } },
    };
  },
  reaches: reachesIn(database, managedUserEntity),
});

export interface OwnSessionParts {
  readonly cookies: SessionCookies;
  readonly sessions: SessionStore;
}

/** Administrators end their own sessions; `sessionEntity` lists them. */
export const ownSessionEndpoints = ({ cookies, sessions }: OwnSessionParts): Endpoint[] => {
  const signedOut = signedOutBy(cookies);
  return [
    {
      operation: 'endSession',
      method: 'DELETE',
      path: '/admin/sessions/:id',
      auth: adminAuth,
      policy: administratorOnly,
      accepts: 'nothing',
      docs: {
        summary: { 'zh-CN': '结束我的一个会话', en: 'End one of my sessions' },
        description: {
          'zh-CN': '他人的会话如同不存在：404。结束当前会话即退出登录。',
          en: 'Sessions of other users return 404. Ending the current session signs out.',
        },
        tag: adminTag,
        headers: signOutHeaders,
        problems: ['record_not_found'],
      },
      handle: async (call) => {
        const id = idOf(call);
        if (!(await sessions.remove(id, userOf(call).id, actorOf(call))))
          throw new Problem('record_not_found');
        return sessionOf(call) === id ? { headers: signedOut() } : {};
      },
    },
    {
      operation: 'deleteSessions',
      method: 'DELETE',
      path: '/admin/sessions',
      auth: adminAuth,
      policy: administratorOnly,
      accepts: 'nothing',
      docs: {
        summary: { 'zh-CN': '退出我的全部会话', en: 'End all my sessions' },
        description: {
          'zh-CN':
            '结束自己在所有浏览器中的会话，包括当前会话，并撤销自己的全部令牌。`others=true` 保留当前会话。',
          en: 'Ends all your sessions in every browser, including this one, and revokes all your tokens. `others=true` keeps the session of this request.',
        },
        tag: adminTag,
        query: [othersQuery],
        headers: signOutHeaders,
        problems: ['invalid_parameter'],
      },
      handle: async (call) => {
        const kept = asksForOthers(call) ? sessionOf(call) : undefined;
        await sessions.removeAll(userOf(call).id, actorOf(call), kept);
        return kept === undefined ? { headers: signedOut() } : {};
      },
    },
  ];
};
