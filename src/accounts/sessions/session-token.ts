import type { Tokens } from '../../auth/jwt.ts';
import { adminAuth, administratorOnly, adminTag } from '../../http/administration.ts';
import { userOf } from '../../http/call.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { toTimestamp } from '../../kernel/clock.ts';
import { Problem } from '../../kernel/problem.ts';
import type { SecurityEventStore } from '../security-events.ts';
import { sessionTokenSchema } from './session-schemas.ts';

export interface SessionTokenParts {
  readonly tokens: Tokens;
  readonly securityEvents: SecurityEventStore;
}

/**
 * Issues a token for a session, for the documentation page, which sends tokens. A token gets none, so that no token
 * prolongs itself. The token ends with the session, after 15 minutes at the latest.
 */
export const sessionTokenEndpoint = ({ tokens, securityEvents }: SessionTokenParts): Endpoint => ({
  operation: 'createSessionToken',
  method: 'POST',
  path: '/admin/session/token',
  auth: adminAuth,
  policy: administratorOnly,
  accepts: 'nothing',
  docs: {
    summary: { 'zh-CN': '以会话换取令牌', en: 'A token of the session' },
    description: {
      'zh-CN':
        '供接口文档以当前管理员的身份试用接口。令牌有效期 15 分钟；会话结束（退出、改密、在别处被结束、闲置过久）后随即失效。',
      en: 'For the documentation page, to try operations as the administrator who is signed in. The token is valid for 15 minutes, but no longer than the session: it ends with a sign-out, a new password, an end by another user, or inactivity.',
    },
    tag: adminTag,
    data: sessionTokenSchema,
  },
  handle: (call) => {
    const { id, username, email, name, roles, credential, secondFactor } = userOf(call);
    // A token has none.
    if (credential === undefined) throw new Problem('forbidden');
    const amr = secondFactor === 'given' ? ['pwd', 'mfa'] : undefined;
    const { token, exp } = tokens.issueFor(id, { id: credential, amr });
    securityEvents.record({ action: 'session.token', address: call.address, by: { id, username } });
    return {
      data: {
        token,
        expires_at: toTimestamp(exp * 1000),
        user: { id, username, email, name, roles: [...roles].sort() },
      },
    };
  },
});
