import type { ColumnValue } from '../../fields/field.ts';
import { comparedColumns, type RowExpression } from '../../model/row-expression.ts';
import type { Grant, RowCondition } from '../../policy/grant.ts';
import type { Dialect } from '../dialects/dialect.ts';
import { type Fragment, sql } from '../statement.ts';
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
