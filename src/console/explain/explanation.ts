/** Repeats the stages of a request for a named caller without running it, and collects the result of each step. */

import type { RoleStore } from '../../accounts/roles.ts';
import type { Principal } from '../../auth/principal.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import type { Limiter } from '../../http/limiter.ts';
import type { Routes } from '../../http/routes.ts';
import type { ExplainedRule, Locale, ReasonName } from '../../kernel/messages.ts';
import { Problem } from '../../kernel/problem.ts';
import type { Models } from '../../model/models.ts';
import { decide, named, permissionAction, reason } from '../../policy/decide.ts';
import { scopeOf } from '../../policy/key-scope.ts';
import { superAdmin } from '../../policy/rule.ts';
import { asksForTrash } from '../../records/trash.ts';
import { authenticate, type CallerParts, type Subject } from './explained-caller.ts';
import { ConditionExplainer } from './explained-conditions.ts';
import { type RecordParts, recordSteps } from './explained-records.ts';
import type { ExplainedStep } from './explained-step.ts';

export interface Explanation {
  /** 0 where the request would be let through. */
  readonly code: number;
  readonly status: number;
  readonly endpoint: Endpoint | undefined;
  readonly steps: readonly ExplainedStep[];
}

export interface ExplanationParts extends CallerParts, RecordParts {
  readonly roles: RoleStore;
  readonly routes: Routes;
  /** Counts requests by their limits; levels for explanations. */
  readonly limiter: Limiter;
}

/** Adds the grant of each role to the permission step, and the scopes to the step of the scopes. */
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
  const granted = new Set(await roles.rolesWithPermission(model, action));
  const each = principal.roles
    .toSorted()
    .map((role) => ({ role, allowed: role === superAdmin || granted.has(role) }));
  return { ...step, grants: { model, action, roles: each } };
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

/** The endpoint with its methods and policy for this query. */
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
  const authenticated = await authenticate(explainer, endpoint, subject, { query, address });
  steps.push(...authenticated.steps);
  if ('problem' in authenticated) return ended(authenticated.problem);
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
    parts: explainer,
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

/** True if a step leaves the caller some records only: a list can be short, or empty, because of it. */
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
