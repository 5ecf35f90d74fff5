import type { UserPrincipal } from '../auth/principal.ts';
import { administrators, superAdmin } from './rule.ts';

/** Whether a user has the role super_admin or admin: sees all records, writes restricted fields, may administer. */
export const isAdministrator = (user: Pick<UserPrincipal, 'roles'>): boolean =>
  user.roles.some((role) => administrators.some((name) => name === role));

/** Whether a user bypasses the permission table. */
export const isSuperAdmin = (user: Pick<UserPrincipal, 'roles'>): boolean => user.roles.includes(superAdmin);
