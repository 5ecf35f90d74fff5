/** Repeats the stages of a request for a named caller without running it, and collects the result of each step. */

import type { RoleStore } from '../../accounts/roles.ts';
import type { CallerStore, CallerUser, KnownKey } from '../../accounts/users.ts';
import { networksOf } from '../../auth/client-network.ts';
import type { ApplicationKeys, Identities } from '../../auth/ports.ts';
import type { Principal } from '../../auth/principal.ts';
import { anonymous } from '../../auth/principal.ts';
import { type AuthMethodName, authMethod, isOfApplications, optionalMethods } from '../../auth/registry.ts';
import { parseId } from '../../fields/values.ts';
import { readsInArea } from '../../http/administration.ts';
import type { Call, Endpoint } from '../../http/endpoint.ts';
import type { Limiter } from '../../http/limiter.ts';
import type { Routes } from '../../http/routes.ts';
import type { Clock } from '../../kernel/clock.ts';
import {
  type ExplainedRule,
  type Locale,
  labelText,
  type Reason,
  type ReasonName,
} from '../../kernel/messages.ts';
import { Problem } from '../../kernel/problem.ts';
import type { ProblemName } from '../../kernel/problem-table.ts';
import { displayName } from '../../model/display.ts';
import type { Models } from '../../model/models.ts';
import type { ResourceModel } from '../../model/resource.ts';
import {
  decide,
  modelsOfGrants,
  named,
  permissionAction,
  publicOrOwn,
  readsOwn,
  reason,
} from '../../policy/decide.ts';
import type { Grant } from '../../policy/grant.ts';
import { scopeOf } from '../../policy/key-scope.ts';
import { superAdmin } from '../../policy/rule.ts';
import type { Step } from '../../policy/step.ts';
import { namesRelations } from '../../records/list.ts';
import { asksForTrash } from '../../records/trash.ts';
import {
  ConditionExplainer,
  type ConditionParts,
  type ConditionsAsked,
  type ExplainedConditions,
} from './explained-conditions.ts';
import { explainRelations } from './explained-relations.ts';

/** The caller that is explained. A user calls with a token or a session, a key with itself, an application signs. */
export type Subject =
  | { readonly kind: 'user'; readonly user: CallerUser }
  | { readonly kind: 'api_key'; readonly key: KnownKey }
  | { readonly kind: 'application'; readonly appId: string }
  | { readonly kind: 'nobody' };

/** A step of the policy, or one of those around it: the route before, authentication, the record after. */
export interface ExplainedStep extends Omit<Step, 'rule'> {
  readonly rule: ExplainedRule;
  /** The conditions of a row rule. */
  readonly conditions?: ExplainedConditions;
  /** For the permission check: each role of the caller, and whether it grants the action. */
  readonly grants?: ExplainedGrants;
  /** The scope or network restriction of a key. */
  readonly key?: ExplainedRestriction;
  /** The record, if it exists but is out of scope. */
  readonly record?: ExplainedRecord;
}

/** A record that the administrator reads and the caller does not reach. */
export interface ExplainedRecord {
  readonly model: string;
  readonly path: string;
  readonly id: number;
  /** Null where the record has no owner. */
  readonly owner: { readonly id: number; readonly name: string } | null;
}

/** A restriction of a key, with the scope or address of the request; null: it is not known, or there is none. */
export interface ExplainedRestriction {
  readonly needed: string | null;
  readonly held: readonly string[];
}

export interface ExplainedGrants {
  readonly model: string;
  readonly action: string;
  readonly roles: readonly { readonly role: string; readonly allowed: boolean }[];
}

export interface Explanation {
  /** 0 where the request would be let through. */
  readonly code: number;
  readonly status: number;
  readonly endpoint: Endpoint | undefined;
  readonly steps: readonly ExplainedStep[];
}

type Authenticated =
  | { readonly steps: readonly ExplainedStep[]; readonly principal: Principal }
  | { readonly steps: readonly ExplainedStep[]; readonly problem: ProblemName };

const refused = (because: Reason, problem: ProblemName): Authenticated => ({
  steps: [{ rule: 'authentication', outcome: 'refused', because }],
  problem,
});

