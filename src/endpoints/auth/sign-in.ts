import { loginFailed } from '../../auth/login.ts';
import type { Identity, VerifiedUser } from '../../auth/ports.ts';
import { sameOrigin } from '../../auth/same-origin.ts';
import { field } from '../../fields/define.ts';
import type { JsonSchema } from '../../fields/field.ts';
import type { Call, Endpoint } from '../../http/endpoint.ts';
import { createInput, refuseInvalid } from '../input.ts';
import { schemas } from '../schemas.ts';
import type { Services } from '../services.ts';

/** A user who has signed in. `verified` goes into the write that rests on the password. */
export interface SignedIn {
  readonly verified: VerifiedUser;
  readonly user: Identity;
}

/** An account and a password for the person behind them: what the login and the administration area's sign-in share. */
export interface SignIn {
  readonly schema: JsonSchema;
  /** @throws Problem `invalid_record`, `login_failed`, `too_many_requests`, `overloaded` */
  readonly run: (call: Pick<Call, 'body' | 'address' | 'signal'>) => Promise<SignedIn>;
}

export const createSignIn = (services: Services): SignIn => {
  // The lengths are bounded by the body's; every byte of a password counts.
  const input = createInput(
    { account: field.text({ required: true }), password: field.text({ required: true }) },
    services.locale,
  );
  const { identities } = services;
  return {
    schema: input.schema,
    run: async ({ body, address, signal }) => {
      const { values, errors } = input.read(body);
      refuseInvalid(errors);
      const account = String(values['account']);
      const password = String(values['password']);
      const verified = await services.login({ account, password, address, signal });
      const user = await identities.byUserId(verified.id, []);
      // Disabled or deleted between the two: the same answer as a moment later.
      if (user === undefined) throw loginFailed();
      return { verified, user };
    },
  };
};

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

/**
 * Whether a page of another origin sends the call: without a session a browser must be on a page of this service;
 * without cookie and Origin it is none.
 */
export const isForeignPage = (call: Pick<Call, 'header'>, baseUrl: string): boolean =>
  (call.header('cookie') !== undefined || call.header('origin') !== undefined) && !sameOrigin(call, baseUrl);
