import { loginFailed } from '../../auth/login.ts';
import { passwordRules } from '../../auth/password-rules.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import type { Services } from '../services.ts';
import { ownPasswordChange } from './own-password.ts';

/** Changes one's own password; ends one's sessions in the administration area. */
export const passwordEndpoint = (services: Services): Endpoint => ({
  operation: 'changePassword',
  path: '/api/v1/auth/password',
  auth: ['jwt'],
  policy: { kind: 'user', beforePasswordChange: true },
  ...ownPasswordChange(services, loginFailed),
  docs: {
    summary: { 'zh-CN': '修改密码', en: 'Change password' },
    description: {
      'zh-CN': `${passwordRules['zh-CN']}当前密码错误为 401，并计入登录限制。`,
      en: `${passwordRules.en} A wrong current password is 401 and counts as a failed login.`,
    },
    tag: 'Auth',
    problems: ['login_failed', 'too_many_requests', 'overloaded'],
  },
});
