import type { Endpoint, ListField } from '../http/endpoint.ts';
import type { ModelRelation } from '../model/resource.ts';
import type { ResourceRule } from '../policy/rule.ts';
import { listField } from './list-field.ts';

/** What an endpoint has because of what it is; those of resources need not say it. */

/** The action that an endpoint is; one that only has the policy of an action is none. */
const actionOf = ({ policy, docs }: Endpoint): ResourceRule['action'] | undefined => {
  if (policy.kind !== 'resource' || docs.part === 'history') return undefined;
  return policy.action;
};

/** Detail and saved answers carry the record's version. */
export const answersETag = (endpoint: Endpoint): boolean =>
  endpoint.docs.etag ?? ['detail', 'create', 'update'].includes(actionOf(endpoint) ?? '');

export const takesIfNoneMatch = (endpoint: Endpoint): boolean =>
  endpoint.method === 'GET' && answersETag(endpoint);

export const takesIfMatch = (endpoint: Endpoint): boolean =>
  endpoint.docs.ifMatch ?? ['detail', 'update', 'destroy'].includes(actionOf(endpoint) ?? '');

export const takesIdempotencyKey = (endpoint: Endpoint): boolean =>
  endpoint.docs.idempotent ?? actionOf(endpoint) === 'create';

/** `?fields=` chooses among the fields of a list's records; groups have keys instead. */
export const takesFields = ({ docs }: Endpoint): boolean => docs.list === true && docs.part !== 'aggregate';

/** Relations that an answer can bring along. */
export const relationsOf = ({ policy, docs }: Endpoint): readonly ModelRelation[] => {
  if (policy.kind !== 'resource' || policy.action === 'destroy') return [];
  if (docs.part !== undefined) return [];
  return [...policy.model.relations.values()];
};

/** Fields that a list shows to some caller, and what can be done with them in the query. */
export const listFields = ({ docs, policy }: Endpoint): readonly ListField[] => {
  if (docs.listFields !== undefined || policy.kind !== 'resource') return docs.listFields ?? [];
  const { model, area } = policy;
  const names = area === 'admin' ? [...model.fields.keys()] : model.views.list;
  return names.flatMap((name) => {
    const field = model.fields.get(name);
    return field === undefined ? [] : listField(field);
  });
};