const passed = (method: AuthMethodName, principal: Principal): Authenticated => ({
  steps: [{ rule: 'authentication', outcome: 'passed', because: named(method) }],
  principal,
});

const disabled = ({ username }: CallerUser): Reason => reason('user_disabled', { user: username });

/** Why a key that is known opens nothing. */
const keyOver = ({ id, name, expired, revoked, user }: KnownKey): Reason => {
  if (revoked !== undefined) {
    const ended = { key: name, user: user.username, at: revoked.at };
    return revoked.by === null
      ? reason('key_revoked', ended)
      : reason('key_revoked_by', { ...ended, by: revoked.by });
  }
  return expired ? reason('key_expired', { key: id }) : disabled(user);
};

/** The networks of a key, if it has some: without an address they are named, with one they are checked. */
const throughNetworks = (
  { steps, principal }: Extract<Authenticated, { readonly principal: Principal }>,
  held: readonly string[],
  address: string | undefined,
  problem: ProblemName,
): Authenticated => {
  const isInside = address === undefined || networksOf(held).has(address);
  const step: ExplainedStep = {
    rule: 'key_network',
    outcome: address === undefined ? 'narrowed' : isInside ? 'passed' : 'refused',
    because: named(`${address === undefined ? '' : `${address}: `}${held.join(', ')}`),
    key: { needed: address ?? null, held },
  };
  const all = [...steps, step];
  return isInside ? { steps: all, principal } : { steps: all, problem };
};

export interface ExplanationParts extends ConditionParts {
  readonly identities: Identities;
  readonly applications: ApplicationKeys;
  readonly roles: RoleStore;
  /** Users and keys that an administrator asks about. */
  readonly callers: CallerStore;
  readonly routes: Routes;
  /** Counts requests by their limits; levels for explanations. */
  readonly limiter: Limiter;
  readonly clock: Clock;
}

/** Looks the subject up with the statements that authenticate a request, so that what they refuse is refused here. */
const identify = async (
  { identities, clock }: ExplanationParts,
  subject: Subject,
  name: AuthMethodName,
  models: readonly string[],
  address: string | undefined,
): Promise<Authenticated> => {
  const { refusals, area } = authMethod(name);
  if (subject.kind === 'user') {
    if (subject.user.service)
      return refused(reason('service_account', { user: subject.user.username }), refusals[0]);
    const identity = await identities.byUserId(subject.user.id, models);
    if (identity === undefined) return refused(disabled(subject.user), refusals[0]);
    // A session is not begun without it.
    const isGiven = identity.secondFactor === 'missing' && area === 'admin';
    const secondFactor = isGiven ? 'given' : identity.secondFactor;
    return passed(name, { ...identity, secondFactor, method: name });
  }
  if (subject.kind === 'api_key') {
    const { key } = subject;
    const found = await identities.byKeyHash(key.hash, clock(), models);
    if (found === undefined) return refused(keyOver(key), refusals[0]);
    const { identity, keyId: credential, scopes, limits } = found;
    const principal = { ...identity, method: name, credential, scopes, limits };
    const { networks } = key;
    return networks === null
      ? passed(name, principal)
      : throughNetworks({ steps: passed(name, principal).steps, principal }, networks, address, refusals[0]);
  }
  return subject.kind === 'application' && isOfApplications(name)
    ? passed(name, { kind: 'application', appId: subject.appId, method: name })
    : passed(name, anonymous);
};

/** Whether the subject has a key for a method: an application may have a secret, or a public key, and not both. */
const isHeldBy = (
  { applications, clock }: ExplanationParts,
  name: AuthMethodName,
  subject: Subject,
): boolean => {
  const { isHeldBy: test } = authMethod(name);
  return subject.kind !== 'application' || test === undefined || test(applications, subject.appId, clock());
};

