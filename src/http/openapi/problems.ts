/** Derives from an endpoint's data which problems it can return, by status. */

import { type AuthMethodName, authMethod, isOfKeys } from '../../auth/registry.ts';
import { isJsonObject } from '../../kernel/json.ts';
import { type ProblemKind, problemCode } from '../../kernel/problem.ts';
import type { ProblemName } from '../../kernel/problem-table.ts';
import type { Action, ResourceModel } from '../../model/resource.ts';
import {
  asksSecondFactor,
  isBeforePasswordChange,
  isBeforeSecondFactor,
  isHeldToRule,
  readsOwn,
} from '../../policy/decide.ts';
import type { Rule } from '../../policy/rule.ts';
import type { Endpoint } from '../endpoint.ts';
import { isLimited, relationsOf, takesIdempotencyKey, takesIfMatch } from './features.ts';

const ofAuthentication = ({ auth, method, policy }: Endpoint): readonly ProblemName[] => {
  if (auth.length === 0) return readsOwn(policy) ? ['password_change_required'] : [];
  const methods = auth.map(authMethod);
  const problems: ProblemName[] = ['unauthenticated', ...methods.flatMap(({ refusals }) => refusals)];
  if (method !== 'GET') problems.push(...methods.flatMap(({ writeRefusals }) => writeRefusals));
  // An application has no password.
  if (methods.some(({ holder }) => holder !== 'application') && !isBeforePasswordChange(policy))
    problems.push('password_change_required');
  if (auth.some(isOfKeys)) problems.push('key_out_of_scope');
  if (asksSecondFactor(policy)) {
    // A second factor is set up with the area's own credentials.
    if (methods.some(({ area }) => area === 'api')) problems.push('second_factor_missing');
    if (!isBeforeSecondFactor(policy)) problems.push('second_factor_due');
  }
  // Credentials cover the body: it is read before anything else.
  if (methods.some(({ coversBody }) => coversBody)) problems.push('body_too_large');
  return problems;
};

/**
 * Tells whether a write can be refused for fields that not everybody writes: a condition on them may end before the
 * statement, and a new record needs the required ones.
 */
const dependsOnFields = ({ rules, fields }: ResourceModel, action: Action): boolean => {
  const isNew = action === 'create';
  if (rules.restrictedUnless.length > 0 && (isNew || action === 'update')) return true;
  return (
    isNew &&
    [...rules.restricted].some((name) => {
      const field = fields.get(name);
      return field?.required === true && field.options.default === undefined;
    })
  );
};

/**
 * Tells whether an authenticated caller can be refused: an application where a user is required, a user without a role.
 */
const canForbid = (rule: Rule, auth: readonly AuthMethodName[]): boolean => {
  switch (rule.kind) {
    case 'open':
    case 'identified':
      return false;
    case 'user':
    case 'isolated':
      return auth.some((name) => authMethod(name).holder === 'application');
    case 'administrator':
    case 'roles':
      return true;
    case 'resource': {
      const { model, action, area } = rule;
      if (area === 'admin' || isHeldToRule(model, action) || dependsOnFields(model, action)) return true;
      const reads = action === 'list' || action === 'detail';
      if (reads && model.rules.publicRead !== undefined && rule.managed === undefined) return false;
      return model.rules.permissions === 'all' || (model.rules.permissions === 'writes' && !reads);
    }
  }
};

/** Keywords of a schema that demand nothing. */
const annotations: ReadonlySet<string> = new Set(['title', 'description', 'examples']);

/** Tells whether the record of a body has rules that it can violate. */
const isValidated = ({ input }: Endpoint): boolean =>
  input !== undefined &&
  isJsonObject(input['properties']) &&
  Object.values(input['properties']).some(
    (part) => isJsonObject(part) && Object.keys(part).some((keyword) => !annotations.has(keyword)),
  );

const ofJson = ['malformed_json', 'invalid_text', 'too_deep', 'not_an_object'] as const;
const ofAnyBody = ['body_too_large', 'unsupported_media_type'] as const;

/**
 * Problems of a body by the accepted media type. A form may have too many fields, and a multipart body may have no
 * parts.
 */
const bodyProblems: Readonly<Record<Endpoint['accepts'], readonly ProblemName[]>> = {
  nothing: [],
  json: [...ofJson, ...ofAnyBody],
  'json-or-form': [...ofJson, ...ofAnyBody, 'bad_request'],
  form: ['invalid_text', 'bad_request', ...ofAnyBody],
  multipart: ['invalid_text', 'bad_request', 'too_many_files', 'request_timeout', ...ofAnyBody],
  bytes: ['body_too_large', 'request_timeout'],
};

