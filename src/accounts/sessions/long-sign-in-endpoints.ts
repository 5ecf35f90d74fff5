/** Endpoints of an application with long sign-ins: the renewal, and one's own sessions. */

import { createHash } from 'node:crypto';
import type { Tokens } from '../../auth/jwt.ts';
import type { LoginThrottle } from '../../auth/login-throttle.ts';
import type { RefreshTokens } from '../../auth/refresh-token.ts';
import { jwt, tokenOf } from '../../auth/registry.ts';
import { field } from '../../fields/define.ts';
import { actorOf, idOf, userOf } from '../../http/call.ts';
import type { Call, Endpoint } from '../../http/endpoint.ts';
import { createInput, refuseInvalid } from '../../http/input.ts';
import type { Catalogue } from '../../kernel/messages.ts';
import { Problem } from '../../kernel/problem.ts';
import type { SecurityEventStore } from '../security-events.ts';
import type { LongSignIns, Renewal } from './long-sign-ins.ts';
import { ownSessionsSchema, renewedSchema } from './session-schemas.ts';
import type { SessionStore } from './store.ts';

export interface LongSignInEndpointParts {
  /** Undefined where the application has none: then there are no endpoints. */
  readonly longSignIns: LongSignIns | undefined;
  readonly refreshTokens: RefreshTokens;
  readonly tokens: Tokens;
  readonly sessions: SessionStore;
  readonly throttle: LoginThrottle;
  readonly securityEvents: SecurityEventStore;
  readonly catalogue: Catalogue;
}

type LongParts = LongSignInEndpointParts & { readonly longSignIns: LongSignIns };

/** Renews a sign-in; undefined for a token that is unknown, or whose sign-in has ended. */
const renew = async (
  { longSignIns, refreshTokens, securityEvents }: LongParts,
  token: string,
  address: string,
): Promise<Renewal | undefined> => {
  const claims = refreshTokens.read(token);
  const outcome = claims && (await longSignIns.renew(claims, address));
  if (outcome?.kind !== 'reused') return outcome;
  securityEvents.log({ action: 'sign_in.reused', address, account: outcome.user });
  return undefined;
};

/**
 * Counts a refused token as a failure of its network. Only failures take a place in the counters: a token cannot be
 * guessed, and other callers in a network that was locked out must be able to renew theirs.
 * @throws Problem `too_many_requests`, `overloaded`
 */
const countRefusal = (
  { throttle }: LongParts,
  token: string,
  { address, signal }: Call,
): Promise<unknown> => {
  const name = createHash('sha256').update(token).digest('hex');
  return throttle.run(name, address, async () => undefined, signal, 'refresh');
};

const refreshEndpoint = (services: LongParts): Endpoint => {
  const { refreshTokens, tokens, catalogue } = services;
  const input = createInput({ refresh_token: field.text({ required: true }) }, catalogue);
  return {
    operation: 'refreshToken',
    method: 'POST',
    path: '/api/v1/auth/refresh',
    auth: [],
    policy: { kind: 'open' },
    accepts: 'json',
    input: input.schema,
    docs: {
      summary: { 'zh-CN': '续期长期登录', en: 'Renew a long sign-in' },
      description: {
        'zh-CN':
          '返回新的令牌与新的 `refresh_token`。每个 `refresh_token` 只能使用一次：10 秒内再次使用得到相同的结果，此后再次使用则结束该登录。无效、过期或已结束时均为 401（40101），并计入该网络的失败次数。',
        en: 'Returns a new token and a new `refresh_token`. Each `refresh_token` works once: within 10 seconds it returns the same pair again, later it ends its sign-in. One that is unknown, expired or ended returns 401 (40101) and counts as a failure of its network.',
      },
      tag: 'Auth',
      data: renewedSchema,
      problems: ['invalid_token', 'too_many_requests', 'overloaded'],
    },
    handle: async (call) => {
      const { values, errors } = input.read(call.body);
      refuseInvalid(errors);
      const given = String(values['refresh_token']);
      const renewal = await renew(services, given, call.address);
      if (renewal === undefined) {
        await countRefusal(services, given, call);
        throw new Problem('invalid_token', { headers: { 'WWW-Authenticate': jwt.challenge } });
      }
      const { userId, expiry } = renewal;
      return { data: { token: tokens.issue(userId, expiry), refresh_token: refreshTokens.after(given) } };
    },
  };
};

const common = { auth: ['jwt'], policy: { kind: 'user' }, accepts: 'nothing' } as const;
const path = '/api/v1/auth/sessions';

const listEndpoint = ({ sessions, tokens }: LongParts): Endpoint => ({
  ...common,
  operation: 'listOwnSessions',
  method: 'GET',
  path,
  docs: {
    summary: { 'zh-CN': '我的会话', en: 'My sessions' },
    description: {
      'zh-CN': '有效的长期登录（`remembered` 为真）与管理后台会话。`current` 表示本请求的令牌所属的会话。',
      en: 'Valid long sign-ins (`remembered` is true) and sessions of the administration area. `current` is the one to which the token of this request belongs.',
    },
    tag: 'Auth',
    data: ownSessionsSchema,
  },
  handle: async (call) => {
    const { id } = userOf(call);
    const claims = tokens.verify(tokenOf(call) ?? '');
    const current = claims === undefined ? [] : await sessions.sessionsOf(claims);
    const found = await sessions.signInsOf(id);
    return {
      data: (found?.sessions ?? []).map((each) => ({ ...each, current: current.includes(each.id) })),
    };
  },
});

const endEndpoint = ({ sessions }: LongParts): Endpoint => ({
  ...common,
  operation: 'endOwnSession',
  method: 'DELETE',
  path: `${path}/:id`,
  docs: {
    summary: { 'zh-CN': '结束我的一个会话', en: 'End one of my sessions' },
    description: {
      'zh-CN': '同时吊销长期登录的令牌。他人的会话如同不存在：404。',
      en: 'The tokens of a long sign-in are revoked with it. Sessions of other users return 404.',
    },
    tag: 'Auth',
    problems: ['record_not_found'],
  },
  handle: async (call) => {
    if (!(await sessions.remove(idOf(call), userOf(call).id, actorOf(call))))
      throw new Problem('record_not_found');
    return {};
  },
});

const endAllEndpoint = ({ sessions }: LongParts): Endpoint => ({
  ...common,
  operation: 'endOwnSessions',
  method: 'DELETE',
  path,
  docs: {
    summary: { 'zh-CN': '结束我的全部会话', en: 'End all my sessions' },
    description: {
      'zh-CN': '结束全部会话并吊销全部令牌，包括本请求的令牌。',
      en: 'Ends all sessions and revokes all tokens, also that of this request.',
    },
    tag: 'Auth',
  },
  handle: async (call) => {
    await sessions.removeAll(userOf(call).id, actorOf(call));
    return {};
  },
});

export const longSignInEndpoints = (services: LongSignInEndpointParts): Endpoint[] => {
  const { longSignIns } = services;
  if (longSignIns === undefined) return [];
  const parts = { ...services, longSignIns };
  return [refreshEndpoint(parts), listEndpoint(parts), endEndpoint(parts), endAllEndpoint(parts)];
};
