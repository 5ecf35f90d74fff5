import type { RowExpression } from '../../model/row-expression.ts';

type Kind<Name extends RowExpression['kind']> = Extract<RowExpression, { readonly kind: Name }>;

const isNarrowerMember = (one: Kind<'member'>, other: Kind<'member'>): boolean =>
  one.column === other.column &&
  one.model === other.model &&
  one.on === other.on &&
  one.owner === other.owner &&
  other.where.every(({ column, values }) =>
    one.where.some((each) => each.column === column && each.values.every((value) => values.includes(value))),
  );

const isNarrowerLeaf = (one: RowExpression, other: RowExpression): boolean => {
  if (one.kind === 'own' && other.kind === 'own') return one.column === other.column;
  if (one.kind === 'equals' && other.kind === 'equals')
    return one.column === other.column && one.value === other.value;
  if (one.kind === 'member' && other.kind === 'member') return isNarrowerMember(one, other);
  if (one.kind === 'via' && other.kind === 'via')
    return one.column === other.column && one.model === other.model && implies(one.rule, other.rule);
  return false;
};

/**
 * True if a condition implies another one by its form alone, whatever the data are. False says nothing. It spares the
 * search most conditions that both versions share.
 */
export const implies = (one: RowExpression, other: RowExpression): boolean => {
  if (one === other || isNarrowerLeaf(one, other)) return true;
  if (one.kind === 'anyOf') return one.rules.every((rule) => implies(rule, other));
  if (other.kind === 'allOf') return other.rules.every((rule) => implies(one, rule));
  if (one.kind === 'allOf' && one.rules.some((rule) => implies(rule, other))) return true;
  return other.kind === 'anyOf' && other.rules.some((rule) => implies(one, rule));
};
