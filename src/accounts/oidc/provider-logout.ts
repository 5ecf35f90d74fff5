/** Endpoint that a provider calls when a user has signed out there (back-channel logout). */

import { anonymous } from '../../auth/principal.ts';
import { field } from '../../fields/define.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { createInput, refuseInvalid } from '../../http/input.ts';
import type { Catalogue } from '../../kernel/messages.ts';
import { Problem } from '../../kernel/problem.ts';
import { UnprovedAccountError } from './client.ts';
import type { ProviderSignInParts, ProviderSignIns } from './provider-sign-ins.ts';

export interface ProviderLogoutParts extends ProviderSignInParts {
  readonly catalogue: Catalogue;
}

export const providerLogoutEndpoint = (
  { catalogue, throttle, nonces, linkedAccounts }: ProviderLogoutParts,
  signIns: ProviderSignIns,
): Endpoint => {
  const logoutInput = createInput({ logout_token: field.text({ required: true }) }, catalogue);
  return {
    operation: 'providerLogout',
    method: 'POST',
    path: '/api/v1/auth/oidc/:provider/logout',
    auth: [],
    policy: { kind: 'open' },
    accepts: 'form',
    input: logoutInput.schema,
    docs: {
      summary: { 'zh-CN': '提供方发起的退出登录', en: 'Back-channel logout' },
      description: {
        'zh-CN': '由身份提供方调用：结束该用户的全部会话与令牌。',
        en: 'Called by the provider: ends all sessions and tokens of the user.',
      },
      tag: 'Auth',
      problems: ['bad_request', 'provider_unavailable', 'too_many_requests', 'overloaded'],
    },
    handle: async (call) => {
      const part = signIns.providerOf(call);
      const { values, errors } = logoutInput.read(call.body);
      refuseInvalid(errors);
      const read = await part.client.logout(String(values['logout_token'])).catch((error: unknown) => {
        if (error instanceof UnprovedAccountError) return error;
        throw error;
      });
      // The provider may share its network with others: what it has signed is never refused because of them.
      if (read instanceof UnprovedAccountError) {
        const { address, signal } = call;
        const reason = async () => signIns.recordFailure(part, call, read.message);
        await throttle.run(part.name, address, reason, signal, 'logout');
        throw new Problem('bad_request');
      }
      if (!(await nonces.use(` ${part.name}`, read.id, read.until))) throw new Problem('bad_request');
      await linkedAccounts.signOut(read, { principal: anonymous, address: call.address });
      return { headers: { 'Cache-Control': 'no-store' } };
    },
  };
};