/** Principal of a call that is open to anybody: it is looked up only where this caller may read more than others. */
const anyCaller = async (
  explainer: ExplanationParts,
  subject: Subject,
  models: readonly string[] | undefined,
  address: string | undefined,
): Promise<Authenticated> => {
  const step = { rule: 'authentication', outcome: 'off', because: reason('anybody') } as const;
  const method = optionalMethods(false).find(({ holder }) => holder === subject.kind);
  if (models === undefined || method === undefined) return { steps: [step], principal: anonymous };
  const found = await identify(explainer, subject, method.name, models, address);
  return { steps: [step], principal: 'problem' in found ? anonymous : found.principal };
};

/** The permission step with what each role of the caller has, that of the scopes with these; another step as it is. */
const withGrants = async (
  { roles }: ExplanationParts,
  { policy }: Endpoint,
  principal: Principal,
  step: ExplainedStep,
): Promise<ExplainedStep> => {
  if (step.rule === 'key_scope' && principal.kind === 'user')
    return { ...step, key: { needed: scopeOf(policy) ?? null, held: [...(principal.scopes ?? [])] } };
  if (step.rule !== 'permission' || step.outcome === 'off') return step;
  if (policy.kind !== 'resource' || principal.kind !== 'user') return step;
  const action = permissionAction(policy.action);
  const model = policy.model.name;
  const granted = new Set(await roles.granted(model, action));
  const each = principal.roles
    .toSorted()
    .map((role) => ({ role, allowed: role === superAdmin || granted.has(role) }));
  return { ...step, grants: { model, action, roles: each } };
};

/** Result of the guard for the subject's credentials. An endpoint that accepts none looks at none. */
const authenticate = (
  explainer: ExplanationParts,
  { auth, policy, grantsOnRelated }: Endpoint,
  subject: Subject,
  query: string,
  address: string | undefined,
): Promise<Authenticated> | Authenticated => {
  const related = grantsOnRelated !== undefined && namesRelations(query) ? grantsOnRelated : undefined;
  const models = [...new Set([...modelsOfGrants(policy), ...(related ?? [])])];
  if (auth.length === 0) {
    const asked = related !== undefined || readsOwn(policy) ? models : undefined;
    return anyCaller(explainer, subject, asked, address);
  }
  const methods = auth.filter((name) => authMethod(name).holder === subject.kind);
  if (methods.length === 0)
    return refused(reason('wrong_caller', { caller: subject.kind, methods: auth }), 'unauthenticated');
  const method = methods.find((name) => isHeldBy(explainer, name, subject));
  if (method === undefined) return refused(reason('no_application_key', { methods }), 'invalid_signature');
  return identify(explainer, subject, method, models, address);
};

/** A step for each limit by which the request would be counted, as it stands. */
const limitSteps = async (
  { limiter }: ExplanationParts,
  { rateLimit }: Endpoint,
  principal: Principal,
  address: string | undefined,
): Promise<readonly ExplainedStep[]> => {
  const levels = await limiter.levels(rateLimit, principal, address);
  return levels.map(({ policy, admitted, remaining }) => ({
    rule: 'rate_limit',
    outcome: admitted ? 'passed' : 'refused',
    because: reason('rate_left', { limit: policy.name, left: remaining, size: policy.size }),
  }));
};

/** A request that the policy lets in: what is left to ask is which records it reaches. */
interface Admitted {
  readonly endpoint: Endpoint;
  readonly grant: Grant;
  readonly params: Call['params'];
  readonly query: string;
  readonly models: Models;
  readonly asker: Principal;
  readonly explainer: ExplanationParts;
  /** Language of the names of models in reasons. */
  readonly language: Locale;
  readonly conditions: ConditionExplainer;
}

/** The rule by which the caller reaches records, or makes one, and what its conditions are about. */
const reachAsked = ({ endpoint, grant, params }: Admitted): ConditionsAsked | undefined => {
  const { policy, reaches } = endpoint;
  if (policy.kind !== 'resource' || policy.model.rules.isolation === undefined) return undefined;
  const { model, action } = policy;
  const { create } = policy.model.rules.isolation;
  const read = publicOrOwn(policy) ?? policy.model.rules.isolation.read;
  const caller = grant.principal;
  if (action === 'create')
    return { model, expression: create.expression, otherwise: 'body', id: undefined, caller };
  if (reaches === undefined)
    return { model, expression: read.expression, otherwise: 'list', id: undefined, caller };
  const id = parseId(params['id'] ?? '');
  return { model, expression: read.expression, otherwise: 'unknown', id, caller };
};

