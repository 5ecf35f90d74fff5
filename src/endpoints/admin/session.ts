import { loginFailed } from '../../auth/login.ts';
import type { Identity } from '../../auth/ports.ts';
import type { KnownUser } from '../../auth/security-events.ts';
import type { Call, Endpoint } from '../../http/endpoint.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Label } from '../../kernel/messages/messages.ts';
import { Problem } from '../../kernel/problem.ts';
import { isAdministrator } from '../../policy/roles.ts';
import { sessionFields, sessionSource } from '../../store/tables/sources.ts';
import { isForeignPage } from '../auth/foreign-page.ts';
import { createSignIn } from '../auth/sign-in.ts';
import { listEndpoint, sessionOf } from '../list-endpoint.ts';
import { schemas } from '../schemas.ts';
import type { Services } from '../services.ts';
import { actorOf, idOf, userOf } from '../shared.ts';
import { adminAuth, administratorOnly, adminTag, arriving } from './area.ts';

/** Characters of a User-Agent that are kept for the list of sessions. */
const maxUserAgent = 200;

const sessionCookie: Label = { 'zh-CN': '会话的 Cookie', en: 'The cookie of the session' };

/**
 * At sign-out the browser forgets the pages that it keeps for its back button, and what else of this origin it has in its
 * cache. Not `"cookies"`: that would take those of every other service below the same registered domain, and ours is
 * taken by Set-Cookie. Not `"storage"`: a front end may live on this origin, and the pages themselves keep only language
 * and theme there.
 */
const signOutHeaders = {
  'Set-Cookie': sessionCookie,
  'Clear-Site-Data': {
    'zh-CN': '`"cache"`：浏览器清除本站缓存，后退时不再显示已退出的页面',
    en: '`"cache"`: the browser empties its cache of this site, so that its back button shows no page of the session',
  },
} as const satisfies Readonly<Record<string, Label>>;

const sessionUserText: Label = {
  'zh-CN':
    '仅当管理员要求修改密码时带有 `must_change_password`：在 `PUT /admin/password` 之前，其他路由均为 403。',
  en: '`must_change_password` is there only while an administrator asks that the password be changed: every other route is 403 until `PUT /admin/password`.',
};

/** The person behind a session, and whether the password has to be changed before anything else. */
const sessionUser = ({ id, username, email, name, roles, mustChangePassword }: Identity): JsonObject => ({
  ...{ id, username, email, name, roles: [...roles].sort() },
  ...(mustChangePassword ? { must_change_password: true } : {}),
});

/** Sign-in, sign-out and who is signed in. */
export const sessionEndpoints = (services: Services): Endpoint[] => {
  const { cookies, sessions, baseUrl } = services;
  const signIn = createSignIn(services);
  const path = '/admin/session';
  const signedOut = () => ({ 'Set-Cookie': cookies.clear(), 'Clear-Site-Data': '"cache"' });

  const refuse = ({ address }: Call, problem: 'cross_site' | 'forbidden', by?: KnownUser): Problem => {
    const detail = { method: 'POST', path };
    services.securityEvents.record({ action: 'admin.refused', address, by, detail });
    return new Problem(problem);
  };

  return [
    {
      operation: 'createSession',
      method: 'POST',
      path,
      auth: [],
      policy: { kind: 'open' },
      accepts: 'json',
      input: signIn.schema,
      docs: {
        summary: { 'zh-CN': '登录管理后台', en: 'Sign in to the administration area' },
        description: sessionUserText,
        tag: adminTag,
        data: schemas.sessionUser,
        headers: { 'Set-Cookie': sessionCookie },
        problems: ['login_failed', 'forbidden', 'cross_site', 'too_many_requests', 'overloaded'],
      },
      handle: async (call) => {
        if (isForeignPage(call, baseUrl)) throw refuse(call, 'cross_site');
        const { verified, user } = await signIn.run(call);
        const principal = arriving(user);
        const by = { id: user.id, username: user.username };
        if (!isAdministrator(principal)) throw refuse(call, 'forbidden', by);
        const session = cookies.create();
        const userAgent = (call.header('user-agent') ?? '').slice(0, maxUserAgent).toWellFormed();
        const begun = await sessions.create(
          verified,
          { hash: session.hash, address: call.address, userAgent },
          { principal, address: call.address },
        );
        // Since the password was verified it was changed, or the sessions were ended.
        if (!begun) {
          const event = { action: 'sign_in.failed', address: call.address, account: by } as const;
          services.securityEvents.record(event);
          throw loginFailed();
        }
        services.securityEvents.logged({ action: 'sign_in', address: call.address, by });
        return {
          data: sessionUser(user),
          headers: { 'Set-Cookie': cookies.set(session.id) },
        };
      },
    },
    {
      operation: 'getSession',
      method: 'GET',
      path,
      auth: adminAuth,
      policy: { kind: 'administrator', beforePasswordChange: true },
      accepts: 'nothing',
      docs: {
        summary: { 'zh-CN': '当前登录者', en: 'Who is signed in' },
        description: sessionUserText,
        tag: adminTag,
        data: schemas.sessionUser,
      },
      handle: (call) => ({ data: sessionUser(userOf(call)) }),
    },
    {
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
    },
    listEndpoint(services, sessionSource, {
      operation: 'listSessions',
      path: '/admin/sessions',
      auth: adminAuth,
      policy: { kind: 'administrator', own: 'user_id', readable: sessionFields },
      docs: {
        summary: { 'zh-CN': '我的会话', en: 'My sessions' },
        tag: adminTag,
        data: schemas.session,
      },
    }),
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
          en: 'Sessions of others are not there: 404. To end the current one is to sign out.',
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
          'zh-CN': '结束自己在所有浏览器中的会话，包括当前会话。',
          en: 'Ends every session of one’s own in every browser, this one too.',
        },
        tag: adminTag,
        headers: signOutHeaders,
      },
      handle: async (call) => {
        await sessions.removeAll(userOf(call).id, actorOf(call));
        return { headers: signedOut() };
      },
    },
  ];
};
