import { isRefused, shown, type World } from './oracle.ts';
import type { Asking } from './people.ts';
import type { Condition, ModelPlan, Row } from './plan.ts';

/** Actors whom a membership names: its readers see its user in records of the same tenant. */

type Member = Extract<Condition, { readonly kind: 'member' }>;
type Via = Extract<Condition, { readonly kind: 'via' }>;

const membersIn = (
  condition: Condition,
  path: readonly Via[] = [],
): readonly (readonly [member: Member, path: readonly Via[]])[] => {
  switch (condition.kind) {
    case 'own':
    case 'equals':
      return [];
    case 'member':
      return [[condition, path]];
    case 'via':
      return membersIn(condition.rule, [...path, condition]);
    case 'anyOf':
    case 'allOf':
      return condition.rules.flatMap((rule) => membersIn(rule, path));
  }
};

const conditionsOf = ({ isolation, manage }: ModelPlan): readonly Condition[] => {
  const rules = typeof isolation === 'string' ? undefined : isolation;
  const actions = rules === undefined ? [] : [rules.read, rules.create, rules.update, rules.destroy];
  return [...actions, manage].filter((each) => each !== undefined && each !== 'everyone');
};

/** True if rows of the model refer to records by a field, or are these records. */
const holdsIds = (plan: ModelPlan | undefined, name: string): boolean =>
  name === 'id' || plan?.fields.some((field) => field.name === name && field.kind === 'reference') === true;

/** Rows of a model that a caller is shown by its detail endpoint. */
const rowsOf = (world: World, name: string, caller: Asking): readonly Row[] => {
  const plan = world.models.find((each) => each.name === name);
  const rows = plan === undefined ? [] : shown(world, plan, 'detail', caller);
  return isRefused(rows) ? [] : rows;
};

/** True if a caller reads a membership of a user in a tenant of a record, of which they see these sides. */
export const isMemberSeen = (
  world: World,
  plan: ModelPlan,
  caller: Asking,
  user: number,
  sides: readonly (Row | undefined)[],
): boolean =>
  conditionsOf(plan)
    .flatMap((condition) => membersIn(condition))
    .some(([{ field, of, on }, path]) => {
      const planOf = (name: string) => world.models.find((each) => each.name === name);
      const shows = planOf(of)?.fields.some((each) => each.name === 'user_id' && each.shows === true);
      const last = path.at(-1);
      if (shows !== true || !holdsIds(last === undefined ? plan : planOf(last.to), field)) return false;
      return sides.some((side) => {
        const seen = path.reduce<Row | undefined>((row, via) => {
          const id = row?.[via.field] ?? null;
          return id === null ? undefined : rowsOf(world, via.to, caller).find((each) => each['id'] === id);
        }, side);
        const tenant = seen?.[field] ?? null;
        if (tenant === null) return false;
        return rowsOf(world, of, caller).some((row) => row['user_id'] === user && row[on] === tenant);
      });
    });
