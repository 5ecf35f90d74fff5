import { passwordRules } from '../../auth/password-rules.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { Problem } from '../../kernel/problem.ts';
import { ownPasswordChange } from '../auth/own-password.ts';
import type { Services } from '../services.ts';
import { adminAuth, adminTag } from './area.ts';

/** An administrator's own password, changed where a cookie is the sign-in. */
export const adminPasswordEndpoint = (services: Services): Endpoint => ({
  operation: 'adminChangePassword',
  path: '/admin/password',
  auth: adminAuth,
  policy: { kind: 'administrator', beforePasswordChange: true, beforeSecondFactor: true },
  ...ownPasswordChange(services, (input) => {
    const errors = [input.error('current_password', { rule: 'wrong_password' })];
    return new Problem('invalid_record', { errors });
  }),
  docs: {
    summary: { 'zh-CN': '修改自己的密码', en: "Change one's own password" },
    description: {
      'zh-CN': `${passwordRules['zh-CN']}当前密码错误为 422，并计入登录限制。自己的其他会话全部结束。`,
      en: `${passwordRules.en} A wrong current password is 422 and counts as a failed login. All one's other sessions end.`,
    },
    tag: adminTag,
    problems: ['too_many_requests', 'overloaded'],
  },
});
