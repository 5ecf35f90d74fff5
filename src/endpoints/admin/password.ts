import { passwordRules } from '../../auth/password-rules.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { ownPasswordInput, readOwnPassword, verifyOwnPassword } from '../auth/own-password.ts';
import { refuseInvalid } from '../input.ts';
import type { Services } from '../services.ts';
import { actorOf, turnOf, userOf } from '../shared.ts';
import { adminAuth, adminTag } from './area.ts';

/** An administrator's own password, changed where a cookie is the sign-in. */
export const adminPasswordEndpoint = (services: Services): Endpoint => {
  const input = ownPasswordInput(services.locale);
  return {
    operation: 'adminChangePassword',
    method: 'PUT',
    path: '/admin/password',
    auth: adminAuth,
    policy: { kind: 'administrator', beforePasswordChange: true },
    accepts: 'json',
    input: input.schema,
    docs: {
      summary: { 'zh-CN': '修改自己的密码', en: "Change one's own password" },
      description: {
        'zh-CN': `${passwordRules['zh-CN']}当前密码错误为 422，并计入登录限制。自己的会话全部结束。`,
        en: `${passwordRules.en} A wrong current password is 422 and counts as a failed login. All one's sessions end.`,
      },
      tag: adminTag,
      problems: ['too_many_requests', 'overloaded'],
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
      if (!changed) refuseInvalid([input.error('current_password', { rule: 'wrong_password' })]);
      return {};
    },
  };
};
