/** Values of a call that several endpoints read: its actor, its user, the ids of its path, the grants it needs. */

import { networkOf } from '../auth/client-network.ts';
import type { UserPrincipal } from '../auth/principal.ts';
import type { Ticket } from '../auth/work-queue.ts';
import type { Database } from '../database/database.ts';
import type { Source } from '../database/source.ts';
import type { RecordId, RecordKey } from '../fields/key.ts';
import { defaultKey } from '../fields/keys.ts';
import { Problem } from '../kernel/problem.ts';
import type { Actor } from '../ledger/audit.ts';
import type { ResourceModel } from '../model/resource.ts';
import { modelsOfGrants } from '../policy/decide.ts';
import type { Grant } from '../policy/grant.ts';
import { createShow } from '../records/show.ts';
import type { Call, Endpoint } from './endpoint.ts';

/** Actor of a call, for the audit log. */
export const actorOf = (call: Call): Actor => ({
  principal: call.principal,
  address: call.address,
  language: call.language,
});

/** Models on which some action asks the permission table: what code of the application may come to ask about. */
export const checkedModels = (models: Iterable<ResourceModel>): readonly string[] =>
  [...models].filter(({ rules }) => rules.permissions !== 'none').map(({ name }) => name);

/** Models whose grants are read with the caller; `related`: for a query that names relations, where one can. */
export const grantModelsOf = ({ grantsOn, grantsOnRelated, policy }: Endpoint) => {
  const models = grantsOn ?? modelsOfGrants(policy);
  return { models, related: grantsOnRelated && [...new Set([...models, ...grantsOnRelated])] };
};

/** Password hashing is queued per network, and cancelled when the caller disconnects. */
export const ticketOf = ({ address, signal }: Call): Ticket => ({ line: networkOf(address), signal });

/** The id of a record in a path. Any other text names no record. @throws Problem `record_not_found` */
export const recordOf = <Id extends RecordId>(
  { params }: Pick<Call, 'params'>,
  key: RecordKey<Id>,
  name = 'id',
): Id => {
  const id = key.parse(params[name] ?? '');
  if (id === undefined) throw new Problem('record_not_found');
  return id;
};

/** The id in a path of the service's own records. @throws Problem `record_not_found` */
export const idOf = (call: Pick<Call, 'params'>, name = 'id'): number => recordOf(call, defaultKey, name);

/** Returns the function that tells whether a grant reaches the record of a path: see `Endpoint.reaches`. */
export const reachesIn = (database: Database, source: Source, name = source.key) => {
  const show = createShow(database, source);
  return async (grant: Grant, params: Call['params']): Promise<boolean> => {
    const text = params[name] ?? '';
    const key = name === 'id' ? defaultKey.parse(text) : text;
    return key !== undefined && (await show(grant, key)) !== undefined;
  };
};

/** The user behind a call. The policies of the endpoints that use it admit only users. */
export const userOf = (call: Call): UserPrincipal => {
  if (call.principal.kind !== 'user') throw new Problem('forbidden');
  return call.principal;
};
