import { isOfKeys } from '../../auth/registry.ts';
import type { ModelRelation } from '../../model/resource.ts';
import type { ResourceRule } from '../../policy/rule.ts';
import type { Endpoint, ListField } from '../endpoint.ts';
import { listField } from '../list-field.ts';
import { namesOfBody } from '../preferences.ts';

/** Features that follow from the kind of an endpoint; endpoints of resources need not declare them. */

/** The action of an endpoint; undefined for one that only has the policy of an action. */
const actionOf = ({ policy, docs }: Endpoint): ResourceRule['action'] | undefined => {
  if (policy.kind !== 'resource' || docs.part === 'history' || docs.part === 'file') return undefined;
  return policy.action;
};

/** Tells whether the response has the record's version as `ETag`: detail and saved views. */
export const answersETag = (endpoint: Endpoint): boolean =>
  endpoint.docs.etag ?? ['detail', 'create', 'update'].includes(actionOf(endpoint) ?? '');

export const takesIfNoneMatch = (endpoint: Endpoint): boolean =>
  endpoint.method === 'GET' && answersETag(endpoint);

export const takesIfMatch = (endpoint: Endpoint): boolean =>
  endpoint.docs.ifMatch ?? ['detail', 'update', 'destroy'].includes(actionOf(endpoint) ?? '');

/** Bodies with known names are refused for others where `Prefer` asks for it. */
export const takesPrefer = ({ accepts, checksNames, input }: Endpoint): boolean =>
  checksNames === true || (accepts !== 'nothing' && namesOfBody(input) !== undefined);

export const takesIdempotencyKey = (endpoint: Endpoint): boolean =>
  endpoint.docs.idempotent ?? actionOf(endpoint) === 'create';

/** `?fields=` selects fields of a list's records; groups have keys instead. */
export const takesFields = ({ docs }: Endpoint): boolean => docs.list === true && docs.part !== 'aggregate';

/** Relations that a response can include. */
export const relationsOf = ({ policy, docs }: Endpoint): readonly ModelRelation[] => {
  if (policy.kind !== 'resource' || policy.action === 'destroy') return [];
  if (docs.part !== undefined) return [];
  return [...policy.model.relations.values()];
};

/** Fields that a list shows to some caller, and the ways in which a query can use them. */
export const listFields = ({ docs, policy }: Endpoint): readonly ListField[] => {
  if (docs.listFields !== undefined || policy.kind !== 'resource') return docs.listFields ?? [];
  const { model, area } = policy;
  const names = area === 'admin' ? [...model.fields.keys()] : model.views.list;
  return names.flatMap((name) => {
    const field = model.fields.get(name);
    return field === undefined ? [] : listField(field);
  });
};

/** Tells whether limits may count the requests of an endpoint: its own one, or those of API keys. */
export const isLimited = ({ rateLimit, auth }: Endpoint): boolean =>
  rateLimit !== undefined || auth.some(isOfKeys);
