/** The rules of an area for operations: the grants of records, of related models and of the trash. */

import { type Principal, takes } from '../../auth/principal.ts';
import { type AuthMethodName, methodsNamed } from '../../auth/registry.ts';
import { Problem } from '../../kernel/problem.ts';
import type { Models } from '../../model/models.ts';
import type { Action, ResourceModel, View } from '../../model/resource.ts';
import { admit, modelsOfGrants, readableFields } from '../../policy/decide.ts';
import type { Grant } from '../../policy/grant.ts';
import type { ResourceRule, Showing } from '../../policy/rule.ts';
import { maxSteps, type Readership, type Related } from '../../records/relations.ts';
import { grantOfSystem, usersOfSystem } from './grant-of-system.ts';

/**
 * An area that offers the operations of resources, the API or the administration area, as far as access depends on it.
 */
export interface AreaRules {
  readonly name: ResourceRule['area'];
  /** Accepted methods, of which any one is enough; empty if no authentication is needed. */
  readonly auth: (model: ResourceModel, action: Action) => readonly AuthMethodName[];
  /** The endpoint that shows a user there. */
  readonly users: Showing;
}

/** A principal in an area; with a reason, the application itself acts, past the policy. */
interface AreaCaller {
  readonly principal: Principal;
  readonly area: AreaRules;
  readonly reason?: string | undefined;
}

/** The API's methods for an action. Public reads need no authentication. */
export const apiAuth: AreaRules['auth'] = (model, action) =>
  model.rules.publicRead !== undefined && (action === 'list' || action === 'detail')
    ? []
    : methodsNamed(model.auth[action]);

const showing = (model: ResourceModel, area: AreaRules): Showing => ({
  auth: area.auth(model, 'detail'),
  policy: { kind: 'resource', model, action: 'detail', area: area.name },
});

/** The endpoints that show the records to which the model's references lead, in the area of the write. */
const referencesOf = (model: ResourceModel, models: Models, area: AreaRules): ResourceRule['references'] => {
  const held = [...model.fields.values()].flatMap(({ name, reference, anyone }): [string, Showing][] => {
    if (reference === undefined || anyone) return [];
    const target = models.get(reference);
    return [[name, target === undefined ? area.users : showing(target, area)]];
  });
  return held.length === 0 ? undefined : new Map(held);
};

/** The rule for an action on a model in an area; `view` replaces the action's own view of the response. */
export const ruleOf = (
  model: ResourceModel,
  models: Models,
  action: Action,
  area: AreaRules,
  view?: View,
): ResourceRule => {
  const rule = {
    kind: 'resource',
    model,
    action,
    area: area.name,
    view,
  } as const;
  const writes = action === 'create' || action === 'update';
  const references = writes ? referencesOf(model, models, area) : undefined;
  if (references === undefined) return rule;
  return action === 'create' ? { ...rule, references } : { ...rule, references, shown: showing(model, area) };
};

/**
 * The rule for records that callers manage: for the list of deleted ones, for the create that restores one, and for the
 * messages about them (`detail`).
 */
export const managedRule = (
  model: ResourceModel,
  action: 'list' | 'create' | 'detail',
  area: AreaRules,
): ResourceRule => ({
  kind: 'resource',
  model,
  action,
  area: area.name,
  managed: showing(model, area),
});

/**
 * The grant of a principal for the existing records that they manage, with the fields of the detail endpoint. Undefined
 * if they can manage none of this model, whatever its records are.
 */
export const grantOfManaged = (
  model: ResourceModel,
  area: AreaRules,
  principal: Principal,
): Grant | undefined => {
  if (model.rules.manage === undefined) return undefined;
  const decision = admit(managedRule(model, 'detail', area), principal);
  return decision.allowed && decision.grant.rows !== 'none' ? decision.grant : undefined;
};

const ofSystem = (model: ResourceModel | undefined): Readership => {
  const grant = model === undefined ? usersOfSystem : grantOfSystem(model);
  return { grant, listed: grant.readable };
};

/** Users in the list of users; those to whom a reference leads with the fields that it shows to everyone. */
const usersRead = (
  { name, users }: AreaRules,
  { principal }: AreaCaller,
  shows: readonly string[] | undefined,
): Readership | undefined => {
  const { auth, policy }: Showing =
    shows === undefined || name === 'admin' ? users : { auth: [], policy: { kind: 'open', readable: shows } };
  const decision = takes(auth, principal) ? admit(policy, principal) : undefined;
  return decision?.allowed === true ? { grant: decision.grant, listed: decision.grant.readable } : undefined;
};

const recordsRead = (
  model: ResourceModel,
  models: Models,
  { area, principal }: AreaCaller,
): Readership | undefined => {
  if (!takes(area.auth(model, 'detail'), principal)) return undefined;
  const rule = ruleOf(model, models, 'detail', area);
  const decision = admit(rule, principal);
  return decision.allowed
    ? { grant: decision.grant, listed: readableFields({ ...rule, view: 'list' }) }
    : undefined;
};

/**
 * The readership of related models: the fields and rows that the detail endpoint of each model would return to this
 * caller, by the same method of authentication. Decided once for a model and request.
 */
export const relatedFor = ({ models }: { readonly models: Models }, acting: AreaCaller): Related => {
  const decided = new Map<string, Readership | undefined>();
  return (name, shows) => {
    const key = shows === undefined ? name : `${name} ${shows.join()}`;
    if (decided.has(key)) return decided.get(key);
    const model = models.get(name);
    const readership =
      acting.reason !== undefined
        ? ofSystem(model)
        : model === undefined
          ? usersRead(acting.area, acting, shows)
          : recordsRead(model, models, acting);
    decided.set(key, readership);
    return readership;
  };
};

/** Models that relations of a model reach within the steps that a request may take, the model itself first. */
const reachedFrom = (model: ResourceModel, models: Models): readonly ResourceModel[] => {
  const reached = new Set([model]);
  for (let step = 0; step < maxSteps; step += 1)
    for (const { relations } of [...reached])
      for (const { model: name, through } of relations.values())
        for (const each of [name, through?.model ?? name]) {
          const next = models.get(each);
          if (next !== undefined) reached.add(next);
        }
  return [...reached];
};

/** Models whose permission entries a request with relations needs. */
export const grantsOfRelated = (model: ResourceModel, models: Models, area: AreaRules): readonly string[] => [
  ...new Set(
    reachedFrom(model, models).flatMap((each) => modelsOfGrants(ruleOf(each, models, 'detail', area))),
  ),
];

/**
 * The grant of a principal for an action: the same as that of the resource's own endpoint, whose methods of
 * authentication it demands as well. @throws Problem `forbidden`
 */
export const requireGrant = (
  model: ResourceModel,
  { models }: { readonly models: Models },
  { principal, area }: AreaCaller,
  action: Action,
  view?: View,
): Grant => {
  if (!takes(area.auth(model, action), principal)) throw new Problem('forbidden');
  const decision = admit(ruleOf(model, models, action, area, view), principal);
  if (!decision.allowed) throw decision.problem;
  return decision.grant;
};
