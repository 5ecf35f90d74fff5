/** The rules of one role on one table as a model can have them: a condition for each action, or the reason why not. */

import type { RowAction } from '../../../model/row-expression.ts';
import type { Code } from '../../scaffold/code.ts';
import type { AdoptedModel } from '../adopted-model.ts';
import { plainName } from '../names.ts';
import {
  alwaysMet,
  columnsCompared,
  conditionKey,
  eachOf,
  implies,
  never,
  type PolicyCondition,
} from './condition.ts';
import { type KnownFields, ruleCode, settled, type World } from './rule-code.ts';
import type { LeftPolicy, SourcePolicies, SourceRule } from './source.ts';

/** The rule of a role for an action, as a model has it. */
export interface RoleRule {
  readonly role: string;
  readonly action: RowAction;
  readonly place: string;
  readonly code: Code | 'every';
  /** A text that is the same for the same rows. */
  readonly rows: string;
  /** Fields that the role does not read, or does not write, by it; in the order of the columns. */
  readonly hidden: readonly string[];
  /** The field that gets the caller by itself. */
  readonly owner: string | undefined;
  /** True if its rows are the caller's, by the field of the owner. */
  readonly isOwned: boolean;
}

interface Surroundings {
  readonly world: World;
  readonly known: KnownFields;
  readonly adopted: AdoptedModel;
  readonly left: LeftPolicy[];
}

/** The name of a role as the service can have it. */
export const serviceRole = (role: string): string => plainName(role, 'role');

/** Roles whose users see all records in the service, whatever a condition says. */
const unconditional = new Set(['admin', 'super_admin']);

/** A condition, or the clause that says why the action stays closed. */
type RuleOutcome = { readonly condition: PolicyCondition } | { readonly because: string };

const isSame = (one: PolicyCondition, other: PolicyCondition): boolean =>
  conditionKey(one) === conditionKey(other);

/** An update whose rows before and after it have one condition. */
const updated = (
  { before, after, columns }: SourceRule,
  read: PolicyCondition,
  readsFirst: boolean,
): RuleOutcome => {
  if (readsFirst) {
    const [first, last] = [eachOf([before, read]), eachOf([after ?? alwaysMet, read])];
    return isSame(first, last)
      ? { condition: first }
      : { because: 'rows before and after the update have different conditions' };
  }
  if (!implies(before, read)) return { because: 'the role changes rows that it does not read' };
  if (after !== undefined && isSame(before, after)) return { condition: before };
  // A column that no update writes stays as it was.
  const stays = columns !== undefined && !columnsCompared(before).some((column) => columns.has(column));
  if (before.kind === 'always' && after === undefined) return { condition: before };
  return stays && (after === undefined || after.kind === 'always')
    ? { condition: before }
    : { because: 'rows after the update have another condition than before it' };
};

const outcomeOf = (
  rule: SourceRule,
  read: PolicyCondition | undefined,
  source: SourcePolicies,
): RuleOutcome => {
  const { action, before, after = alwaysMet } = rule;
  if (action === 'read') return { condition: before };
  if (action === 'create') return { condition: after };
  if (read === undefined) return { because: 'the role reads no record' };
  if (action === 'update') return updated(rule, read, source.readsFirst);
  if (source.readsFirst) return { condition: eachOf([before, read]) };
  return implies(before, read)
    ? { condition: before }
    : { because: 'the role deletes rows that it does not read' };
};

/** Fields of columns that a role does not reach by a rule. */
const hiddenFields = (
  { columns: reached, action }: SourceRule,
  { columns }: AdoptedModel,
): readonly string[] =>
  reached === undefined
    ? []
    : columns.flatMap(({ column, field, definition }) =>
        field === undefined || reached.has(column) || (action !== 'read' && definition === undefined)
          ? []
          : [field],
      );

const roleRule = (
  rule: SourceRule,
  read: PolicyCondition | undefined,
  source: SourcePolicies,
  around: Surroundings,
): RoleRule | string => {
  const { world, known, adopted } = around;
  if (unconditional.has(serviceRole(rule.role)))
    return `a user with the role ${serviceRole(rule.role)} sees every record in the service`;
  if (rule.closed !== undefined) return rule.closed;
  const outcome = outcomeOf(rule, read, source);
  if ('because' in outcome) return outcome.because;
  const { condition } = outcome;
  if (condition.kind === 'never') return 'no row meets its conditions';
  const hidden = hiddenFields(rule, adopted);
  if (rule.action === 'read' && hidden.includes('id'))
    return 'the role does not read the key, which every record shows';
  const { role, action, place } = rule;
  const owner = rule.owner === undefined ? undefined : known.fields.get(rule.owner)?.name;
  if (rule.owner !== undefined && (owner === undefined || owner !== known.owner))
    return `${rule.owner} gets the caller by itself, and is no field user_id that refers to users`;
  const isOwned = [...known.fields].some(
    ([column, { name }]) =>
      (name === known.owner || column === known.caller) && implies(condition, { kind: 'caller', column }),
  );
  const rows = conditionKey(condition);
  const made = { role, action, place, rows, hidden, owner, isOwned: known.owner !== undefined && isOwned };
  if (condition.kind === 'always') return { ...made, code: 'every' };
  const written = ruleCode(condition, world, known);
  return 'because' in written ? written.because : { ...made, code: written.code };
};

/** The rules of one role on one table. */
export const rulesOfRole = (
  rules: readonly SourceRule[],
  source: SourcePolicies,
  around: Surroundings,
): readonly RoleRule[] => {
  const { known, left, world } = around;
  const settle = (condition: PolicyCondition): PolicyCondition => settled(condition, known, world);
  const all = rules.map(
    (rule): SourceRule => ({
      ...rule,
      before: settle(rule.before),
      after: rule.after && settle(rule.after),
    }),
  );
  const reading = all.find(({ action }) => action === 'read');
  const read = reading === undefined || reading.closed !== undefined ? undefined : reading.before;
  return all.flatMap((rule) => {
    const made = roleRule(rule, read?.kind === never.kind ? undefined : read, source, around);
    if (typeof made !== 'string') return [made];
    left.push({ place: `${rule.place} (${rule.role}, ${rule.action})`, because: made });
    return [];
  });
};
