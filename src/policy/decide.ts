import { type Principal, takes, type UserPrincipal } from '../auth/principal.ts';
import { Problem } from '../kernel/problem.ts';
import type { Grant, GrantTerms, ReferenceTerms, RowFilter } from './grant.ts';
import { MintedGrant } from './mint.ts';
import { asksPermission, decideResource } from './resource-rule.ts';
import { isAdministrator, isSuperAdmin } from './roles.ts';
import {
  asksSecondFactor,
  isBeforePasswordChange,
  isBeforeSecondFactor,
  type ResourceRule,
  type Rule,
  type Showing,
} from './rule.ts';
import type { Step, Verdict } from './step.ts';

/** The records that an endpoint shows to this caller; undefined where it shows none. */
type Shows = (showing: Showing) => Verdict['terms'];

/**
 * The rows in which a reference may keep its stored value: those in which the caller reads it, in the response to
 * this write or in the record's detail. Elsewhere, accepting the value would reveal it.
 */
const keptRows = (field: string, readable: readonly string[], shown: Verdict['terms']): RowFilter => {
  if (readable.includes(field)) return [];
  return shown?.readable.includes(field) === true ? shown.rows : 'none';
};

/**
 * The records that references in a body may name: those that the endpoint showing such a record would show to this
 * caller, so that a write reveals no more than a read. A reference that every record satisfies is omitted.
 */
export const referenceTerms = (
  { references, shown }: ResourceRule,
  { readable }: Pick<GrantTerms, 'readable'>,
  principal: Principal,
  weigh: (rule: Rule, principal: Principal) => Verdict,
): GrantTerms['references'] => {
  if (references === undefined) return undefined;
  const shows: Shows = ({ auth, policy }) =>
    takes(auth, principal) ? weigh(policy, principal).terms : undefined;
  const self = shown === undefined ? undefined : shows(shown);
  const terms = new Map<string, ReferenceTerms>();
  for (const [field, showing] of references) {
    const rows = shows(showing)?.rows ?? 'none';
    if (rows !== 'none' && rows.length === 0) continue;
    const kept = shown === undefined ? 'none' : keptRows(field, readable, self);
    terms.set(field, { rows, kept });
  }
  return terms.size === 0 ? undefined : terms;
};

/**
 * Names of the models whose permission entries a decision by this rule needs: their grants are read with the
 * identity.
 */
export const modelsOfGrants = (rule: Rule): readonly string[] => {
  if (rule.kind !== 'resource') return [];
  const others = [...(rule.references?.values() ?? []), ...(rule.shown === undefined ? [] : [rule.shown])];
  return [
    ...new Set([
      ...(asksPermission(rule) ? [rule.model.name] : []),
      ...others.flatMap(({ policy }) => modelsOfGrants(policy)),
    ]),
  ];
};

export type Decision =
  | { readonly allowed: true; readonly steps: readonly Step[]; readonly grant: Grant }
  | { readonly allowed: false; readonly steps: readonly Step[]; readonly problem: Problem };

const none: ReadonlySet<string> = new Set();

const everyRow = (readable: readonly string[] = []) => ({ rows: [], readable, writable: none });

/** Refuses principals other than users: applications have no roles. */
const asUser = (principal: Principal, decideUser: (user: UserPrincipal) => Verdict): Verdict =>
  principal.kind === 'user'
    ? decideUser(principal)
    : { steps: [{ rule: 'user', outcome: 'refused', because: principal.kind }] };

const weigh = (rule: Rule, principal: Principal): Verdict => {
  switch (rule.kind) {
    case 'open':
      return { steps: [{ rule: 'open', outcome: 'passed', because: 'anybody' }], terms: everyRow() };
    case 'identified':
      return principal.kind === 'nobody'
        ? { steps: [{ rule: 'user', outcome: 'refused', because: 'nobody' }] }
        : { steps: [{ rule: 'user', outcome: 'passed', because: principal.kind }], terms: everyRow() };
    case 'user':
      return asUser(principal, (user) => ownRows(user, rule.own, rule.readable ?? []));
    case 'isolated':
      return asUser(principal, (user) =>
        isAdministrator(user)
          ? {
              steps: [{ rule: 'isolation', outcome: 'passed', because: user.roles.join(', ') }],
              terms: everyRow(rule.readable),
            }
          : ownRows(user, rule.own, rule.readable),
      );
    case 'administrator':
      return asUser(principal, (user) => administrator(user, rule.own, rule.readable ?? []));
    case 'roles':
      return asUser(principal, (user) => holder(user, rule.roles));
    case 'resource':
      return withReferences(rule, principal, decideResource(rule, principal));
  }
};

