import { bearerChallenge } from '../../auth/bearer.ts';
import { sameOrigin } from '../../auth/same-origin.ts';
import type { Call, Endpoint } from '../../http/endpoint.ts';
import type { Label } from '../../kernel/messages/messages.ts';
import { Problem } from '../../kernel/problem.ts';
import { isAdministrator } from '../../policy/roles.ts';
import { createIdentityStore } from '../../store/tables/identities.ts';
import { sessionFields, sessionSource } from '../../store/tables/sources.ts';
import { credentialsInput } from '../auth/login.ts';
import { refuseInvalid } from '../input.ts';
import { listEndpoint } from '../list-endpoint.ts';
import { schemas } from '../schemas.ts';
import type { Services } from '../services.ts';
import { actorOf, userOf } from '../shared.ts';
import { adminAuth, administratorOnly, adminTag } from './area.ts';

/** Characters of a User-Agent that are kept for the list of sessions. */
const maxUserAgent = 200;

const sessionCookie: Label = { 'zh-CN': '会话的 Cookie', en: 'The cookie of the session' };

/** A browser's sign-in must come from a page of this service; a client without cookie and Origin is no browser. */
const refuseForeignPage = (call: Call, baseUrl: string): void => {
  if (call.header('cookie') === undefined && call.header('origin') === undefined) return;
  if (!sameOrigin(call, baseUrl)) throw new Problem('cross_site');
};

/** Sign-in, sign-out and who is signed in. */
export const sessionEndpoints = (services: Services): Endpoint[] => {
  const { cookies, sessions, baseUrl } = services;
  const input = credentialsInput(services.locale);
  const identities = createIdentityStore(services.database, () => {});
  const path = '/admin/session';
  return [
    {
      operation: 'createSession',
      method: 'POST',
      path,
      auth: [],
      policy: { kind: 'open' },
      accepts: 'json',
      input: input.schema,
      docs: {
        summary: { 'zh-CN': '登录管理后台', en: 'Sign in to the administration area' },
        tag: adminTag,
        data: schemas.user,
        headers: { 'Set-Cookie': sessionCookie },
        problems: ['login_failed', 'forbidden', 'cross_site', 'too_many_requests', 'overloaded'],
      },
      handle: async (call) => {
        refuseForeignPage(call, baseUrl);
        const { values, errors } = input.read(call.body);
        refuseInvalid(errors);
        const id = await services.login({
          account: String(values['account']),
          password: String(values['password']),
          address: call.address,
          signal: call.signal,
        });
        const user = await identities.byUserId(id, undefined);
        if (user === undefined)
          throw new Problem('login_failed', { headers: { 'WWW-Authenticate': bearerChallenge } });
        const principal = { kind: 'user', method: 'session', ...user } as const;
        if (!isAdministrator(principal)) throw new Problem('forbidden');
        const session = cookies.create();
        const userAgent = (call.header('user-agent') ?? '').slice(0, maxUserAgent).toWellFormed();
        await sessions.create(
          { userId: id, hash: session.hash, address: call.address, userAgent },
          { principal, address: call.address },
        );
        const { username, email, name, roles } = user;
        return {
          data: { id, username, email, name, roles: [...roles].sort() },
          headers: { 'Set-Cookie': cookies.set(session.id) },
        };
      },
    },
    {
      operation: 'getSession',
      method: 'GET',
      path,
      auth: adminAuth,
      policy: administratorOnly,
      accepts: 'nothing',
      docs: { summary: { 'zh-CN': '当前登录者', en: 'Who is signed in' }, tag: adminTag, data: schemas.user },
      handle: (call) => {
        const { id, username, email, name, roles } = userOf(call);
        return { data: { id, username, email, name, roles: [...roles].sort() } };
      },
    },
    {
      operation: 'deleteSession',
      method: 'DELETE',
      path,
      auth: ['session'],
      policy: { kind: 'user' },
      accepts: 'nothing',
      docs: {
        summary: { 'zh-CN': '退出登录', en: 'Sign out' },
        tag: adminTag,
        headers: { 'Set-Cookie': sessionCookie },
      },
      handle: async (call) => {
        const { id, credential } = userOf(call);
        if (credential !== undefined) await sessions.remove(credential, id, actorOf(call));
        return { headers: { 'Set-Cookie': cookies.clear() } };
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
      operation: 'deleteSessions',
      method: 'DELETE',
      path: '/admin/sessions',
      auth: adminAuth,
      policy: administratorOnly,
      accepts: 'nothing',
      docs: {
        summary: { 'zh-CN': '退出我的全部会话', en: 'End all my sessions' },
        tag: adminTag,
        headers: { 'Set-Cookie': sessionCookie },
      },
      handle: async (call) => {
        await sessions.removeAll(userOf(call).id, actorOf(call));
        return { headers: { 'Set-Cookie': cookies.clear() } };
      },
    },
  ];
};
