import type { IdentifiedUser } from './method.ts';
import type { Identity } from './ports.ts';

/**
 * The user of a stored identity. `credential` is the id of the key or session that was used, `scopes` are those of the key.
 */
export const identifiedUser = <Method extends string>(
  identity: Identity,
  method: Method,
  credential?: number,
  scopes?: ReadonlySet<string>,
): IdentifiedUser<Method> => ({
  kind: 'user',
  id: identity.id,
  username: identity.username,
  email: identity.email,
  name: identity.name,
  roles: identity.roles,
  granted: identity.granted,
  mustChangePassword: identity.mustChangePassword,
  secondFactor: identity.secondFactor,
  method,
  credential,
  scopes,
});
