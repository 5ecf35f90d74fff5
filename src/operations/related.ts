import { takes } from '../auth/principal.ts';
import type { Models } from '../model/models.ts';
import type { ResourceModel } from '../model/resource.ts';
import { decide, modelsOfGrants } from '../policy/decide.ts';
import { readableFields } from '../policy/resource-rule.ts';
import { maxSteps, type Readership, type Related } from '../records/relations/related.ts';
import { type AreaRules, ruleOf } from './area.ts';
import { grantOfSystem, usersOfSystem } from './grant-of-system.ts';
import type { ResourceContext } from './served-resource.ts';
import type { Acting } from './transaction.ts';

const ofSystem = (model: ResourceModel | undefined): Readership => {
  const grant = model === undefined ? usersOfSystem : grantOfSystem(model);
  return { grant, listed: grant.readable };
};

const usersRead = (
  { users }: AreaRules,
  { principal }: Pick<Acting, 'principal'>,
): Readership | undefined => {
  const decision = takes(users.auth, principal) ? decide(users.policy, principal) : undefined;
  return decision?.allowed === true ? { grant: decision.grant, listed: decision.grant.readable } : undefined;
};

const recordsRead = (
  model: ResourceModel,
  models: Models,
  { area, principal }: Pick<Acting, 'area' | 'principal'>,
): Readership | undefined => {
  if (!takes(area.auth(model, 'detail'), principal)) return undefined;
  const rule = ruleOf(model, models, 'detail', area);
  const decision = decide(rule, principal);
  return decision.allowed
    ? { grant: decision.grant, listed: readableFields({ ...rule, view: 'list' }) }
    : undefined;
};

/**
 * What somebody reads of the records to which those of a request lead: what the detail endpoint of each model would
 * answer this very caller, by the same method of authentication. Asked once for a model and request.
 */
export const relatedFor = (
  { models }: Pick<ResourceContext, 'models'>,
  acting: Pick<Acting, 'area' | 'principal' | 'reason'>,
): Related => {
  const known = new Map<string, Readership | undefined>();
  return (name) => {
    if (known.has(name)) return known.get(name);
    const model = models.get(name);
    const readership =
      acting.reason !== undefined
        ? ofSystem(model)
        : model === undefined
          ? usersRead(acting.area, acting)
          : recordsRead(model, models, acting);
    known.set(name, readership);
    return readership;
  };
};

/** Models to whose records those of a model lead, within as many steps as a request may go, the model itself first. */
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

/** Models whose permission entries decide what a request reads that names relations. */
export const grantsOfRelated = (model: ResourceModel, models: Models, area: AreaRules): readonly string[] => [
  ...new Set(
    reachedFrom(model, models).flatMap((each) => modelsOfGrants(ruleOf(each, models, 'detail', area))),
  ),
];
