/** Changes of permissions in words. */

import { useModelName } from '../records/use-metadata.ts';
import { useText } from '../texts/provider.ts';
import { type PermissionAction, type PermissionChange, permissionActions } from './permission-table.ts';

/** A change as a sentence: `sales may now create orders`. */
export const useChangeSentence = (): ((change: PermissionChange) => string) => {
  const text = useText();
  const nameOf = useModelName();
  return ({ role, model, action, allowed }) =>
    text(allowed ? 'permissions.mayNow' : 'permissions.mayNoLonger', {
      role,
      model: nameOf(model),
      action: text(`permissions.verb.${action}`),
    });
};

const isAction = (word: string): word is PermissionAction =>
  permissionActions.some((action) => action === word);

/** The change in an entry of the audit log, whose target is `role Model action`; undefined for other entries. */
export const changeIn = (auditAction: string, target: string | null): PermissionChange | undefined => {
  if (auditAction !== 'permission.grant' && auditAction !== 'permission.revoke') return undefined;
  const [role, model, action = ''] = (target ?? '').split(' ');
  if (role === undefined || model === undefined || !isAction(action)) return undefined;
  return { role, model, action, allowed: auditAction === 'permission.grant' };
};
