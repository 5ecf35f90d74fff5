import type { IdentifiedApplication, IdentifiedUser } from './method.ts';
import { type ApplicationMethodName, type AuthMethodName, verifiedAs } from './registry.ts';

/** A user, authenticated by a token, a key or a session. */
export type UserPrincipal = IdentifiedUser<AuthMethodName>;

/** An application, authenticated by its request signature. It has no user, so roles do not apply. */
export type ApplicationPrincipal = IdentifiedApplication<ApplicationMethodName>;

export interface AnonymousPrincipal {
  readonly kind: 'nobody';
}

export type Principal = UserPrincipal | ApplicationPrincipal | AnonymousPrincipal;

export const anonymous: AnonymousPrincipal = { kind: 'nobody' };

/** Whether an endpoint with these methods would accept the credentials of this principal, or asks for none. */
export const takes = (auth: readonly AuthMethodName[], principal: Principal): boolean =>
  auth.length === 0 ||
  (principal.kind !== 'nobody' && auth.some((method) => verifiedAs(method) === verifiedAs(principal.method)));
