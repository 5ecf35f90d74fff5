import { allOf, anyOf, equals, member, own, type RowRule, via } from '../../../../src/model/row-rule.ts';
import type { Condition, FieldPlan, ModelPlan, Row, State } from './plan.ts';
import type { Random } from './random.ts';
import { kinds, type Value } from './values.ts';

/**
 * True if a row meets a condition for a user, or for a caller who is none. The other rows are as they are in `state`: for a row
 * that a write makes, as the write found them; memberships are as they are in `members`.
 */
export const meets = (
  condition: Condition,
  row: Row,
  caller: number | null,
  state: State,
  members = state,
): boolean => {
  switch (condition.kind) {
    case 'own':
      return caller !== null && row[condition.field] === caller;
    case 'equals':
      return row[condition.field] === condition.value;
    case 'member': {
      const { field, of, on, where } = condition;
      const value = row[field];
      if (caller === null || value === null || value === undefined) return false;
      return members
        .rows(of)
        .some(
          (each) =>
            each['user_id'] === caller &&
            each[on] === value &&
            Object.entries(where).every(([name, values]) => values.some((one) => one === each[name])),
        );
    }
    case 'via': {
      const named = state.find(condition.to, row[condition.field]);
      return named !== undefined && meets(condition.rule, named, caller, state, members);
    }
    case 'anyOf':
      return condition.rules.some((rule) => meets(rule, row, caller, state, members));
    case 'allOf':
      return condition.rules.every((rule) => meets(rule, row, caller, state, members));
  }
};

/** True if a condition can hold for a caller who is no user: conditions on the caller are false then. */
export const holdsForOthers = (condition: Condition): boolean => {
  switch (condition.kind) {
    case 'own':
    case 'member':
      return false;
    case 'equals':
      return true;
    case 'via':
      return holdsForOthers(condition.rule);
    case 'anyOf':
      return condition.rules.some(holdsForOthers);
    case 'allOf':
      return condition.rules.every(holdsForOthers);
  }
};

/** The models whose records a condition asks beside the row itself. */
export const modelsAsked = (condition: Condition): readonly string[] => {
  switch (condition.kind) {
    case 'own':
    case 'equals':
      return [];
    case 'member':
      return [condition.of];
    case 'via':
      return [condition.to, ...modelsAsked(condition.rule)];
    case 'anyOf':
    case 'allOf':
      return condition.rules.flatMap(modelsAsked);
  }
};

type Compare = (field: string, value: NonNullable<Value>) => RowRule;
type Combine = (...rules: RowRule[]) => RowRule;

/** The condition in the words of a model file. The names are random, so the compiler has nothing to hold them to. */
export const ruleOf = (condition: Condition): RowRule => {
  switch (condition.kind) {
    case 'own':
      return condition.field === 'user_id' ? own() : own(condition.field);
    case 'equals':
      return (equals as Compare)(condition.field, condition.value);
    case 'member': {
      const { field, of, on, where } = condition;
      const one = Object.entries(where).map(([name, values]) => [
        name,
        values.length === 1 ? values[0] : values,
      ]);
      return member(field, {
        of,
        ...(on === field ? {} : { on }),
        ...(one.length === 0 ? {} : { where: Object.fromEntries(one) as Record<string, string> }),
      });
    }
    case 'via':
      // The key of a reference stands for its field.
      return via(condition.field.replace(/_id$/, ''), ruleOf(condition.rule));
    case 'anyOf':
      return (anyOf as Combine)(...condition.rules.map(ruleOf));
    case 'allOf':
      return (allOf as Combine)(...condition.rules.map(ruleOf));
  }
};

/** True if values of two fields can be equal at all. */
const isComparable = (a: FieldPlan, b: FieldPlan): boolean =>
  a.kind === 'reference' || b.kind === 'reference' ? a.kind === b.kind && a.to === b.to : a.kind === b.kind;

const idOf = ({ name }: ModelPlan): FieldPlan => ({
  name: 'id',
  kind: 'reference',
  to: name,
  required: true,
});

const memberOf = (random: Random, model: ModelPlan, models: readonly ModelPlan[]): Condition | undefined => {
  const pairs = [...model.fields, idOf(model)].flatMap((field) =>
    models
      .filter(({ owned }) => owned)
      .flatMap((of) => of.fields.filter((on) => isComparable(field, on)).map((on) => ({ field, of, on }))),
  );
  if (pairs.length === 0) return undefined;
  // The rules are for memberships of references; memberships of values happen as well.
  const usual = pairs.filter(({ field }) => field.kind === 'reference' && field.to !== 'User');
  const { field, of, on } = random.pick(usual.length > 0 && random.chance(0.7) ? usual : pairs);
  const compared = of.fields.filter(({ kind }) => kind !== 'reference');
  const where = random.some(compared, 0.25).map(({ name, kind }) => {
    const values = kind === 'reference' ? [] : random.some<NonNullable<Value>>(kinds[kind].values, 0.4, 1);
    return [name, values] as const;
  });
  return { kind: 'member', field: field.name, of: of.name, on: on.name, where: Object.fromEntries(where) };
};

/** A random condition on the records of a model, at most so many deep. */
export const someCondition = (
  random: Random,
  model: ModelPlan,
  models: readonly ModelPlan[],
  depth: number,
): Condition => {
  const references = model.fields.filter(({ kind, to }) => kind === 'reference' && to !== 'User');
  const users = model.fields.filter(({ to }) => to === 'User');
  const compared = model.fields.filter(({ kind }) => kind !== 'reference');
  const makers: (() => Condition | undefined)[] = [
    () => (users.length === 0 ? undefined : { kind: 'own', field: random.pick(users).name }),
    () => {
      const { name, kind } = random.pick(compared);
      if (kind === 'reference') return undefined;
      return { kind: 'equals', field: name, value: random.pick<NonNullable<Value>>(kinds[kind].values) };
    },
    () => memberOf(random, model, models),
    () => memberOf(random, model, models),
  ];
  if (depth > 1) {
    makers.push(() => {
      if (references.length === 0) return undefined;
      const { name, to = '' } = random.pick(references);
      const target = models.find((each) => each.name === to);
      return (
        target && { kind: 'via', field: name, to, rule: someCondition(random, target, models, depth - 1) }
      );
    });
    for (const kind of ['anyOf', 'allOf', 'anyOf'] as const)
      makers.push(() => {
        const count = 1 + random.below(3);
        return {
          kind,
          rules: Array.from({ length: count }, () => someCondition(random, model, models, depth - 1)),
        };
      });
  }
  // A condition of several parts more often than none, while there is room for one.
  const deep = depth > 1 && random.chance(0.5) ? makers.slice(-4) : makers;
  return random.pick(deep)() ?? someCondition(random, model, models, depth);
};
