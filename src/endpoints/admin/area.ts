import { identifiedUser } from '../../auth/identified-user.ts';
import type { Identity } from '../../auth/ports.ts';
import type { Principal, UserPrincipal } from '../../auth/principal.ts';
import type { AuthMethodName } from '../../auth/registry.ts';
import type { ResourceModel } from '../../model/resource.ts';
import { decide } from '../../policy/decide.ts';
import type { Grant } from '../../policy/grant.ts';
import type { Rule } from '../../policy/rule.ts';

/** Every route of the administration area: signed in by its cookie, or by the token of an administrator. */
export const adminAuth: readonly AuthMethodName[] = ['session', 'jwt'];

/** Somebody who proves at this moment who they are, as the audit list tells it. */
export const arriving = (identity: Identity): UserPrincipal => identifiedUser(identity, 'session');

export const administratorOnly: Rule = { kind: 'administrator' };

export const adminTag = 'Administration';

/** What an administrator may know of the records of a model: those that they see in this area. Undefined where none. */
export const readsInArea = (asker: Principal, model: ResourceModel): Grant | undefined => {
  const decision = decide({ kind: 'resource', model, action: 'detail', area: 'admin' }, asker);
  return decision.allowed ? decision.grant : undefined;
};