/** Sets of fields that the caller writes, or sees, in some records only, with their rule. */
const fieldSets = ({ endpoint: { policy }, grant }: Admitted) => {
  if (policy.kind !== 'resource') return [];
  const { held = [], mask } = grant;
  const { restrictedUnless, viewedWhen } = policy.model.rules;
  const isHeld = (name: string): boolean => held.some(({ fields }) => fields.includes(name));
  return [
    ...restrictedUnless
      .filter(({ fields }) => fields.some(isHeld))
      .map((set) => ({ ...set, rule: 'restricted_fields', word: 'fields_unless' }) as const),
    ...(mask === undefined || policy.action === 'destroy' ? [] : viewedWhen).map(
      (set) => ({ ...set, rule: 'viewed_fields', word: 'fields_when' }) as const,
    ),
  ];
};

/** A step for each of them, with its conditions. */
const fieldSteps = (admitted: Admitted): readonly Promise<ExplainedStep>[] => {
  const { policy, reaches } = admitted.endpoint;
  const { principal: caller } = admitted.grant;
  if (policy.kind !== 'resource') return [];
  const { model, action } = policy;
  const id = parseId(admitted.params['id'] ?? '');
  const otherwise = action === 'create' ? 'body' : reaches === undefined ? 'list' : 'unknown';
  return fieldSets(admitted).map(
    async ({ fields, condition: { expression, words }, rule, word }): Promise<ExplainedStep> => {
      const conditions = await admitted.conditions.explain({ model, expression, otherwise, id, caller });
      const outcome = conditions.rule.outcome === 'passed' ? 'passed' : 'narrowed';
      return { rule, outcome, because: reason(word, { fields, words }), conditions };
    },
  );
};

/** A step of the policy that leaves some rows, with the conditions that say which. */
const withConditions = async (admitted: Admitted, step: ExplainedStep): Promise<ExplainedStep> => {
  const asked = step.rule === 'isolation' && step.outcome === 'narrowed' ? reachAsked(admitted) : undefined;
  if (asked === undefined) return step;
  const conditions = await admitted.conditions.explain(asked);
  // Where no record that there could be is one they write, the body need not be known.
  const outcome = admitted.grant.writes === 'none' && asked.otherwise === 'body' ? 'refused' : step.outcome;
  return { ...step, outcome, conditions };
};

/** A record of which the administrator may know: its name, and its owner where the model has one. */
const knownRecord = async (
  { explainer, language }: Admitted,
  { name: model, path, label, display, owner }: ResourceModel,
  asked: Grant,
  id: number,
): Promise<ExplainedRecord & { readonly name: string }> => {
  const shown = await explainer.resources.get(model)?.show(asked, id);
  const row = JSON.parse(shown?.json ?? '{}') as Readonly<Record<string, unknown>>;
  const ownerId = owner === undefined ? undefined : row[owner];
  const user = typeof ownerId === 'number' ? await explainer.callers.user(ownerId) : undefined;
  const title = (display === undefined ? undefined : displayName(display, row)) ?? `#${id}`;
  return {
    model,
    path,
    id,
    name: `${labelText(label, language)} ${title}`,
    owner: user === undefined ? null : { id: user.id, name: user.username },
  };
};

/** Whether only the owner of a record reads it. */
const isReadByOwner = ({ owner, rules: { isolation } }: ResourceModel): boolean =>
  isolation !== undefined &&
  (isolation.byOwner ||
    (isolation.read.expression.kind === 'own' && isolation.read.expression.column === owner));

/** Says of a record that is there why the caller does not reach it. */
const outOfScope = async (admitted: Admitted, model: ResourceModel, asked: Grant, id: number) => {
  const { principal } = admitted.grant;
  const { name, ...record } = await knownRecord(admitted, model, asked, id);
  const { owner } = record;
  if (!isReadByOwner(model) || principal.kind !== 'user')
    return { record, because: reason('record_out_of_scope', { record: name }) };
  const user = principal.username;
  return {
    record,
    because:
      owner === null
        ? reason('record_of_nobody', { record: name, user })
        : reason('record_of_other', { record: name, owner: owner.name, user }),
  };
};

