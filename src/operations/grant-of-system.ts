import type { ResourceModel } from '../model/resource.ts';
import type { Grant } from '../policy/grant.ts';
import { systemGrant } from '../policy/system-grant.ts';
import { userEntity } from '../records/users.ts';

const systemGrants = new WeakMap<ResourceModel, Grant>();

/** All users, with what administrators see of them. */
export const usersOfSystem = systemGrant(userEntity.view);

/**
 * All rows and fields; what the server sets itself is still not taken from anybody. Made once for a model: the store
 * knows a view by the very array of its fields.
 */
export const grantOfSystem = (model: ResourceModel): Grant => {
  const made = systemGrants.get(model);
  if (made !== undefined) return made;
  const written = [...model.fields.values()].filter(({ serverSet }) => !serverSet).map(({ name }) => name);
  const grant = systemGrant(Object.freeze([...model.fields.keys()]), written);
  systemGrants.set(model, grant);
  return grant;
};
