/** Endpoints of one's own authenticator application: secret, confirmation by a first code, and removal. */

import { newRecoveryCodes, recoveryHashes } from '../../auth/recovery-codes.ts';
import type { SecretBox } from '../../auth/secret-box.ts';
import { newTotpSecret, stepOfCode, totpUrl } from '../../auth/totp.ts';
import { field } from '../../fields/define.ts';
import { actorOf, userOf } from '../../http/call.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { createInput, refuseInvalid } from '../../http/input.ts';
import { type ApplicationName, fullName } from '../../kernel/application-name.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Problem } from '../../kernel/problem.ts';
import {
  changingSession,
  createPasswordInput,
  factorDocs,
  factorPath,
  ofFactors,
  type PasswordInput,
  type PasswordInputParts,
  passwordProblems,
  removalOf,
} from './factor-parts.ts';
import { confirmedTotpSchema, newTotpSchema } from './factor-schemas.ts';
import type { FactorSetups } from './factor-setups.ts';
import type { SecondFactorStore } from './store.ts';

export interface TotpParts extends PasswordInputParts {
  readonly factorSetups: FactorSetups;
  readonly secondFactors: SecondFactorStore;
  /** Seals the secrets of authenticator applications. */
  readonly totpSecrets: SecretBox;
  readonly baseUrl: string;
  readonly application: ApplicationName;
  readonly clock: Clock;
}

const path = `${factorPath}/totp`;

const beginEndpoint = (services: TotpParts, password: PasswordInput): Endpoint => {
  const { factorSetups, totpSecrets, baseUrl, application } = services;
  const issuer = `${fullName(application)} ${new URL(baseUrl).hostname}`;
  return {
    ...ofFactors,
    operation: 'beginTotp',
    method: 'POST',
    path,
    accepts: 'json',
    input: password.schema,
    status: 201,
    docs: {
      ...factorDocs,
      summary: { 'zh-CN': '开始设置验证器应用', en: 'Start the setup of an authenticator app' },
      description: {
        'zh-CN':
          '需要自己的密码与会话（令牌为 403）。10 分钟内须在同一会话中以 `POST /admin/second-factor/totp/confirmation` 确认，此前不生效；已有的应用在确认后被取代。',
        en: 'Requires your own password, in a session (403 with a token). Confirm it in the same session within 10 minutes, with `POST /admin/second-factor/totp/confirmation`. An existing authenticator app is then replaced.',
      },
      data: newTotpSchema,
      problems: passwordProblems,
    },
    handle: async (call) => {
      const sessionId = changingSession(call);
      const user = await password.verify(call);
      const secret = newTotpSecret();
      const expires = await factorSetups.begin({
        sessionId,
        kind: 'totp',
        user,
        secret: totpSecrets.seal(secret),
      });
      const url = totpUrl(secret, issuer, userOf(call).username);
      return { data: { secret, url, expires_at: expires } };
    },
  };
};

const confirmEndpoint = ({ factorSetups, totpSecrets, clock, catalogue }: TotpParts): Endpoint => {
  const confirmation = createInput({ code: field.text({ required: true }) }, catalogue);
  return {
    ...ofFactors,
    operation: 'confirmTotp',
    method: 'POST',
    path: `${path}/confirmation`,
    accepts: 'json',
    input: confirmation.schema,
    docs: {
      ...factorDocs,
      summary: { 'zh-CN': '确认验证器应用', en: 'Confirm an authenticator app' },
      description: {
        'zh-CN':
          '`code` 为应用当前显示的 6 位验证码，错误为 422。启用首个验证方式时返回 10 个恢复码，只显示这一次。自己的其他会话随即结束。',
        en: '`code` is the six-digit code of the app; a wrong one returns 422. With the first factor, ten recovery codes are returned once. Your other sessions end.',
      },
      data: confirmedTotpSchema,
      problems: ['second_factor_setup_ended'],
    },
    handle: async (call) => {
      const sessionId = changingSession(call);
      const { values, errors } = confirmation.read(call.body);
      refuseInvalid(errors);
      const setup = await factorSetups.find({ sessionId, kind: 'totp' });
      const secret = setup && totpSecrets.open(setup.secret);
      if (setup === undefined || secret === undefined) throw new Problem('second_factor_setup_ended');
      const step = stepOfCode(secret, String(values['code']), clock());
      if (step === undefined) refuseInvalid([confirmation.error('code', { rule: 'wrong_code' })]);
      const codes = newRecoveryCodes();
      const hashes = recoveryHashes(codes);
      const added = await factorSetups.completeTotp(setup, step ?? 0, hashes, actorOf(call));
      if (added === undefined) throw new Problem('second_factor_setup_ended');
      return { data: { recovery_codes: added.first ? [...codes] : null } };
    },
  };
};

const removeEndpoint = ({ secondFactors }: TotpParts, password: PasswordInput): Endpoint =>
  removalOf(
    password,
    {
      operation: 'removeTotp',
      path,
      summary: { 'zh-CN': '移除验证器应用', en: 'Remove the authenticator app' },
    },
    (call) => (verified, sessionId) => secondFactors.removeTotp(verified, sessionId, actorOf(call)),
  );

/** An authenticator application of one's own: begun, confirmed by a code of it, and removed. */
export const totpEndpoints = (services: TotpParts): Endpoint[] => {
  const password = createPasswordInput(services);
  return [beginEndpoint(services, password), confirmEndpoint(services), removeEndpoint(services, password)];
};
