/**
 * Typed second factors (a code of an application, a recovery code): proof, counted attempts, and the event of a
 * failure.
 */

import { canonicalAccount } from '../../auth/account.ts';
import type { LoginThrottle } from '../../auth/login-throttle.ts';
import type { Identity } from '../../auth/ports.ts';
import { hashRecoveryCode } from '../../auth/recovery-codes.ts';
import { jwt } from '../../auth/registry.ts';
import type { SecretBox } from '../../auth/secret-box.ts';
import { stepOfCode } from '../../auth/totp.ts';
import type { Call } from '../../http/endpoint.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Problem, type ProblemDetails } from '../../kernel/problem.ts';
import type { SecurityEventStore } from '../security-events.ts';
import type { Proof } from './proof.ts';
import type { SignInTickets } from './sign-in-tickets.ts';

/** A second factor that a user can type: a code of an authenticator application, or a recovery code. */
export interface TypedFactor {
  readonly by: 'totp' | 'recovery_code';
  readonly code: string;
}

type FactorCall = Pick<Call, 'address' | 'signal'>;

export const factorProblem = (
  name: 'second_factor_required' | 'second_factor_wrong' | 'second_factor_expired',
  details: ProblemDetails = {},
): Problem => new Problem(name, { ...details, headers: { 'WWW-Authenticate': jwt.challenge } });

export interface TypedFactorParts {
  readonly signInTickets: SignInTickets;
  /** Seals the secrets of authenticator applications. */
  readonly totpSecrets: SecretBox;
  readonly clock: Clock;
}

/**
 * Returns the proof of a typed factor; undefined when it is wrong. An earlier use is found when the proof is used up.
 */
export const proveTyped = async (
  { signInTickets, totpSecrets, clock }: TypedFactorParts,
  userId: number,
  { by, code }: TypedFactor,
): Promise<Proof | undefined> => {
  if (by === 'recovery_code') {
    const hash = hashRecoveryCode(code);
    return hash === undefined ? undefined : { by, hash };
  }
  const totp = await signInTickets.totpOf(userId);
  if (totp === undefined) return undefined;
  const secret = totpSecrets.open(totp.secret);
  if (secret === undefined)
    throw new Error(`the authenticator secret of user ${userId} is encrypted under an unknown server secret`);
  const step = stepOfCode(secret, code, clock());
  return step === undefined ? undefined : { by, step };
};

/**
 * Runs an attempt to give a second factor; undefined from the attempt is a failed login and is counted as one.
 * @throws Problem `too_many_requests`, `overloaded`
 */
export const runCountedFactor = <Result>(
  { throttle }: { readonly throttle: LoginThrottle },
  { address, signal }: FactorCall,
  user: Identity,
  by: Proof['by'] | undefined,
  attempt: () => Promise<Result | undefined>,
): Promise<Result | undefined> => {
  const counted = () => throttle.run(canonicalAccount(user.username), address, attempt, signal);
  // Six digits can be guessed from many addresses, the others cannot.
  return by === 'totp' ? throttle.runCode(String(user.id), counted, signal) : counted();
};

/** Records a failed second factor as a security event. `by` is undefined when none was given. */
export const recordFailedFactor = (
  { securityEvents }: { readonly securityEvents: SecurityEventStore },
  { address }: FactorCall,
  user: Identity,
  by: Proof['by'] | undefined,
): void => {
  const account = { id: user.id, username: user.username };
  securityEvents.record({
    action: 'sign_in.failed',
    address,
    account,
    detail: { second_factor: by ?? null },
  });
};
