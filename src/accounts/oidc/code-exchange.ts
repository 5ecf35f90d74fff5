/** Endpoint that exchanges the one-time code of a sign-in by a provider for a token. */

import { loginFailed } from '../../auth/login.ts';
import { field } from '../../fields/define.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { createInput, refuseInvalid } from '../../http/input.ts';
import type { Catalogue } from '../../kernel/messages.ts';
import {
  forgetFailures,
  issueToken,
  rememberText,
  type TokenIssueParts,
  tokenFields,
} from '../sessions/sign-in.ts';
import { takenAddress } from '../users/endpoints.ts';
import { exchangedLoginSchema, withRefreshToken } from '../users/identity-schemas.ts';
import { type CodeSignInParts, createBoundCodes, signInByCode } from './code.ts';

export interface CodeExchangeParts extends CodeSignInParts, TokenIssueParts {
  readonly catalogue: Catalogue;
  readonly baseUrl: string;
}

/** A second factor is asked for as at a sign-in by password, unless that of the provider counts. */
export const exchangeEndpoint = (services: CodeExchangeParts): Endpoint => {
  const { catalogue, linkedAccounts, securityEvents, baseUrl } = services;
  const codes = createBoundCodes(baseUrl);
  const tokenInput = createInput(
    { code: field.text({ required: true }), ...tokenFields(services) },
    catalogue,
  );
  return {
    operation: 'exchangeCode',
    method: 'POST',
    path: '/api/v1/auth/token',
    auth: [],
    policy: { kind: 'open' },
    accepts: 'json',
    input: tokenInput.schema,
    docs: {
      summary: { 'zh-CN': '用一次性代码换取令牌', en: 'Exchange a one-time code for a token' },
      description: {
        'zh-CN': `\`code\` 来自身份提供方登录后返回地址的片段，2 分钟内有效，只能使用一次，且只能在发起登录的浏览器中使用（凭其 Cookie）。已启用两步验证的用户须附 \`otp\`，除非提供方的第二因素被认可。若提供方的邮箱已属于其他用户，则 \`email\` 为 null，且带有 \`email_taken\`。${rememberText(services)['zh-CN']}`,
        en: `\`code\` is in the fragment of the address to which a sign-in with a provider returns. It is valid once within 2 minutes, in the browser that began (by its cookie). A user with two-step verification also sends \`otp\`, unless the second factor of the provider counts. If the address at the provider belongs to another user, \`email\` is null and \`email_taken\` is there.${rememberText(services).en}`,
      },
      tag: 'Auth',
      data:
        services.longSignIns === undefined ? exchangedLoginSchema : withRefreshToken(exchangedLoginSchema),
      problems: [
        'login_failed',
        'second_factor_required',
        'second_factor_wrong',
        'too_many_requests',
        'overloaded',
      ],
    },
    handle: async (call) => {
      const { values, errors } = tokenInput.read(call.body);
      refuseInvalid(errors);
      const code = codes.read(call, String(values['code']));
      const signedIn = await signInByCode(services, code);
      const use = () => linkedAccounts.useCode(code);
      const issued = await issueToken(services, call, { ...signedIn, values }, use);
      if (issued === undefined) throw loginFailed();
      const { id, username, email, name } = signedIn.user;
      await forgetFailures(services, signedIn.user, call);
      await securityEvents.signedIn({ id, username }, call.address);
      const taken = await takenAddress(services, signedIn.user);
      return {
        data: {
          ...issued,
          user: { id, username, email, name, ...taken },
        },
      };
    },
  };
};
