/** Compiles a row rule to SQL. */

import type { Dialect } from '../../database/dialect.ts';
import {
  columnsOfRows,
  type Fragment,
  identifier,
  join,
  literal,
  rowsOf,
  sql,
  where,
} from '../../database/statement.ts';
import { isOfCaller, pathBehind, type RowExpression, type RowMember } from '../../model/row-expression.ts';
import type { StoredTable } from '../../model/stored-table.ts';

/**
 * The purpose of a condition on rows. `find`: find the rows that meet it, by indexes, starting at the caller's
 * memberships. `hold`: check one row, known by its key, by its values. `kept`: the same for a deleted row, by the
 * values that were stored of it and of the rows to which it referred (`keptReach`).
 */
export type ConditionPurpose = 'find' | 'hold' | 'kept';

/** The context in which an expression is compiled. */
interface Compilation {
  readonly dialect: Dialect;
  /** The id of the caller. */
  readonly caller: Fragment;
  readonly purpose: ConditionPurpose;
  /** True if it is one of several alternatives. */
  readonly alternative: boolean;
  /** Number of enclosing sub-selects. */
  readonly depth: number;
}

/** The SQL of the column of a field, in the row that a condition is about. */
export type ColumnSql = (field: string) => Fragment;

/** Alias of a row in a sub-select, which no table or column can have. */
const rowName = (depth: number): string => `_row${depth}`;

const within = (compilation: Compilation): Compilation => ({ ...compilation, depth: compilation.depth + 1 });

const from = (stored: StoredTable, row: string): Fragment =>
  sql` from ${rowsOf(stored)} as ${identifier(row)}`;

/** The condition that a value is among those of a query; if it is no alternative, the planner chooses the join. */
const among = ({ dialect, alternative }: Compilation, value: Fragment, query: Fragment): Fragment =>
  alternative ? dialect.among(value, query) : sql`${value} in (${query})`;

/** The conditions that a membership is the caller's, and has a value. */
export const membershipConditions = (
  rule: RowMember,
  row: string,
  value: Fragment,
  caller: Fragment,
): readonly Fragment[] => [
  ...ofCaller(rule, row, caller),
  sql`${columnsOfRows(rule.stored, row)(rule.on)} = ${value}`,
];

/** The conditions that a membership has the values that a rule demands. */
export const demandedValues = (demanded: RowMember['where'], columns: ColumnSql): readonly Fragment[] =>
  demanded.map(
    ({ column, values }) => sql`${columns(column)} in (${join(values.map((each) => literal(each)))})`,
  );

const ofCaller = (
  { stored, owner, where: demanded }: RowMember,
  row: string,
  caller: Fragment,
): Fragment[] => {
  const column = columnsOfRows(stored, row);
  return [sql`${column(owner)} = ${caller}`, ...demandedValues(demanded, column)];
};

/** The query of the values that the caller's memberships name. */
export const memberValues = (rule: RowMember, caller: Fragment, row = rowName(0)): Fragment =>
  sql`select ${columnsOfRows(rule.stored, row)(rule.on)}${from(rule.stored, row)}${where(ofCaller(rule, row, caller))}`;

const membership = (compilation: Compilation, rule: RowMember, value: Fragment): Fragment => {
  const { caller } = compilation;
  const row = rowName(compilation.depth);
  return compilation.purpose === 'find'
    ? among(compilation, value, memberValues(rule, caller, row))
    : sql`exists (select 1${from(rule.stored, row)}${where(membershipConditions(rule, row, value, caller))})`;
};

type Via = Extract<RowExpression, { readonly kind: 'via' }>;

const reference = (compilation: Compilation, { stored, rule }: Via, value: Fragment): Fragment => {
  const row = rowName(compilation.depth);
  const column = columnsOfRows(stored, row);
  const named = from(stored, row);
  const id = column('id');
  // An alternative would collect all ids, and there may be any number that do not depend on the caller.
  if (compilation.purpose === 'hold' || (compilation.alternative && !isOfCaller(rule))) {
    const met = conditionOf({ ...within(compilation), purpose: 'hold' }, rule, column);
    return sql`exists (select 1${named}${where([sql`${id} = ${value}`, met])})`;
  }
  const met = conditionOf({ ...within(compilation), alternative: false }, rule, column);
  return among(compilation, value, sql`select ${id}${named}${where([met])}`);
};

const conditionOf = (compilation: Compilation, expression: RowExpression, column: ColumnSql): Fragment => {
  switch (expression.kind) {
    case 'own':
      return sql`${column(expression.column)} = ${compilation.caller}`;
    case 'equals':
      return sql`${column(expression.column)} = ${literal(expression.value)}`;
    case 'member':
      return membership(compilation, expression, column(expression.column));
    case 'via': {
      const value = column(expression.column);
      if (compilation.purpose !== 'kept') return reference(compilation, expression, value);
      const met = conditionOf(compilation, expression.rule, (of) =>
        column(pathBehind(expression.column, of)),
      );
      return sql`(${value} is not null and ${met})`;
    }
    case 'anyOf': {
      if (expression.rules.length === 0) return sql`1 = 0`;
      const among: Compilation = { ...compilation, alternative: true };
      return sql`(${join(
        expression.rules.map((rule) => conditionOf(among, rule, column)),
        ' or ',
      )})`;
    }
    case 'allOf': {
      if (expression.rules.length === 0) return sql`1 = 1`;
      return sql`(${join(
        expression.rules.map((rule) => conditionOf(compilation, rule, column)),
        ' and ',
      )})`;
    }
  }
};

/** Compiles the condition that a row meets a rule for a caller. */
export const expressionCondition = (
  expression: RowExpression,
  column: ColumnSql,
  caller: Fragment,
  purpose: ConditionPurpose,
  dialect: Dialect,
): Fragment => conditionOf({ dialect, caller, purpose, alternative: false, depth: 0 }, expression, column);
