import { bearerChallenge } from '../../auth/bearer.ts';
import { passwordRules, passwordViolation } from '../../auth/password-rules.ts';
import { field } from '../../fields/define.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { Problem } from '../../kernel/problem.ts';
import { createInput, refuseInvalid } from '../input.ts';
import type { Services } from '../services.ts';
import { actorOf, turnOf, userOf } from '../shared.ts';

/** Changes one's own password; ends one's sessions in the administration area. */
export const passwordEndpoint = (services: Services): Endpoint => {
  const input = createInput(
    { current_password: field.text({ required: true }), password: field.text({ required: true }) },
    services.locale,
  );
  return {
    operation: 'changePassword',
    method: 'PUT',
    path: '/api/v1/auth/password',
    auth: ['jwt'],
    policy: { kind: 'user' },
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
      const { values, errors } = input.read(call.body);
      const password = String(values['password']);
      const violation = errors.length === 0 ? await passwordViolation(password, user) : undefined;
      refuseInvalid(violation === undefined ? errors : [...errors, input.error('password', violation)]);
      // The same counted way as a login, so that a stolen token cannot be used to guess the password.
      const id = await services.login({
        account: user.username,
        password: String(values['current_password']),
        address: call.address,
        signal: call.signal,
      });
      if (id !== user.id)
        throw new Problem('login_failed', { headers: { 'WWW-Authenticate': bearerChallenge } });
      const passwordHash = await services.passwords.hash(password, turnOf(call));
      await services.users.changePassword(user.id, passwordHash, actorOf(call));
      return {};
    },
  };
};