const withReferences = (rule: ResourceRule, principal: Principal, verdict: Verdict): Verdict => {
  const { steps, terms } = verdict;
  if (terms === undefined || rule.references === undefined) return verdict;
  return { steps, terms: { ...terms, references: referenceTerms(rule, terms, principal, weigh) } };
};

const ownRows = (user: UserPrincipal, own: string | undefined, readable: readonly string[]): Verdict => {
  const passed: Step = { rule: 'user', outcome: 'passed', because: user.username };
  if (own === undefined) return { steps: [passed], terms: everyRow(readable) };
  return {
    steps: [passed, { rule: 'isolation', outcome: 'narrowed', because: `${own} = ${user.id}` }],
    terms: { rows: [{ column: own, value: user.id }], readable, writable: none },
  };
};

const holder = (user: UserPrincipal, roles: readonly string[]): Verdict => {
  const because = `${user.roles.join(', ')}: one of ${roles.join(', ')}`;
  const passes = isSuperAdmin(user) || user.roles.some((role) => roles.includes(role));
  return passes
    ? { steps: [{ rule: 'role', outcome: 'passed', because }], terms: everyRow() }
    : { steps: [{ rule: 'role', outcome: 'refused', because }] };
};

const administrator = (
  user: UserPrincipal,
  own: string | undefined,
  readable: readonly string[],
): Verdict => {
  const because = user.roles.join(', ');
  if (!isAdministrator(user)) return { steps: [{ rule: 'administrator', outcome: 'refused', because }] };
  const passed: Step = { rule: 'administrator', outcome: 'passed', because };
  if (own === undefined) return { steps: [passed], terms: everyRow(readable) };
  const { steps, terms } = ownRows(user, own, readable);
  return { steps: [passed, ...steps], ...(terms === undefined ? {} : { terms }) };
};

/** A check before any rule: a user who must change the password may do nothing else. Undefined for all others. */
const passwordChange = (rule: Rule, principal: Principal): Step | undefined => {
  if (principal.kind !== 'user' || !principal.mustChangePassword) return undefined;
  const outcome = isBeforePasswordChange(rule) ? 'passed' : 'refused';
  return { rule: 'password_change', outcome, because: `${principal.username} must change the password` };
};

/** A step of the second factor, with its refusal. */
interface FactorStep {
  readonly step: Step;
  readonly problem?: 'second_factor_due' | 'second_factor_missing';
}

/**
 * A check of administrators at the endpoints of the administration area, before any rule: a second factor that exists
 * must have been proved, and one that is required must be set up first. Undefined for all others.
 */
const secondFactor = (rule: Rule, principal: Principal): FactorStep | undefined => {
  if (principal.kind !== 'user' || !asksSecondFactor(rule) || !isAdministrator(principal)) return undefined;
  const { username, method } = principal;
  switch (principal.secondFactor) {
    case 'none':
      return undefined;
    case 'given':
      return { step: { rule: 'second_factor', outcome: 'passed', because: `${username} gave it` } };
    case 'missing': {
      const because = `${username} has one, which ${method} does not prove`;
      return {
        step: { rule: 'second_factor', outcome: 'refused', because },
        problem: 'second_factor_missing',
      };
    }
    case 'due': {
      const because = `${username} must set one up`;
      return isBeforeSecondFactor(rule)
        ? { step: { rule: 'second_factor', outcome: 'passed', because } }
        : { step: { rule: 'second_factor', outcome: 'refused', because }, problem: 'second_factor_due' };
    }
  }
};

/**
 * Decides whether the principal may call an endpoint, and which rows and fields they reach. Pure: it depends on its
 * arguments only, so that a decision can be explained and repeated without any look-up.
 */
export const decide = (rule: Rule, principal: Principal): Decision => {
  const due = passwordChange(rule, principal);
  if (due?.outcome === 'refused')
    return { allowed: false, steps: [due], problem: new Problem('password_change_required') };
  const factor = secondFactor(rule, principal);
  const before = [due, factor?.step].filter((step) => step !== undefined);
  if (factor?.problem !== undefined)
    return { allowed: false, steps: before, problem: new Problem(factor.problem) };
  const { steps: weighed, terms } = weigh(rule, principal);
  const steps = before.length === 0 ? weighed : [...before, ...weighed];
  return terms === undefined
    ? { allowed: false, steps, problem: new Problem('forbidden') }
    : { allowed: true, steps, grant: new MintedGrant({ ...terms, principal }) };
};
