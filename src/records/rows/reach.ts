/** The reach of a grant: its row filter as terms for SQL and values to bind, and what indexes can do for it. */

import type { Dialect } from '../../database/dialect.ts';
import type { Source } from '../../database/source.ts';
import { type Fragment, sql } from '../../database/statement.ts';
import type { ColumnValue } from '../../fields/field.ts';
import { comparedColumns, isOfCaller, type RowExpression } from '../../model/row-expression.ts';
import type { Grant, RowCondition } from '../../policy/grant.ts';
import { type ColumnSql, type ConditionPurpose, expressionCondition, memberValues } from './expression.ts';

/** One condition of a reach: a column that equals its value, or a rule whose value is the caller. */
export type ReachTerm = string | RowExpression;

/** The rows that a caller reaches: all conditions hold, each with the value of the same index. */
export interface RowReach {
  readonly terms: readonly ReachTerm[];
  readonly values: readonly ColumnValue[];
  /** Identifies the terms, for keys of caches. */
  readonly key: string;
}

/** The columns of the row itself that a condition compares. */
export const columnsOf = (term: ReachTerm): readonly string[] =>
  typeof term === 'string' ? [term] : comparedColumns(term);

export const everyRow: RowReach = { terms: [], values: [], key: '' };

/**
 * The rows that a grant and further conditions admit; undefined if there are none. A comparison with null admits none:
 * it comes from a caller without such a value, and must not match rows without one.
 */
export const reachOf = (
  grant: Pick<Grant, 'rows'>,
  extra: readonly RowCondition[] = [],
): RowReach | undefined => {
  if (grant.rows === 'none') return undefined;
  if (grant.rows.length === 0 && extra.length === 0) return everyRow;
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

/** The rows that a caller reaches, and the rows among them that the caller may write. */
export interface WriteReach {
  readonly rows: RowReach;
  /** Undefined if every reached row may be written. */
  readonly writes: RowReach | undefined;
  /** Conditions of the fields that are written: on the row as it is, of a new one as it will be. */
  readonly held: RowReach;
  readonly key: string;
}

/** The reach of a grant for writes; undefined if it admits no row, neither before nor after a write. */
export const writeReachOf = (grant: Grant): WriteReach | undefined => {
  const rows = reachOf(grant);
  const held = grant.settledRows === undefined ? everyRow : reachOf({ rows: grant.settledRows });
  const writes = grant.writes === undefined ? undefined : reachOf({ rows: grant.writes });
  if (rows === undefined || held === undefined) return undefined;
  if (grant.writes === undefined) return { rows, writes, held, key: `${rows.key}\n\n${held.key}` };
  return writes && { rows, writes, held, key: `${rows.key}\n${writes.key}\n${held.key}` };
};

/** The arguments that the conditions of a reach bind. */
export const reachArguments = ({ rows, writes, held }: WriteReach) => ({
  rows: rows.values,
  writes: writes?.values ?? [],
  held: held.values,
});

/**
 * The conditions of a reach, to be joined by AND with all others: they come first in every statement on rows. `column`
 * returns the SQL of a column, `value` that of the n-th value.
 */
export const reachConditions = (
  terms: RowReach['terms'],
  column: ColumnSql,
  value: (index: number) => Fragment,
  purpose: ConditionPurpose,
  dialect: Dialect,
): readonly Fragment[] =>
  terms.map((term, index) =>
    typeof term === 'string'
      ? sql`${column(term)} = ${value(index)}`
      : expressionCondition(term, column, value(index), purpose, dialect),
  );

/** The alternatives of a rule. Those that do not depend on the caller come first: an index alone counts them. */
const alternativesOf = (expression: RowExpression): readonly RowExpression[] =>
  expression.kind === 'anyOf'
    ? expression.rules.flatMap(alternativesOf).sort((a, b) => Number(isOfCaller(a)) - Number(isOfCaller(b)))
    : [expression];

/** Rows of a part by the value of one column: those of each team of the caller. */
interface PartGroups {
  readonly column: string;
  /** Query of the values. */
  readonly values: Fragment;
  /** The other conditions of the part. */
  readonly others: readonly Fragment[];
}

/** The rows that one alternative of a rule admits, and none before it. */
interface ReachPart {
  readonly conditions: readonly Fragment[];
  /** Undefined if the rows are not those of the caller's memberships. */
  readonly groups: PartGroups | undefined;
}

/**
 * A reach with a rule, partitioned into its alternatives: each part is found by its own index, while the whole would
 * need several at once. Undefined without a rule.
 */
export const reachParts = (
  terms: RowReach['terms'],
  column: ColumnSql,
  value: (index: number) => Fragment,
  dialect: Dialect,
): readonly ReachPart[] | undefined => {
  const rules = terms.flatMap((term, index) => (typeof term === 'string' ? [] : [{ term, index }]));
  const divided = rules.find(({ term }) => term.kind === 'anyOf') ?? rules[0];
  if (divided === undefined) return undefined;
  const condition = (of: RowExpression, purpose: ConditionPurpose): Fragment =>
    expressionCondition(of, column, value(divided.index), purpose, dialect);
  const common = reachConditions(terms, column, value, 'find', dialect).filter(
    (_, index) => index !== divided.index,
  );
  const alternatives = alternativesOf(divided.term);
  return alternatives.map((alternative, index) => {
    const rest = alternatives.slice(0, index).map((each) => sql`(${condition(each, 'hold')}) is not true`);
    const conditions = [...common, condition(alternative, 'find'), ...rest];
    if (alternative.kind !== 'member') return { conditions, groups: undefined };
    const values = memberValues(alternative, value(divided.index));
    return { conditions, groups: { column: alternative.column, values, others: [...common, ...rest] } };
  });
};

/** True if indexes find the rows of a rule, however many other rows there are. */
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

/** The parts of a reach, each of which an index finds; undefined if no index finds the rows. */
export const indexedParts = (
  terms: RowReach['terms'],
  { indexed }: Pick<Source, 'indexed'>,
  column: ColumnSql,
  value: (index: number) => Fragment,
  dialect: Dialect,
): readonly (readonly Fragment[])[] | undefined => {
  if (isFoundByIndex(terms))
    return reachParts(terms, column, value, dialect)?.map(({ conditions }) => conditions);
  const isFound = terms.some((term) => typeof term === 'string' && indexed.has(term));
  return isFound ? [reachConditions(terms, column, value, 'find', dialect)] : undefined;
};
