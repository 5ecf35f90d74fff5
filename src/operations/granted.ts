import { takes } from '../auth/principal.ts';
import { Problem } from '../kernel/problem.ts';
import type { Action, ResourceModel, View } from '../model/resource.ts';
import { decide } from '../policy/decide.ts';
import type { Grant } from '../policy/grant.ts';
import { ruleOf } from './area.ts';
import type { ResourceContext } from './served-resource.ts';
import type { Acting } from './transaction.ts';

/**
 * What the policy lets the principal do to a resource: what it would let them do by the resource's own endpoint of this
 * action, its methods of authentication included. @throws Problem `forbidden`
 */
export const granted = (
  model: ResourceModel,
  { models }: Pick<ResourceContext, 'models'>,
  { principal, area }: Pick<Acting, 'principal' | 'area'>,
  action: Action,
  view?: View,
): Grant => {
  if (!takes(area.auth(model, action), principal)) throw new Problem('forbidden');
  const decision = decide(ruleOf(model, models, action, area, view), principal);
  if (!decision.allowed) throw decision.problem;
  return decision.grant;
};
