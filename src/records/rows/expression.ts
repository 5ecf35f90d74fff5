import type { Dialect } from '../../database/dialect.ts';
import { type Fragment, identifier, join, literal, sql, where } from '../../database/statement.ts';
import { isOfCaller, pathBehind, type RowExpression, type RowMember } from '../../model/row-expression.ts';

/**
 * How a condition on rows is asked. `find`: to find the rows that meet it, by indexes, from the caller's memberships on.
 * `hold`: whether one row that is known by its key meets it, by its own values. `kept`: the same for a row that is gone,
 * by the values that were kept of it, those of the rows that it referred to included (`keptReach`).
 */
export type RowsAsked = 'find' | 'hold' | 'kept';

/** What an expression is compiled for. */
interface Compiling {
  readonly dialect: Dialect;
  /** The id of the caller. */
  readonly caller: Fragment;
  readonly asked: RowsAsked;
  /** Whether it is one of several alternatives. */
  readonly alternative: boolean;
  /** How many queries stand around it. */
  readonly depth: number;
}

/** The SQL of a column of the row that a condition is about. */
export type ColumnSql = (column: string) => Fragment;

/** A row of a query within a statement has a name that no table and no column can have. */
const rowName = (depth: number): string => `_row${depth}`;

const within = (compiling: Compiling): Compiling => ({ ...compiling, depth: compiling.depth + 1 });

const from = (table: string, row: string): Fragment => sql` from ${identifier(table)} as ${identifier(row)}`;

/** Whether a value is among those of a query; alone, the planner knows best how to join them. */
const among = ({ dialect, alternative }: Compiling, value: Fragment, query: Fragment): Fragment =>
  alternative ? dialect.among(value, query) : sql`${value} in (${query})`;

/** The conditions that a row of the memberships is one of the caller's, and one by which a value is reached. */
export const membershipConditions = (
  rule: RowMember,
  row: string,
  value: Fragment,
  caller: Fragment,
): readonly Fragment[] => [...ofCaller(rule, row, caller), sql`${identifier(row, rule.on)} = ${value}`];

const ofCaller = ({ owner, where: conditions }: RowMember, row: string, caller: Fragment): Fragment[] => [
  sql`${identifier(row, owner)} = ${caller}`,
  ...conditions.map(
    ({ column, values }) => sql`${identifier(row, column)} in (${join(values.map((each) => literal(each)))})`,
  ),
];

const membership = (compiling: Compiling, rule: RowMember, value: Fragment): Fragment => {
  const { caller } = compiling;
  const row = rowName(compiling.depth);
  const memberships = from(rule.table, row);
  return compiling.asked === 'find'
    ? among(
        compiling,
        value,
        sql`select ${identifier(row, rule.on)}${memberships}${where(ofCaller(rule, row, caller))}`,
      )
    : sql`exists (select 1${memberships}${where(membershipConditions(rule, row, value, caller))})`;
};

type Via = Extract<RowExpression, { readonly kind: 'via' }>;

const reference = (compiling: Compiling, { table, rule }: Via, value: Fragment): Fragment => {
  const row = rowName(compiling.depth);
  const column: ColumnSql = (of) => identifier(row, of);
  const named = from(table, row);
  const id = identifier(row, 'id');
  // Among alternatives all ids would be collected, and of what is not the caller's there may be any number.
  if (compiling.asked === 'hold' || (compiling.alternative && !isOfCaller(rule))) {
    const met = conditionOf({ ...within(compiling), asked: 'hold' }, rule, column);
    return sql`exists (select 1${named}${where([sql`${id} = ${value}`, met])})`;
  }
  const met = conditionOf({ ...within(compiling), alternative: false }, rule, column);
  return among(compiling, value, sql`select ${id}${named}${where([met])}`);
};

const conditionOf = (compiling: Compiling, expression: RowExpression, column: ColumnSql): Fragment => {
  switch (expression.kind) {
    case 'own':
      return sql`${column(expression.column)} = ${compiling.caller}`;
    case 'equals':
      return sql`${column(expression.column)} = ${literal(expression.value)}`;
    case 'member':
      return membership(compiling, expression, column(expression.column));
    case 'via': {
      const value = column(expression.column);
      if (compiling.asked !== 'kept') return reference(compiling, expression, value);
      const met = conditionOf(compiling, expression.rule, (of) => column(pathBehind(expression.column, of)));
      return sql`(${value} is not null and ${met})`;
    }
    case 'anyOf': {
      if (expression.rules.length === 0) return sql`1 = 0`;
      const among: Compiling = { ...compiling, alternative: true };
      return sql`(${join(
        expression.rules.map((rule) => conditionOf(among, rule, column)),
        ' or ',
      )})`;
    }
    case 'allOf': {
      if (expression.rules.length === 0) return sql`1 = 1`;
      return sql`(${join(
        expression.rules.map((rule) => conditionOf(compiling, rule, column)),
        ' and ',
      )})`;
    }
  }
};

/** The condition that a row meets a rule for a caller. */
export const expressionCondition = (
  expression: RowExpression,
  column: ColumnSql,
  caller: Fragment,
  asked: RowsAsked,
  dialect: Dialect,
): Fragment => conditionOf({ dialect, caller, asked, alternative: false, depth: 0 }, expression, column);
