import type { IdentifiedApplication, IdentifiedUser } from './method.ts';
import { type ApplicationMethodName, type AuthMethodName, verifiedAs } from './registry.ts';

/** A person, known by a token, a key or a session. */
export type UserPrincipal = IdentifiedUser<AuthMethodName>;

/** An application, known by its request signature. No user is bound, so roles do not apply. */
export type ApplicationPrincipal = IdentifiedApplication<ApplicationMethodName>;

export interface Nobody {
  readonly kind: 'nobody';
}

export type Principal = UserPrincipal | ApplicationPrincipal | Nobody;

export const nobody: Nobody = { kind: 'nobody' };

/** Whether an endpoint with these methods would take the credentials of this principal; one that asks for none does. */
export const takes = (auth: readonly AuthMethodName[], principal: Principal): boolean =>
  auth.length === 0 ||
  (principal.kind !== 'nobody' && auth.some((method) => verifiedAs(method) === verifiedAs(principal.method)));
