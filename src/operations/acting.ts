import type { Principal } from '../auth/principal.ts';
import type { DeferredCaller } from '../database/database.ts';
import type { HookPrincipal } from '../model/resource.ts';
import type { Actor } from '../service/audit/audit.ts';
import type { AreaRules } from './area.ts';
import type { SharedTransaction } from './transaction.ts';

/** On whose behalf operations run, under which rules, and in which transaction. */
export interface Acting {
  readonly principal: Principal;
  readonly area: AreaRules;
  /** Why the application itself acts, past the policy; absent where the principal does. */
  readonly reason?: string | undefined;
  /** Who stands in the audit list for what is done with a reason. */
  readonly actor: () => Actor;
  /** Whom limits count of what nothing bounds; nobody for the application itself. */
  readonly by?: DeferredCaller | undefined;
  /** The transaction that all of it shares; absent where each write has one of its own. */
  readonly shared?: SharedTransaction | undefined;
  /** How many hooks have led here, one by the writes of the other. */
  readonly depth: number;
}

/** For whom something is done, as code of the application sees it. */
export const hookPrincipal = ({ principal, reason }: Pick<Acting, 'principal' | 'reason'>): HookPrincipal => {
  if (reason !== undefined) return { kind: 'system', reason };
  if (principal.kind === 'user') {
    const { id, username, roles } = principal;
    return { kind: 'user', id, username, roles };
  }
  return principal.kind === 'application'
    ? { kind: 'application', appId: principal.appId }
    : { kind: 'nobody' };
};
