import type { Database, SqlValue } from '../../database/database.ts';
import { dialectOf } from '../../database/registry.ts';
import { type Fragment, identifier, join, sql, statement, where } from '../../database/statement.ts';
import type { ResourceModel } from '../../model/resource.ts';
import type { RowExpression } from '../../model/row-expression.ts';
import type { Grant } from '../../policy/grant.ts';
import { type ColumnSql, expressionCondition, membershipConditions } from './expression.ts';
import { reachConditions, reachOf } from './reach.ts';

/** How one record stands to a condition, for one caller. */
export interface RowOutcome {
  readonly holds: boolean;
  /** Of a membership by which it holds, the id of the first; of a reference, of what it names. */
  readonly id: number | undefined;
  /** Of the conditions within, in their order; of a reference, that of its rule. */
  readonly within: readonly RowOutcome[];
}

type OutcomeArguments = {
  readonly caller: number | null;
  readonly id: number;
  /** Of the row filter of whoever asks. */
  readonly rows: readonly SqlValue[];
};

/** A condition, and the columns of the record that it is about. */
interface Asked {
  readonly expression: RowExpression;
  readonly column: ColumnSql;
  readonly within: readonly Asked[];
}

/** The columns of the record that a reference names; null where it names none. */
const referred = (table: string, reference: Fragment, depth: number): ColumnSql => {
  const row = `_referred${depth}`;
  return (of) =>
    sql`(select ${identifier(row, of)} from ${identifier(table)} as ${identifier(row)} where ${identifier(row, 'id')} = ${reference})`;
};

const askedOf = (expression: RowExpression, column: ColumnSql, depth = 0): Asked => {
  if ('rules' in expression)
    return { expression, column, within: expression.rules.map((rule) => askedOf(rule, column, depth)) };
  if (expression.kind !== 'via') return { expression, column, within: [] };
  const target = referred(expression.table, column(expression.column), depth);
  return { expression, column, within: [askedOf(expression.rule, target, depth + 1)] };
};

const flattened = (asked: Asked): readonly Asked[] => [asked, ...asked.within.flatMap(flattened)];

/** What a condition can say of itself beyond whether it holds. */
const idOf = ({ expression, column }: Asked, caller: Fragment): Fragment => {
  if (expression.kind === 'via') return column(expression.column);
  if (expression.kind !== 'member') return sql`null`;
  const row = '_membership';
  const met = membershipConditions(expression, row, column(expression.column), caller);
  return sql`(select min(${identifier(row, 'id')}) from ${identifier(expression.table)} as ${identifier(row)}${where(met)})`;
};

type OutcomeRow = Readonly<Record<string, unknown>>;

/** Reads the columns in the order in which they were asked for. */
const readOutcome = (asked: Asked, row: OutcomeRow, next: { place: number }): RowOutcome => {
  const { place } = next;
  next.place += 1;
  const id = row[`id${place}`];
  return {
    holds: Number(row[`holds${place}`]) === 1,
    id: id === null ? undefined : Number(id),
    within: asked.within.map((each) => readOutcome(each, row, next)),
  };
};

/**
 * How a record stands to every condition of a rule, in one statement: each is asked as a request asks it that names
 * the record. Undefined where the grant, which is that of whoever wants to know, does not reach the record.
 */
export const rowOutcomes = async (
  database: Database,
  model: ResourceModel,
  grant: Grant,
  id: number,
  expression: RowExpression,
  caller: number | null,
): Promise<RowOutcome | undefined> => {
  const reach = reachOf(grant);
  if (reach === undefined) return undefined;
  const dialect = dialectOf(database);
  const column: ColumnSql = (of) => identifier(model.table, of);
  const asked = askedOf(expression, column);
  const read = statement<OutcomeArguments>(dialect, (param) => {
    const columns = flattened(asked).flatMap((each, place) => {
      const holds = expressionCondition(each.expression, each.column, param('caller'), 'hold', dialect);
      return [
        sql`case when ${holds} then 1 else 0 end as ${identifier(`holds${place}`)}`,
        sql`${idOf(each, param('caller'))} as ${identifier(`id${place}`)}`,
      ];
    });
    const reached = reachConditions(reach.terms, column, (index) => param('rows', index), 'hold', dialect);
    const one = [...reached, sql`${column('id')} = ${param('id')}`];
    return sql`select ${join(columns)} from ${identifier(model.table)}${where(one)}`;
  });
  const row = await database.get<OutcomeRow>(read({ caller, id, rows: reach.values }));
  return row && readOutcome(asked, row, { place: 0 });
};
