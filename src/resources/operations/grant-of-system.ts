import type { ResourceModel } from '../../model/resource.ts';
import type { Grant } from '../../policy/grant.ts';
import { systemGrant } from '../../policy/system-grant.ts';
import { userEntity } from '../../records/user-entity.ts';

const systemGrants = new WeakMap<ResourceModel, Grant>();

/** A grant on all users, with the fields that administrators see. */
export const usersOfSystem = systemGrant(userEntity.view);

/**
 * A grant on all rows and fields; fields that the server sets remain read-only. Made once for a model, since `records`
 * caches views by the identity of the array of fields.
 */
export const grantOfSystem = (model: ResourceModel): Grant => {
  const made = systemGrants.get(model);
  if (made !== undefined) return made;
  const written = [...model.fields.values()].filter(({ serverSet }) => !serverSet).map(({ name }) => name);
  const grant = systemGrant(Object.freeze([...model.fields.keys()]), written);
  systemGrants.set(model, grant);
  return grant;
};
