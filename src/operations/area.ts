import { type AuthMethodName, methodsNamed } from '../auth/registry.ts';
import type { Models } from '../model/models.ts';
import type { Action, ResourceModel, View } from '../model/resource.ts';
import type { ResourceRule, Showing } from '../policy/rule.ts';

/** Where the operations of a resource are offered, as far as that decides who may: in the API, or to administrators. */
export interface AreaRules {
  readonly name: ResourceRule['area'];
  /** Methods of which any one is enough; empty: it asks nobody. */
  readonly auth: (model: ResourceModel, action: Action) => readonly AuthMethodName[];
  /** What shows a user there. */
  readonly users: Showing;
}

/** The API's methods for an action. Public reads ask nobody who they are. */
export const apiAuth: AreaRules['auth'] = (model, action) =>
  model.rules.publicRead !== undefined && (action === 'list' || action === 'detail')
    ? []
    : methodsNamed(model.auth[action]);

const showing = (model: ResourceModel, area: AreaRules): Showing => ({
  auth: area.auth(model, 'detail'),
  policy: { kind: 'resource', model, action: 'detail', area: area.name },
});

/** What shows the records that the model's references name: in the same area as the write. */
const referencesOf = (model: ResourceModel, models: Models, area: AreaRules): ResourceRule['references'] => {
  const held = [...model.fields.values()].flatMap(({ name, reference, anyone }): [string, Showing][] => {
    if (reference === undefined || anyone) return [];
    const target = models.get(reference);
    return [[name, target === undefined ? area.users : showing(target, area)]];
  });
  return held.length === 0 ? undefined : new Map(held);
};

/** What an action on a model demands in an area; its answer is another view than the action's own where one is named. */
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
    ...(view === undefined ? {} : { view }),
  } as const;
  const writes = action === 'create' || action === 'update';
  const references = writes ? referencesOf(model, models, area) : undefined;
  if (references === undefined) return rule;
  return action === 'create' ? { ...rule, references } : { ...rule, references, shown: showing(model, area) };
};
