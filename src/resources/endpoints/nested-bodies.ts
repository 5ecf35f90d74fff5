import { scopeProblems } from '../../http/describe.ts';
import type { ProblemKind } from '../../kernel/problem.ts';
import { nestedLimits, type WriteAccess } from '../../model/nested-schema.ts';
import type { ResourceModel } from '../../model/resource.ts';
import { fieldsOfBodies } from '../../policy/decide.ts';
import type { Area } from '../area.ts';
import type { ServedResource } from '../operations/served-resource.ts';

/**
 * Schemas of bodies that hold records within their own, for the API description: as if every caller could write them
 * all.
 */

export const anyAccess =
  (area: Area) =>
  (model: ResourceModel): WriteAccess => {
    const written = fieldsOfBodies(model, area.name);
    return { create: written, update: written, destroy: true };
  };

/** Resources whose records can stand within those of one. */
const within = (resource: ServedResource): ReadonlySet<ServedResource> => {
  const reached = new Set<ServedResource>();
  let frontier = [resource];
  for (let level = 0; level < nestedLimits.levels; level += 1) {
    frontier = frontier.flatMap(({ nested, context }) =>
      nested.map(({ model }) => context.resourceOf(model)),
    );
    for (const each of frontier) reached.add(each);
    frontier = [...new Set(frontier)];
  }
  return reached;
};

const ofTransactions = [
  'forbidden',
  'conflict',
  'still_referenced',
  'cascade_too_large',
  'batch_too_large',
  'transaction_timeout',
] as const;

const runsHooks = ({ model: { hooks }, cascade }: ServedResource): boolean =>
  hooks.beforeSave !== undefined || hooks.beforeCommit !== undefined || cascade.runsHooks;

/** Problems of a write that come from the records within its own. */
export const nestedProblems = (resource: ServedResource): readonly ProblemKind[] => {
  const inner = [...within(resource)];
  if (inner.length === 0) return [];
  const ofHooks = inner.some(runsHooks) ? scopeProblems : [];
  return [
    ...ofTransactions,
    ...ofHooks,
    ...inner.flatMap(({ model, cascade }) => [
      ...model.problems,
      ...cascade.reached.flatMap(({ problems }) => problems),
    ]),
  ];
};
