import type { Identity } from '../auth/ports.ts';
import type { Principal, UserPrincipal } from '../auth/principal.ts';
import type { AuthMethodName } from '../auth/registry.ts';
import type { ResourceModel } from '../model/resource.ts';
import { decide } from '../policy/decide.ts';
import type { Grant } from '../policy/grant.ts';
import type { Rule } from '../policy/rule.ts';

/** Every route of the administration area: signed in by its cookie, or by the token of an administrator. */
export const adminAuth: readonly AuthMethodName[] = ['session', 'jwt'];

/** Principal of a user who is just signing in, for the audit log. */
export const asSessionPrincipal = (identity: Identity): UserPrincipal => ({ ...identity, method: 'session' });

export const administratorOnly: Rule = { kind: 'administrator' };

export const adminTag = 'Administration';

/** Grant on the records of a model that an administrator sees in this area; undefined when there are none. */
export const readsInArea = (asker: Principal, model: ResourceModel): Grant | undefined => {
  const decision = decide({ kind: 'resource', model, action: 'detail', area: 'admin' }, asker);
  return decision.allowed ? decision.grant : undefined;
};
