/** Endpoints of one's own passkeys: options for the authenticator, registration and removal. */

import type { Passkeys } from '../../auth/passkeys.ts';
import { newRecoveryCodes, recoveryHashes } from '../../auth/recovery-codes.ts';
import { field } from '../../fields/define.ts';
import { actorOf, idOf, userOf } from '../../http/call.ts';
import type { Call, Endpoint } from '../../http/endpoint.ts';
import { createInput, refuseInvalid } from '../../http/input.ts';
import { isJsonObject, type JsonObject } from '../../kernel/json.ts';
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
import { newPasskeySchema, passkeyOptionsSchema } from './factor-schemas.ts';
import type { FactorSetups, Setup } from './factor-setups.ts';
import type { SecondFactorStore } from './store.ts';

export interface PasskeyParts extends PasswordInputParts {
  readonly factorSetups: FactorSetups;
  readonly secondFactors: SecondFactorStore;
  readonly passkeys: Passkeys;
}

const path = `${factorPath}/passkeys`;

/** The place of a setup. @throws Problem `forbidden` without a session */
const setupOf = (call: Call): Setup => ({ sessionId: changingSession(call), kind: 'passkey' });

/** @throws Problem `passkeys_impossible` */
const demandPossible = ({ problem }: Passkeys): void => {
  if (problem !== undefined) throw new Problem('passkeys_impossible');
};

const beginEndpoint = (services: PasskeyParts, password: PasswordInput): Endpoint => {
  const { factorSetups, secondFactors, passkeys } = services;
  return {
    ...ofFactors,
    operation: 'beginPasskey',
    method: 'POST',
    path: `${path}/options`,
    accepts: 'json',
    input: password.schema,
    docs: {
      ...factorDocs,
      summary: { 'zh-CN': '开始添加通行密钥', en: 'Start to add a passkey' },
      description: {
        'zh-CN':
          '需要自己的密码与会话（令牌为 403）。返回浏览器创建通行密钥所需的参数（PublicKeyCredentialCreationOptionsJSON），10 分钟内在同一会话中有效。BASE_URL 既非 https 域名亦非 localhost 时为 409。',
        en: 'Requires your own password, in a session (403 with a token). Returns the options for the browser (PublicKeyCredentialCreationOptionsJSON), valid for 10 minutes in the same session. 409 if BASE_URL is neither a host name with https nor localhost.',
      },
      data: passkeyOptionsSchema,
      problems: [...passwordProblems, 'passkeys_impossible'],
    },
    handle: async (call) => {
      const setup = setupOf(call);
      demandPossible(passkeys);
      const user = await password.verify(call);
      const { passkeys: known } = await secondFactors.of(user.id);
      const options = await passkeys.creationOptions(userOf(call), known);
      await factorSetups.begin({ ...setup, user, secret: options.challenge });
      return { data: { ...options } as unknown as JsonObject };
    },
  };
};

const addEndpoint = ({ factorSetups, passkeys, catalogue }: PasskeyParts): Endpoint => {
  const creation = createInput(
    { name: field.string({ required: true, max: 100 }), response: field.json({ required: true }) },
    catalogue,
  );
  return {
    ...ofFactors,
    operation: 'addPasskey',
    method: 'POST',
    path,
    accepts: 'json',
    input: creation.schema,
    status: 201,
    docs: {
      ...factorDocs,
      summary: { 'zh-CN': '添加通行密钥', en: 'Add a passkey' },
      description: {
        'zh-CN':
          '`response` 为浏览器的 RegistrationResponseJSON，与请求不符为 422。启用首个验证方式时返回 10 个恢复码，只显示这一次。自己的其他会话随即结束。',
        en: '`response` is the browser’s RegistrationResponseJSON; one that does not match the request returns 422. With the first factor, ten recovery codes are returned once. Your other sessions end.',
      },
      data: newPasskeySchema,
      problems: ['conflict', 'passkeys_impossible', 'second_factor_setup_ended'],
    },
    handle: async (call) => {
      const place = setupOf(call);
      demandPossible(passkeys);
      const { values, errors } = creation.read(call.body);
      refuseInvalid(errors);
      const name = String(values['name']);
      const setup = await factorSetups.find(place);
      if (setup === undefined) throw new Problem('second_factor_setup_ended');
      const response = values['response'];
      const made = isJsonObject(response)
        ? await passkeys.verifyRegistration(response, setup.secret)
        : undefined;
      if (made === undefined)
        throw new Problem('invalid_record', {
          errors: [creation.error('response', { rule: 'wrong_passkey' })],
        });
      const codes = newRecoveryCodes();
      const passkey = { ...made, name };
      const hashes = recoveryHashes(codes);
      const added = await factorSetups.completePasskey(setup, passkey, hashes, actorOf(call));
      if (added === undefined) throw new Problem('second_factor_setup_ended');
      return { data: { id: added.id, name, recovery_codes: added.first ? [...codes] : null } };
    },
  };
};

const removeEndpoint = ({ secondFactors }: PasskeyParts, password: PasswordInput): Endpoint =>
  removalOf(
    password,
    {
      operation: 'removePasskey',
      path: `${path}/:id`,
      summary: { 'zh-CN': '移除通行密钥', en: 'Remove a passkey' },
    },
    (call) => {
      const id = idOf(call);
      return (verified, sessionId) => secondFactors.removePasskey(id, verified, sessionId, actorOf(call));
    },
  );

/** Passkeys of one's own: begun, made by an authenticator, and removed. */
export const passkeyEndpoints = (services: PasskeyParts): Endpoint[] => {
  const password = createPasswordInput(services);
  return [beginEndpoint(services, password), addEndpoint(services), removeEndpoint(services, password)];
};
