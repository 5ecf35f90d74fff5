import { bearerChallenge } from '../../auth/bearer.ts';
import { passwordRules } from '../../auth/password-rules.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { Problem } from '../../kernel/problem.ts';
import type { Services } from '../services.ts';
import { actorOf, turnOf, userOf } from '../shared.ts';
import { ownPasswordInput, readOwnPassword, verifyOwnPassword } from './own-password.ts';

/** Changes one's own password; ends one's sessions in the administration area. */
export const passwordEndpoint = (services: Services): Endpoint => {
  const input = ownPasswordInput(services.locale);
  return {
    operation: 'changePassword',
    method: 'PUT',
    path: '/api/v1/auth/password',
    auth: ['jwt'],
    policy: { kind: 'user', beforePasswordChange: true },
    accepts: 'json',
    input: input.schema,
    docs: {
      summary: { 'zh-CN': '修改密码', en: 'Change password' },
      description: {
        'zh-CN': `${passwordRules['zh-CN']}当前密码错误为 401，并计入登录限制。`,
        en: `${passwordRules.en} A wrong current password is 401 and counts as a failed login.`,
      },
      tag: 'Auth',
      problems: ['login_failed', 'too_many_requests', 'overloaded'],
    },
    handle: async (call) => {
      const user = userOf(call);
      const { current, password } = await readOwnPassword(input, call.body, user);
      const verified = await verifyOwnPassword(services, call, user, current);
      const changed =
        verified !== undefined &&
        (await services.users.changePassword(
          verified,
          await services.passwords.hash(password, turnOf(call)),
          actorOf(call),
        ));
      if (!changed) throw new Problem('login_failed', { headers: { 'WWW-Authenticate': bearerChallenge } });
      return {};
    },
  };
};