/**
 * Whether the caller reaches the record that the path names. An administrator who may not read the model's records
 * receives the same for one that is there as for one that is missing.
 */
const recordStep = async (admitted: Admitted): Promise<ExplainedStep | undefined> => {
  const {
    endpoint: { policy, reaches },
    grant,
    params,
    asker,
  } = admitted;
  if (reaches === undefined) return undefined;
  const record = Object.values(params).join(' ');
  const refused = (why: ReasonName): ExplainedStep => ({
    rule: 'record',
    outcome: 'refused',
    because: reason(why, { record }),
  });
  const asked = policy.kind === 'resource' ? readsInArea(asker, policy.model) : undefined;
  if (policy.kind === 'resource' && asked === undefined) return refused('record_missing_or_out_of_scope');
  if (await reaches(grant, params)) return { rule: 'record', outcome: 'passed', because: named(record) };
  if (policy.kind !== 'resource' || asked === undefined) return refused('record_missing_or_out_of_scope');
  const id = parseId(params['id'] ?? '');
  if (!(await reaches(asked, params))) return refused('record_missing');
  return id === undefined
    ? refused('record_out_of_scope')
    : { rule: 'record', outcome: 'refused', ...(await outOfScope(admitted, policy.model, asked, id)) };
};

/** Whether every relation that the query names leads to records of which the caller may read some. */
const relatedStep = ({ endpoint, grant, query, models }: Admitted): ExplainedStep | undefined => {
  const relations = explainRelations(endpoint, query, grant.principal, models);
  if (relations === undefined) return undefined;
  const { named: names, refused } = relations;
  return refused === undefined
    ? { rule: 'related', outcome: 'passed', because: named(names) }
    : { rule: 'related', outcome: 'refused', because: refused };
};

/** Whether a record that is reached may be written too, where a rule of its own says so. */
const writeStep = async (admitted: Admitted): Promise<ExplainedStep | undefined> => {
  const { endpoint, grant, params } = admitted;
  const { policy } = endpoint;
  const asked = reachAsked(admitted);
  const { isolation } = asked?.model.rules ?? {};
  if (asked === undefined || isolation === undefined || policy.kind !== 'resource') return undefined;
  const write = isolation[permissionAction(policy.action)];
  if (write === isolation.read) return undefined;
  if (endpoint.writes === undefined || grant.writes === undefined) return undefined;
  const outcome = (await endpoint.writes(grant, params)) ? 'passed' : 'refused';
  const conditions = await admitted.conditions.explain({ ...asked, expression: write.expression });
  return { rule: 'record_write', outcome, because: named(write.words), conditions };
};

/** The steps behind the policy, until one refuses. */
const recordSteps = async (
  admitted: Admitted,
  decided: readonly ExplainedStep[],
): Promise<{ readonly steps: readonly ExplainedStep[]; readonly problem?: ProblemName }> => {
  const steps: ExplainedStep[] = await Promise.all([
    ...decided.map((step) => withConditions(admitted, step)),
    ...fieldSteps(admitted),
  ]);
  if (steps.some(({ outcome }) => outcome === 'refused')) return { steps, problem: 'forbidden' };
  const relations = relatedStep(admitted);
  if (relations !== undefined) steps.push(relations);
  if (relations?.outcome === 'refused') return { steps, problem: 'forbidden' };
  const record = await recordStep(admitted);
  if (record === undefined) return { steps };
  steps.push(record);
  if (record.outcome === 'refused') return { steps, problem: 'record_not_found' };
  const write = await writeStep(admitted);
  if (write === undefined) return { steps };
  steps.push(write);
  return write.outcome === 'refused' ? { steps, problem: 'forbidden' } : { steps };
};

/** The endpoint with methods and policy for what the query asks. */
const forQuery = (endpoint: Endpoint, query: string): Endpoint =>
  endpoint.ofTrash !== undefined && asksForTrash(query) ? { ...endpoint, ...endpoint.ofTrash } : endpoint;

