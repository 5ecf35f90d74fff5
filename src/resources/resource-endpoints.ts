/** `resourceEndpoints`: the endpoints of one model in one area, from list to restore. */

import { methodsNamed } from '../auth/registry.ts';
import { defaultKey } from '../fields/keys.ts';
import { checkedModels } from '../http/call.ts';
import type { Endpoint } from '../http/endpoint.ts';
import type { Models } from '../model/models.ts';
import type { Action, ResourceModel } from '../model/resource.ts';
import type { Showing } from '../policy/rule.ts';
import type { Area } from './area.ts';
import { batchEndpoint } from './endpoints/batch-endpoint.ts';
import { forgetEndpoint } from './endpoints/forget-endpoint.ts';
import { historyEndpoint } from './endpoints/history-endpoints.ts';
import { importEndpoint } from './endpoints/import-endpoint.ts';
import { importFileEndpoint } from './endpoints/import-file-endpoint.ts';
import { isInTrash } from './endpoints/record-checks.ts';
import { pluralNoun, RecordEndpoints } from './endpoints/record-endpoints.ts';
import { referencesEndpoints } from './endpoints/reference-endpoints.ts';
import { restoreEndpoint } from './endpoints/restore-endpoint.ts';
import { managedRule, ruleOf } from './operations/area.ts';
import type { ServedResource } from './operations/served-resource.ts';

export { actorSchema } from './endpoints/history-endpoints.ts';

/** The access to the restore of a record by those who manage it: as to its creation. */
const managedRestore = (
  resource: ServedResource,
  area: Area,
): Pick<Endpoint, 'auth' | 'policy' | 'grantsOn' | 'reaches'> => ({
  auth: area.auth(resource.model, 'create'),
  policy: managedRule(resource.model, 'create', area),
  grantsOn: checkedModels(resource.context.models.values()),
  reaches: isInTrash(resource),
});

/** The access to the records of a model, methods and rule, without what serves it. */
export interface ResourceAccess extends Showing {
  /** `history`: former versions. `trash`: deleted records, which their managers read and restore. */
  readonly action: Action | 'history' | 'trash';
}

/** The access of the endpoints of a model in the API, from the same rules: nothing is compiled for it. */
export const resourceAccess = (
  model: ResourceModel,
  models: Models,
  area: Area,
): readonly ResourceAccess[] => {
  const of = (action: Action, named: ResourceAccess['action'] = action): ResourceAccess => ({
    action: named,
    auth: area.auth(model, action),
    policy: ruleOf(model, models, action, area),
  });
  const access = [of('list'), of('detail')];
  if (model.history) access.push(of('detail', 'history'));
  if (model.stored.readOnly !== true) access.push(of('create'), of('update'), of('destroy'));
  if (model.rules.manage !== undefined) {
    const auth = methodsNamed(model.auth.list);
    access.push({ action: 'trash', auth, policy: managedRule(model, 'list', area) });
  }
  return access;
};

/** The endpoints of a resource. Adding one, or an area, is here; what they do is in `operations`. */
export const resourceEndpoints = (resource: ServedResource, area: Area, baseUrl: string): Endpoint[] => {
  const { model } = resource;
  const { origin } = new URL(baseUrl);
  const isAdmin = area.name === 'admin';
  const records = new RecordEndpoints(resource, area, origin);
  const batchName = area.operation('batch', pluralNoun(model));
  const endpoints = [records.list(), records.aggregate(), records.detail()];
  if (model.stored.readOnly !== true) {
    const importOf = isAdmin ? importEndpoint : importFileEndpoint;
    endpoints.push(
      records.create(),
      batchEndpoint(resource, area, batchName, records.nested, records.answered('saved')),
      importOf(resource, area, area.operation('import', pluralNoun(model))),
      records.update(),
      records.destroy(),
    );
  }
  if (model.history)
    endpoints.push(
      historyEndpoint(resource, area, records.common('detail'), records.answered('detail'), origin),
    );
  if (records.isManaged || (isAdmin && (model.history || model.trash))) {
    const common = records.isManaged
      ? managedRestore(resource, area)
      : records.common(model.history ? 'update' : 'create');
    endpoints.push(restoreEndpoint(resource, area, common, records.answered('saved')));
  }
  if (isAdmin) endpoints.push(...referencesEndpoints(resource, area), forgetEndpoint(resource, area));
  // Every path of a record has its id under this name.
  if (model.key === defaultKey) return endpoints;
  return endpoints.map((each) => ({ ...each, docs: { ...each.docs, recordId: model.key.schema } }));
};
