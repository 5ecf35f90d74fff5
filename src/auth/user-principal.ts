import type { AuthMethodName, UserPrincipal } from './method.ts';
import type { Identity } from './ports.ts';

/** A stored identity as the principal of this request. `credential` is the id of the key or session that was used. */
export const userPrincipal = (
  identity: Identity,
  method: AuthMethodName,
  credential?: number,
): UserPrincipal => ({
  kind: 'user',
  id: identity.id,
  username: identity.username,
  email: identity.email,
  name: identity.name,
  roles: identity.roles,
  granted: identity.granted,
  mustChangePassword: identity.mustChangePassword,
  method,
  credential,
});