/** Refusals of the router. */
const routeReasons: Readonly<Partial<Record<Problem['problem'], ReasonName>>> = {
  path_not_found: 'path_unknown',
  method_not_allowed: 'method_unknown',
};

/** A request that is explained; the address is that of its caller. */
export interface ExplainedRequest {
  readonly method: string;
  readonly path: string;
  readonly address: string | undefined;
}

/**
 * Goes the way of a request up to the operation: the router's own answer, the accepted credentials, the limits, the
 * steps of `decide`, the record. Nothing is written, no use is recorded.
 */
export const explain = async (
  explainer: ExplanationParts,
  subject: Subject,
  { method, path, address }: ExplainedRequest,
  asker: Principal,
  language: Locale,
): Promise<Explanation> => {
  const destination = explainer.routes.find(method, path);
  if (destination.endpoint === undefined) {
    const { code, status, problem } = destination.problem;
    const because = reason(routeReasons[problem] ?? 'path_malformed', { method });
    return { code, status, endpoint: undefined, steps: [{ rule: 'route', outcome: 'refused', because }] };
  }
  const { params } = destination;
  const [, query = ''] = /\?(.*)$/.exec(path) ?? [];
  const endpoint = forQuery(destination.endpoint, query);
  const steps: ExplainedStep[] = [
    { rule: 'route', outcome: 'passed', because: named(`${endpoint.method} ${endpoint.path}`) },
  ];
  const ended = (problem: Problem): Explanation => ({
    code: problem.code,
    status: problem.status,
    endpoint,
    steps,
  });
  const authenticated = await authenticate(explainer, endpoint, subject, query, address);
  steps.push(...authenticated.steps);
  if ('problem' in authenticated) return ended(new Problem(authenticated.problem));
  const { principal } = authenticated;
  const limits = await limitSteps(explainer, endpoint, principal, address);
  steps.push(...limits);
  if (limits.some(({ outcome }) => outcome === 'refused')) return ended(new Problem('too_many_requests'));
  const decision = decide(endpoint.policy, principal);
  const decided = await Promise.all(
    decision.steps.map((step) => withGrants(explainer, endpoint, principal, step)),
  );
  if (!decision.allowed) {
    steps.push(...decided);
    return ended(decision.problem);
  }
  const conditions = new ConditionExplainer(explainer, asker);
  const models: Models = new Map([...explainer.resources.values()].map(({ model }) => [model.name, model]));
  const admitted = {
    endpoint,
    grant: decision.grant,
    params,
    query,
    models,
    asker,
    explainer,
    language,
    conditions,
  };
  const { steps: further, problem } = await recordSteps(admitted, decided);
  steps.push(...further);
  return problem === undefined
    ? { code: 0, status: endpoint.status ?? 200, endpoint, steps }
    : ended(new Problem(problem));
};

/** Rules that admit no caller whom another refuses: where all is passed, none of them decides. */
const shaping: ReadonlySet<ExplainedRule> = new Set([
  'isolation',
  'manage',
  'ownership',
  'restricted_fields',
  'viewed_fields',
  'related',
  'record',
  'record_write',
]);

/** Whether a step leaves the caller some records only: a list can be short, or empty, because of it. */
const leavesSomeRecords = ({ rule, outcome }: ExplainedStep): boolean =>
  outcome === 'narrowed' && (rule === 'isolation' || rule === 'manage');

/**
 * The step that refused. Where none did: for a request about existing records the last that leaves only some of them,
 * else the last that could have refused and let the caller in.
 */
export const decisiveStep = ({ steps, endpoint }: Explanation): ExplainedStep | undefined => {
  const isNew = endpoint?.policy.kind === 'resource' && endpoint.policy.action === 'create';
  return (
    steps.find(({ outcome }) => outcome === 'refused') ??
    (isNew ? undefined : steps.findLast(leavesSomeRecords)) ??
    steps.findLast(({ rule, outcome }) => outcome !== 'off' && !shaping.has(rule)) ??
    steps.at(0)
  );
};
