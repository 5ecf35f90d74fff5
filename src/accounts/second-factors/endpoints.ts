/**
 * Endpoints of second factors: the second step of a sign-in, one's own factors, recovery codes, and removal by an
 * administrator.
 */

import { newRecoveryCodes, recoveryHashes } from '../../auth/recovery-codes.ts';
import { adminAuth, administratorOnly } from '../../http/administration.ts';
import { actorOf, idOf, userOf } from '../../http/call.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { Problem } from '../../kernel/problem.ts';
import {
  changingSession,
  createPasswordInput,
  factorDocs,
  factorPath,
  ofFactors,
  type PasswordInputParts,
  passwordProblems,
} from './factor-parts.ts';
import { recoveryCodesSchema, secondFactorSchema } from './factor-schemas.ts';
import { type PasskeyParts, passkeyEndpoints } from './passkeys-endpoints.ts';
import { type SecondFactorSignInParts, secondFactorSignIn } from './second-factor-sign-in.ts';
import type { FactorTimes } from './store.ts';
import { type TotpParts, totpEndpoints } from './totp-endpoints.ts';

const timesOf = ({ createdAt, lastUsedAt }: FactorTimes) => ({
  created_at: createdAt,
  last_used_at: lastUsedAt,
});

export interface SecondFactorParts
  extends PasswordInputParts,
    SecondFactorSignInParts,
    TotpParts,
    PasskeyParts {
  /** Every administrator has to have a second factor. */
  readonly secondFactorRequired: boolean;
}

const getEndpoint = ({ secondFactors, passkeys, secondFactorRequired }: SecondFactorParts): Endpoint => ({
  ...ofFactors,
  operation: 'getSecondFactor',
  method: 'GET',
  path: factorPath,
  accepts: 'nothing',
  docs: {
    ...factorDocs,
    summary: { 'zh-CN': '我的两步验证', en: 'My two-step verification' },
    data: secondFactorSchema,
  },
  handle: async (call) => {
    const factors = await secondFactors.of(userOf(call).id);
    return {
      data: {
        totp: factors.totp === undefined ? null : timesOf(factors.totp),
        passkeys: factors.passkeys.map((each) => ({ id: each.id, name: each.name, ...timesOf(each) })),
        recovery_codes_left: factors.recoveryCodes,
        required: secondFactorRequired,
        passkeys_possible: passkeys.problem === undefined,
        passkeys_problem: passkeys.problem ?? null,
      },
    };
  },
});

const renewCodesEndpoint = (services: SecondFactorParts): Endpoint => {
  const { secondFactors } = services;
  const password = createPasswordInput(services);
  return {
    ...ofFactors,
    operation: 'renewRecoveryCodes',
    method: 'POST',
    path: `${factorPath}/recovery-codes`,
    accepts: 'json',
    input: password.schema,
    docs: {
      ...factorDocs,
      summary: { 'zh-CN': '重新生成恢复码', en: 'New recovery codes' },
      description: {
        'zh-CN': '需要自己的密码与会话（令牌为 403）。10 个新恢复码只显示这一次，旧的全部作废。',
        en: 'Requires your own password, in a session (403 with a token). Ten new codes are returned once; all old codes become invalid.',
      },
      data: recoveryCodesSchema,
      problems: [...passwordProblems, 'second_factor_none'],
    },
    handle: async (call) => {
      changingSession(call);
      const verified = await password.verify(call);
      const codes = newRecoveryCodes();
      const outcome = await secondFactors.renewRecoveryCodes(verified, recoveryHashes(codes), actorOf(call));
      if (outcome === 'overtaken') throw password.wrong();
      return { data: { recovery_codes: [...codes] } };
    },
  };
};

const resetEndpoint = ({ secondFactors }: SecondFactorParts): Endpoint => ({
  operation: 'adminResetSecondFactor',
  method: 'DELETE',
  path: '/admin/users/:id/second-factor',
  auth: adminAuth,
  policy: administratorOnly,
  accepts: 'nothing',
  docs: {
    ...factorDocs,
    summary: { 'zh-CN': '重置用户的两步验证', en: 'Reset a user’s two-step verification' },
    description: {
      'zh-CN':
        '用户丢失手机时使用：移除其全部验证方式与恢复码，并结束其会话。仅限 super_admin，且不能用于自己。',
      en: 'For a user who has lost their phone: removes all factors and recovery codes and ends the sessions of the user. Only a super_admin can do this, and not for themselves.',
    },
    problems: ['record_not_found'],
  },
  handle: async (call) => {
    const id = idOf(call);
    // Removal of one's own factors requires the password: a page left open must not be enough.
    if (id === userOf(call).id) throw new Problem('forbidden');
    await secondFactors.reset(id, actorOf(call));
    return {};
  },
});

/** Two-step verification: the second step of a sign-in, one's own factors, and their reset by an administrator. */
export const secondFactorEndpoints = (services: SecondFactorParts): Endpoint[] => [
  secondFactorSignIn(services),
  getEndpoint(services),
  ...totpEndpoints(services),
  ...passkeyEndpoints(services),
  renewCodesEndpoint(services),
  resetEndpoint(services),
];
