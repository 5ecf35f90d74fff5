import { identifiedUser } from '../../auth/identified-user.ts';
import type { Identity } from '../../auth/ports.ts';
import type { UserPrincipal } from '../../auth/principal.ts';
import type { AuthMethodName } from '../../auth/registry.ts';
import type { Rule } from '../../policy/rule.ts';

/** Every route of the administration area: signed in by its cookie, or by the token of an administrator. */
export const adminAuth: readonly AuthMethodName[] = ['session', 'jwt'];

/** Somebody who proves at this moment who they are, as the audit list tells it. */
export const arriving = (identity: Identity): UserPrincipal => identifiedUser(identity, 'session');

export const administratorOnly: Rule = { kind: 'administrator' };

/** The policy of a list or record that shows these fields. */
export const administratorReads = (readable: readonly string[]): Rule => ({
  kind: 'administrator',
  readable,
});

export const adminTag = 'Administration';
