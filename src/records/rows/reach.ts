import type { Dialect } from '../../database/dialect.ts';
import { type Fragment, sql } from '../../database/statement.ts';
import type { ColumnValue } from '../../fields/field.ts';
import { comparedColumns, isOfCaller, type RowExpression } from '../../model/row-expression.ts';
import type { Grant, RowCondition } from '../../policy/grant.ts';
import { type ColumnSql, expressionCondition, type RowsAsked } from './expression.ts';

/** One condition of a reach: a column that equals its value, or a rule that holds for the caller who is its value. */
export type ReachTerm = string | RowExpression;

/** The rows within a caller's reach: all of the conditions hold, each with the value of the same place. */
export interface RowReach {
  readonly terms: readonly ReachTerm[];
  readonly values: readonly ColumnValue[];
  /** The terms as a text, for keys of caches. */
  readonly key: string;
}

/** The columns of the row itself that a condition compares. */
export const columnsOf = (term: ReachTerm): readonly string[] =>
  typeof term === 'string' ? [term] : comparedColumns(term);

const everything: RowReach = { terms: [], values: [], key: '' };

/**
 * The rows that a grant and further conditions leave; undefined where that is none. A column that is compared with null
 * leaves none as well: it comes from a caller who has no such value, and must never open the rows that have none either.
 */
export const reachOf = (
  grant: Pick<Grant, 'rows'>,
  extra: readonly RowCondition[] = [],
): RowReach | undefined => {
  if (grant.rows === 'none') return undefined;
  if (grant.rows.length === 0 && extra.length === 0) return everything;
  const conditions = extra.length === 0 ? grant.rows : [...grant.rows, ...extra];
  const terms: ReachTerm[] = [];
  const values: ColumnValue[] = [];
  let key = '';
  for (const condition of conditions) {
    if ('rule' in condition) {
      const { rule, caller } = condition;
      terms.push(rule.expression);
      values.push(caller);
      key += `${rule.key}\0`;
      continue;
    }
    const { column, value } = condition;
    if (value === undefined) throw new TypeError(`the row filter has no value for ${column}`);
    if (value === null) return undefined;
    terms.push(column);
    values.push(value);
    key += `${column}\0`;
  }
  return { terms, values, key };
};

/**
 * The conditions of a reach, to be joined by AND with all others: they stand first in every statement that
 * touches rows. `column` answers the SQL of a column, `value` that of the n-th of its values.
 */
export const reachConditions = (
  terms: RowReach['terms'],
  column: ColumnSql,
  value: (index: number) => Fragment,
  asked: RowsAsked,
  dialect: Dialect,
): readonly Fragment[] =>
  terms.map((term, index) =>
    typeof term === 'string'
      ? sql`${column(term)} = ${value(index)}`
      : expressionCondition(term, column, value(index), asked, dialect),
  );

/** The alternatives of a rule, those first that are not the caller's: they are counted by their index alone. */
const alternativesOf = (expression: RowExpression): readonly RowExpression[] =>
  expression.kind === 'anyOf'
    ? expression.rules.flatMap(alternativesOf).sort((a, b) => Number(isOfCaller(a)) - Number(isOfCaller(b)))
    : [expression];

/**
 * A reach with a rule in parts that have no row in common and are all of it together: each is found by an index of its
 * own, where the whole would need several at once. Undefined without a rule: then it is found as it is.
 */
export const reachParts = (
  terms: RowReach['terms'],
  column: ColumnSql,
  value: (index: number) => Fragment,
  dialect: Dialect,
): readonly (readonly Fragment[])[] | undefined => {
  const rules = terms.flatMap((term, index) => (typeof term === 'string' ? [] : [{ term, index }]));
  const divided = rules.find(({ term }) => term.kind === 'anyOf') ?? rules[0];
  if (divided === undefined) return undefined;
  const condition = (of: RowExpression, asked: RowsAsked): Fragment =>
    expressionCondition(of, column, value(divided.index), asked, dialect);
  const common = reachConditions(terms, column, value, 'find', dialect).filter(
    (_, index) => index !== divided.index,
  );
  const alternatives = alternativesOf(divided.term);
  return alternatives.map((alternative, index) => [
    ...common,
    condition(alternative, 'find'),
    ...alternatives.slice(0, index).map((before) => sql`(${condition(before, 'hold')}) is not true`),
  ]);
};

/** Whether the rows of a rule are found by the indexes that it brings, however many others there are. */
export const isFoundByIndex = (terms: RowReach['terms']): boolean =>
  terms.some((term) => typeof term !== 'string' && isIndexed(term));

const isIndexed = (expression: RowExpression): boolean => {
  switch (expression.kind) {
    case 'own':
    case 'equals':
    case 'member':
      return true;
    case 'via':
      return isOfCaller(expression.rule) && isIndexed(expression.rule);
    case 'anyOf':
      return expression.rules.every(isIndexed);
    case 'allOf':
      return expression.rules.some(isIndexed);
  }
};
