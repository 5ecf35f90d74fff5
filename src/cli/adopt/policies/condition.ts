/**
 * A condition on the rows of a table as a policy of another program states it: in names of the database, for one role.
 * Every reader of policies makes this tree, and one writer turns it into code. It is never wider than its source: the
 * part that is not understood is `unknown`, with the reason.
 */

import type { PlacedTable } from '../../../database/described-tables.ts';

/** A value of a comparison, as its source writes it. */
export type Constant = string | number | boolean;

export type PolicyCondition =
  /** `always` is every row, `never` is none. */
  | { readonly kind: 'always' | 'never' }
  /** The column has the id of the caller in the other program. */
  | { readonly kind: 'caller'; readonly column: string }
  /** The column has one of these values; with `not`, another one, and not null. */
  | {
      readonly kind: 'value';
      readonly column: string;
      readonly values: readonly Constant[];
      readonly not: boolean;
    }
  /** The column is null; with `not`, it is not. */
  | { readonly kind: 'null'; readonly column: string; readonly not: boolean }
  /** The column is among the values of `on` in the rows of a table that meet a condition. */
  | {
      readonly kind: 'among';
      readonly column: string;
      readonly table: PlacedTable;
      readonly on: string;
      readonly rule: PolicyCondition;
    }
  | { readonly kind: 'any' | 'all'; readonly rules: readonly PolicyCondition[] }
  /** `because` is a clause. */
  | { readonly kind: 'unknown'; readonly because: string };

export const alwaysMet: PolicyCondition = { kind: 'always' };
export const never: PolicyCondition = { kind: 'never' };
export const unknown = (because: string): PolicyCondition => ({ kind: 'unknown', because });

/** A text that is the same for the same condition, in any order of its parts. */
export const conditionKey = (condition: PolicyCondition): string => {
  switch (condition.kind) {
    case 'any':
    case 'all':
      return JSON.stringify([condition.kind, ...new Set(condition.rules.map(conditionKey).toSorted())]);
    case 'among': {
      const { column, table, on, rule } = condition;
      return JSON.stringify(['among', column, table.schema, table.name, on, conditionKey(rule)]);
    }
    case 'value': {
      const { column, values, not } = condition;
      return JSON.stringify(['value', column, not, ...new Set(values.map(String).toSorted())]);
    }
    default:
      return JSON.stringify(Object.entries(condition));
  }
};

const isSame = (one: PolicyCondition, other: PolicyCondition): boolean =>
  conditionKey(one) === conditionKey(other);

/** The parts of a condition and those of its parts of the same kind, without repetition. */
const flattened = (kind: 'any' | 'all', rules: readonly PolicyCondition[]): readonly PolicyCondition[] => {
  const parts = rules.flatMap((rule) => (rule.kind === kind ? rule.rules : [rule]));
  return parts.filter((part, at) => parts.findIndex((each) => isSame(each, part)) === at);
};

type Values = Extract<PolicyCondition, { readonly kind: 'value' }>;

/** Joins comparisons of a column with values: those of either, or those of both. */
const joined = (kind: 'any' | 'all', rules: readonly PolicyCondition[]): readonly PolicyCondition[] => {
  const parts: PolicyCondition[] = [];
  for (const rule of flattened(kind, rules)) {
    const isOf = (part: PolicyCondition): part is Values =>
      part.kind === 'value' && rule.kind === 'value' && part.column === rule.column && !part.not && !rule.not;
    const at = parts.findIndex(isOf);
    const found = parts[at];
    if (found?.kind !== 'value' || rule.kind !== 'value') {
      parts.push(rule);
      continue;
    }
    const both = found.values.filter((value) => rule.values.some((each) => String(each) === String(value)));
    const either = [...found.values, ...rule.values.filter((value) => !both.includes(value))];
    const values = kind === 'any' ? either : both;
    parts[at] = values.length === 0 ? never : { ...found, values };
  }
  return parts;
};

/** True if every row that meets one condition surely meets the other. */
export const implies = (one: PolicyCondition, other: PolicyCondition): boolean => {
  if (one.kind === 'never' || other.kind === 'always' || isSame(one, other))
    return one.kind !== 'unknown' && other.kind !== 'unknown';
  if (one.kind === 'any') return one.rules.every((rule) => implies(rule, other));
  if (other.kind === 'all') return other.rules.every((rule) => implies(one, rule));
  if (one.kind === 'all' && one.rules.some((rule) => implies(rule, other))) return true;
  if (other.kind === 'any') return other.rules.some((rule) => implies(one, rule));
  if (one.kind !== 'value' || other.kind !== 'value') return false;
  const { column, values, not } = one;
  return (
    column === other.column &&
    !not &&
    !other.not &&
    values.every((value) => other.values.map(String).includes(String(value)))
  );
};

/**
 * Conditions of which all or any must hold. One that decides alone stands for all of them. A condition that another one
 * makes needless is left out; of two that do so to each other, the first stays.
 */
const reduced = (
  kind: 'all' | 'any',
  rules: readonly PolicyCondition[],
  { neutral, deciding }: { readonly neutral: PolicyCondition; readonly deciding: PolicyCondition },
  makesNeedless: (one: PolicyCondition, other: PolicyCondition) => boolean,
): PolicyCondition => {
  const parts = joined(kind, rules);
  if (parts.some((part) => part.kind === deciding.kind)) return deciding;
  const left = parts.filter(
    (part, at) =>
      part.kind !== neutral.kind &&
      !parts.some(
        (other, place) =>
          place !== at && makesNeedless(other, part) && (place < at || !makesNeedless(part, other)),
      ),
  );
  const [only, second] = left;
  if (only === undefined) return neutral;
  return second === undefined ? only : { kind, rules: left };
};

/** All of the conditions hold. Those that follow from others are left out. */
export const eachOf = (rules: readonly PolicyCondition[]): PolicyCondition =>
  reduced('all', rules, { neutral: alwaysMet, deciding: never }, implies);

/** At least one of the conditions holds. Those from which others follow are left out. */
export const eitherOf = (rules: readonly PolicyCondition[]): PolicyCondition =>
  reduced('any', rules, { neutral: never, deciding: alwaysMet }, (one, other) => implies(other, one));

/**
 * The rows that do not meet a condition, where null is neither: a comparison with null holds neither way, as in SQL.
 */
export const negated = (condition: PolicyCondition): PolicyCondition => {
  switch (condition.kind) {
    case 'always':
      return never;
    case 'never':
      return alwaysMet;
    case 'value':
    case 'null':
      return { ...condition, not: !condition.not };
    case 'any':
      return eachOf(condition.rules.map(negated));
    case 'all':
      return eitherOf(condition.rules.map(negated));
    case 'caller':
      return unknown(`${condition.column} is compared with the caller by "not"`);
    case 'among':
      return unknown(`no rows of ${condition.table.name} are allowed for ${condition.column}`);
    case 'unknown':
      return condition;
  }
};

/** The reasons why a condition is not understood; empty where it is. */
export const unknownReasons = (condition: PolicyCondition): readonly string[] => {
  switch (condition.kind) {
    case 'unknown':
      return [condition.because];
    case 'any':
    case 'all':
      return [...new Set(condition.rules.flatMap(unknownReasons))];
    case 'among':
      return unknownReasons(condition.rule);
    default:
      return [];
  }
};

/** The columns of the row itself that a condition compares. */
export const columnsCompared = (condition: PolicyCondition): readonly string[] => {
  if ('rules' in condition) return condition.rules.flatMap(columnsCompared);
  return 'column' in condition ? [condition.column] : [];
};
