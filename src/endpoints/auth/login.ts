import type { Endpoint } from '../../http/endpoint.ts';
import { schemas } from '../schemas.ts';
import type { Services } from '../services.ts';
import { createSignIn } from './sign-in.ts';

/** Exchanges an account and a password for a token of 24 hours. */
export const loginEndpoint = (services: Services): Endpoint => {
  const signIn = createSignIn(services);
  return {
    operation: 'login',
    method: 'POST',
    path: '/api/v1/auth/login',
    auth: [],
    policy: { kind: 'open' },
    accepts: 'json',
    input: signIn.schema,
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
    handle: async (call) => {
      const { id, username, email, name } = (await signIn.run(call)).user;
      await services.securityEvents.signedIn({ id, username }, call.address);
      return { data: { token: services.tokens.issue(id), user: { id, username, email, name } } };
    },
  };
};