const ofBody = (endpoint: Endpoint): readonly ProblemName[] => {
  const problems = [...bodyProblems[endpoint.accepts]];
  if (endpoint.parts !== undefined) problems.push(...bodyProblems.multipart);
  if (endpoint.bodyKey !== undefined) problems.push('missing_key');
  if (isValidated(endpoint)) problems.push('invalid_record');
  return problems;
};

/** A path segment that is too long matches no record; one that cannot be decoded is a malformed request. */
const ofPath = ({ path }: Endpoint): readonly ProblemName[] =>
  path.includes(':') ? ['bad_request', 'path_not_found'] : [];

const ofQuery = (endpoint: Endpoint): readonly ProblemName[] => {
  const { docs, policy } = endpoint;
  const problems: ProblemName[] = [];
  if (docs.list === true) problems.push('invalid_parameter', 'unusable_field');
  // A time zone that does not exist.
  if (docs.part === 'aggregate') problems.push('invalid_record');
  if (relationsOf(endpoint).length > 0)
    problems.push('invalid_parameter', 'unusable_field', 'too_much_included', 'forbidden');
  // Filters may refer to related records that the caller may not read.
  if (docs.part === 'aggregate' && policy.kind === 'resource' && policy.model.relations.size > 0)
    problems.push('forbidden');
  if (docs.params !== undefined || docs.query?.some(({ schema }) => schema['enum'] !== undefined))
    problems.push('invalid_parameter');
  return problems;
};

const ofHeaders = (endpoint: Endpoint): readonly ProblemName[] => {
  const problems: ProblemName[] = [];
  if (takesIdempotencyKey(endpoint)) problems.push('invalid_parameter', 'idempotency_conflict');
  if (takesIfMatch(endpoint)) problems.push('stale');
  return problems;
};

/** Problems of the operations of a scope, which code of the application may pass on. */
export const scopeProblems: readonly ProblemName[] = [
  'not_an_object',
  'invalid_parameter',
  'unusable_field',
  'forbidden',
  'record_not_found',
  'conflict',
  'still_referenced',
  'cascade_too_large',
  'stale',
  'invalid_record',
  'handler_timeout',
  'transaction_timeout',
];

/** A hook of the application may time out, and passes on the problems of its operations. */
const ofHooks = ({ policy }: Endpoint): readonly ProblemKind[] => {
  if (policy.kind !== 'resource') return [];
  const { hooks, problems } = policy.model;
  const saves = policy.action === 'create' || policy.action === 'update';
  const writes = saves || policy.action === 'destroy';
  const runsHooks = (saves && hooks.beforeSave !== undefined) || (writes && hooks.beforeCommit !== undefined);
  return runsHooks ? [...scopeProblems, ...problems] : [];
};

/** In-memory endpoints never return database_unavailable; reads never return outcome_unknown. */
const ofStorage = ({ docs, method }: Endpoint): readonly ProblemName[] => {
  if (docs.media !== undefined) return [];
  const problems: ProblemName[] = ['database_damaged', 'database_unavailable', 'overloaded'];
  if (method !== 'GET') problems.push('outcome_unknown');
  return problems;
};

const ofPolicy = (endpoint: Endpoint): readonly ProblemName[] => {
  const problems = ofAuthentication(endpoint);
  return canForbid(endpoint.policy, endpoint.auth) ? [...problems, 'forbidden'] : problems;
};

/** Problems of requests for deleted records, and of limits. */
const ofVariants = (endpoint: Endpoint): readonly ProblemName[] => {
  const { ofTrash } = endpoint;
  const problems: ProblemName[] = [];
  if (ofTrash !== undefined) problems.push(...ofPolicy({ ...endpoint, ...ofTrash }));
  if (isLimited(endpoint)) problems.push('too_many_requests');
  return problems;
};

/** Every problem that an endpoint can return, by status in rising order, derived from its data. */
export const problemsOf = (endpoint: Endpoint): ReadonlyMap<number, readonly ProblemKind[]> => {
  const kinds = new Set<ProblemKind>([
    ...ofPolicy(endpoint),
    ...ofVariants(endpoint),
    ...ofPath(endpoint),
    ...ofQuery(endpoint),
    ...ofBody(endpoint),
    ...ofHeaders(endpoint),
    ...ofHooks(endpoint),
    ...(endpoint.docs.problems ?? []),
    'internal',
    ...ofStorage(endpoint),
  ]);
  // Linters demand at least one 4xx, and the headers of any request may be too large.
  const isRequests = (kind: ProblemKind): boolean => problemCode(kind) < 50_000;
  if (![...kinds].some(isRequests)) kinds.add('headers_too_large');
  const ordered = [...kinds].sort((a, b) => problemCode(a) - problemCode(b));
  return Map.groupBy(ordered, (kind) => Math.floor(problemCode(kind) / 100));
};
