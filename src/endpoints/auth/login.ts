import { bearerChallenge } from '../../auth/bearer.ts';
import { field } from '../../fields/define.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { Problem } from '../../kernel/problem.ts';
import { createIdentityStore } from '../../store/tables/identities.ts';
import { createInput, refuseInvalid } from '../input.ts';
import { schemas } from '../schemas.ts';
import type { Services } from '../services.ts';

/** Account and password as both sign-ins take them. Their length is bounded by the body's; every byte counts. */
export const credentialsInput = (locale: Services['locale']) =>
  createInput({ account: field.text({ required: true }), password: field.text({ required: true }) }, locale);

/** Exchanges an account and a password for a token of 24 hours. */
export const loginEndpoint = (services: Services): Endpoint => {
  const input = credentialsInput(services.locale);
  const identities = createIdentityStore(services.database, () => {});
  return {
    operation: 'login',
    method: 'POST',
    path: '/api/v1/auth/login',
    auth: [],
    policy: { kind: 'open' },
    accepts: 'json',
    input: input.schema,
    docs: {
      summary: { 'zh-CN': '登录', en: 'Sign in' },
      description: {
        'zh-CN': '账号为用户名或邮箱。令牌有效期 24 小时。',
        en: 'The account is a username or an email address. The token is good for 24 hours.',
      },
      tag: 'Auth',
      data: schemas.login,
      problems: ['login_failed', 'too_many_requests', 'overloaded'],
    },
    handle: async ({ body, address, signal }) => {
      const { values, errors } = input.read(body);
      refuseInvalid(errors);
      const { id } = await services.login({
        account: String(values['account']),
        password: String(values['password']),
        address,
        signal,
      });
      const user = await identities.byUserId(id, []);
      // Disabled or deleted between the two: the same answer as a moment later.
      if (user === undefined)
        throw new Problem('login_failed', { headers: { 'WWW-Authenticate': bearerChallenge } });
      const { username, email, name } = user;
      await services.securityEvents.signedIn({ id, username }, address);
      return { data: { token: services.tokens.issue(id), user: { id, username, email, name } } };
    },
  };
};
