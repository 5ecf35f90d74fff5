/**
 * The guard, which authenticates a request by the methods of its endpoint, and the principal that it returns.
 */

import { Problem } from '../kernel/problem.ts';
import type {
  AuthRequest,
  Claim,
  Identified,
  IdentifiedApplication,
  IdentifiedUser,
  Verifier,
} from './method.ts';
import { type ApplicationMethodName, type AuthMethodName, verifiedAs } from './registry.ts';

/** A user, authenticated by a token, a key or a session. */
export type UserPrincipal = IdentifiedUser<AuthMethodName>;

/** An application, authenticated by its request signature. It has no user, so roles do not apply. */
type ApplicationPrincipal = IdentifiedApplication<ApplicationMethodName>;

interface AnonymousPrincipal {
  readonly kind: 'nobody';
}

export type Principal = UserPrincipal | ApplicationPrincipal | AnonymousPrincipal;

export const anonymous: AnonymousPrincipal = { kind: 'nobody' };

/** True if an endpoint with these methods would accept the credentials of this principal, or asks for none. */
export const takes = (auth: readonly AuthMethodName[], principal: Principal): boolean =>
  auth.length === 0 ||
  (principal.kind !== 'nobody' && auth.some((method) => verifiedAs(method) === verifiedAs(principal.method)));

/** The challenges of all methods, each once (RFC 9110, 11.6.1). */
export const challengesOf = (methods: readonly Verifier[]): string =>
  [...new Set(methods.map((method) => method.challenge))].join(', ');

/**
 * The refusal that is sent: a 403 (credentials sent by a foreign page) takes precedence over a 401, otherwise the
 * first one; `unauthenticated` if the request carried no credentials at all.
 */
const refusalOf = (methods: readonly Verifier[], refusals: readonly Problem[]): Problem => {
  const chosen = refusals.find((problem) => problem.status !== 401) ?? refusals[0];
  if (chosen !== undefined && chosen.status !== 401) return chosen;
  return new Problem(chosen?.kind ?? 'unauthenticated', {
    params: chosen?.params ?? {},
    headers: {
      ...chosen?.headers,
      ...Object.assign({}, ...methods.map(({ refusalHeaders }) => refusalHeaders)),
      'WWW-Authenticate': challengesOf(methods),
    },
    cause: chosen?.cause,
  });
};

/**
 * Authenticates a request. Tries every listed method; one success is enough, and an empty list asks for no
 * credentials. A method that cannot decide (the database is unavailable) does not stop the others, but if none
 * succeeds its error is thrown, so that an outage never reads as a refusal. A method listed under two names is tried
 * once.
 */
export const guard = async <Caller extends Identified>(
  methods: readonly Verifier<Caller>[],
  request: AuthRequest,
): Promise<Caller | AnonymousPrincipal> => {
  if (methods.length === 0) return anonymous;
  const refusals: Problem[] = [];
  const failures: unknown[] = [];
  let claim: Claim | undefined;
  for (const [index, method] of methods.entries()) {
    if (methods.indexOf(method) !== index) continue;
    try {
      const pending = method.authenticate(request);
      const outcome = pending instanceof Promise ? await pending : pending;
      if (outcome.kind === 'principal') return outcome.principal;
      if (outcome.kind === 'absent') continue;
      refusals.push(outcome.problem);
      claim ??= outcome.claim;
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  if (claim !== undefined) request.refused?.(claim);
  throw refusalOf(methods, refusals);
};
