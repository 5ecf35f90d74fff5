/** Common parts of the endpoints by which administrators manage their own second factor. */

import type { AuthenticateAccount } from '../../auth/login.ts';
import type { VerifiedUser } from '../../auth/ports.ts';
import { field } from '../../fields/define.ts';
import { adminAuth, adminTag } from '../../http/administration.ts';
import { userOf } from '../../http/call.ts';
import type { Call, Endpoint } from '../../http/endpoint.ts';
import { createInput, refuseInvalid } from '../../http/input.ts';
import { sessionOf } from '../../http/list-endpoint.ts';
import type { Catalogue } from '../../kernel/messages.ts';
import { Problem } from '../../kernel/problem.ts';
import { verifyOwnPassword } from '../users/own-password.ts';
import type { FactorChange } from './store.ts';

export const factorPath = '/admin/second-factor';

/** The endpoints also admit administrators who have yet to set a factor up. */
export const ofFactors = {
  auth: adminAuth,
  policy: { kind: 'administrator', beforeSecondFactor: true },
} as const satisfies Partial<Endpoint>;

/** Problems of an endpoint that asks for the password. */
export const passwordProblems = ['too_many_requests', 'overloaded'] as const;

export const factorDocs = { tag: adminTag } as const;

/**
 * Returns the session that makes a change. Tokens are refused: the change ends them.
 * @throws Problem `forbidden`
 */
export const changingSession = (call: Call): number => {
  const session = sessionOf(call);
  if (session === undefined) throw new Problem('forbidden');
  return session;
};

export interface PasswordInputParts {
  readonly login: AuthenticateAccount;
  readonly catalogue: Catalogue;
}

/** A body with one's own password alone. An attempt is counted as a login. */
export const createPasswordInput = (services: PasswordInputParts) => {
  const input = createInput({ password: field.text({ required: true }) }, services.catalogue);
  const wrong = (): Problem =>
    new Problem('invalid_record', { errors: [input.error('password', { rule: 'wrong_password' })] });
  return {
    schema: input.schema,
    /** The problem for a wrong password, and for one whose verification is no longer valid. */
    wrong,
    /** @throws Problem `invalid_record`, `too_many_requests`, `overloaded` */
    verify: async (call: Call): Promise<VerifiedUser> => {
      const { values, errors } = input.read(call.body);
      refuseInvalid(errors);
      const password = String(values['password']);
      const verified = await verifyOwnPassword(services, call, userOf(call), password);
      if (verified === undefined) throw wrong();
      return verified;
    },
  };
};

export type PasswordInput = ReturnType<typeof createPasswordInput>;

/**
 * Endpoint that removes a factor of one's own.
 * @param removalIn reads a call before its password is verified. Returns the function that removes the factor; that
 * function returns `overtaken` if the verification is no longer valid.
 */
export const removalOf = (
  password: PasswordInput,
  { operation, path, summary }: Pick<Endpoint, 'operation' | 'path'> & Pick<Endpoint['docs'], 'summary'>,
  removalIn: (call: Call) => (verified: VerifiedUser, sessionId: number) => Promise<FactorChange>,
): Endpoint => ({
  ...ofFactors,
  operation,
  method: 'DELETE',
  path,
  accepts: 'json',
  input: password.schema,
  docs: {
    ...factorDocs,
    summary,
    description: {
      'zh-CN': '需要自己的密码。移除最后一种验证方式时，恢复码一并作废；自己的其他会话随即结束。',
      en: 'Requires your own password. Removing the last factor also removes the recovery codes. Your other sessions end.',
    },
    problems: [...passwordProblems, 'record_not_found', 'second_factor_last'],
  },
  handle: async (call) => {
    const sessionId = changingSession(call);
    const remove = removalIn(call);
    const verified = await password.verify(call);
    if ((await remove(verified, sessionId)) === 'overtaken') throw password.wrong();
    return {};
  },
});
