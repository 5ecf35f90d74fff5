import { userEntity } from '../../records/users.ts';
import { entityPolicy } from '../entity.ts';
import type { Area } from '../resources/area.ts';
import { adminAuth, administratorOnly } from './area.ts';

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
