import { type Principal, takes } from '../auth/principal.ts';
import type { GrantTerms, ReferenceTerms, RowFilter } from './grant.ts';
import { asksPermission } from './resource-rule.ts';
import type { ResourceRule, Rule, Showing } from './rule.ts';
import type { Verdict } from './step.ts';

/** What an endpoint would show this caller; undefined where it would show them nothing. */
type Shows = (showing: Showing) => Verdict['terms'];

/**
 * Where the value of a reference that stands in the record already may be sent back: in the rows in which the caller
 * reads it, in the answer to this very write or in the record's detail. Elsewhere its acceptance would tell it.
 */
const keptRows = (field: string, readable: readonly string[], shown: Verdict['terms']): RowFilter => {
  if (readable.includes(field)) return [];
  return shown?.readable.includes(field) === true ? shown.rows : 'none';
};

/**
 * What a body's references may name: whatever the endpoint that shows such a record would show this very caller, so
 * that a write tells nothing that a read would not. A reference that every record meets is left out.
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
 * Names of the models whose permission entries a decision by this rule looks at: their grants have to be read with the
 * identity.
 */
export const grantsAsked = (rule: Rule): readonly string[] => {
  if (rule.kind !== 'resource') return [];
  const others = [...(rule.references?.values() ?? []), ...(rule.shown === undefined ? [] : [rule.shown])];
  return [
    ...new Set([
      ...(asksPermission(rule) ? [rule.model.name] : []),
      ...others.flatMap(({ policy }) => grantsAsked(policy)),
    ]),
  ];
};
