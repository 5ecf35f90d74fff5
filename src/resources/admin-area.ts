import { adminAuth, administratorOnly } from '../http/administration.ts';
import { entityPolicy } from '../http/entity-endpoint.ts';
import { userEntity } from '../records/user-entity.ts';
import type { Area } from './area.ts';

/** Records of every resource as administrators manage them: all fields, unpublished records too. */
export const adminArea: Area = {
  name: 'admin',
  path: ({ path }) => `/admin/records/${path}`,
  auth: () => adminAuth,
  users: { auth: adminAuth, policy: entityPolicy(userEntity) },
  operation: (verb, noun) => `admin${verb[0]?.toUpperCase()}${verb.slice(1)}${noun}`,
  tag: () => 'Administration',
  accepts: 'json-or-form',
  entrance: administratorOnly,
};
