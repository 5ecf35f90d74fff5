import { many } from '../../../../src/model/relation.ts';
import type { Resource } from '../../../../src/model/types.ts';
import { resourceWith } from '../../resources/row-rules/world.ts';
import type { RelatedPlan, RelationPlan } from './plan.ts';

const said = ({ to, at, through }: RelationPlan) =>
  through === undefined
    ? many(to, { by: at })
    : many(to, { through: through.model, by: through.from, on: through.to.replace(/_id$/, '') });

/** The resource of a plan. */
export const relatedResourceOf = (plan: RelatedPlan): Resource => {
  const declared = plan.relations.filter((each) => each.many);
  return resourceWith(plan, {
    views: { detail: plan.detail, list: plan.list },
    relations: Object.fromEntries(declared.map((each) => [each.name, said(each)])),
  });
};
