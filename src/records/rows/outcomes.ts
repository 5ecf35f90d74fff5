/** Explains a row rule for one record: the outcome of each of its conditions. */

import type { Database, SqlValue } from '../../database/database.ts';
import type { Dialect } from '../../database/dialect.ts';
import { readId } from '../../database/record-column.ts';
import {
  columnsOfRows,
  type Fragment,
  identifier,
  isRecord,
  join,
  rowsOf,
  sql,
  statement,
  where,
} from '../../database/statement.ts';
import type { RecordId, RecordKey } from '../../fields/key.ts';
import type { ResourceModel } from '../../model/resource.ts';
import type { RowExpression } from '../../model/row-expression.ts';
import type { StoredTable } from '../../model/stored-table.ts';
import type { Grant } from '../../policy/grant.ts';
import { type ColumnSql, expressionCondition, membershipConditions } from './expression.ts';
import { reachConditions, reachOf } from './reach.ts';

/** The outcome of a condition on one record, for one caller. */
export interface RowOutcome {
  readonly holds: boolean;
  /** Id of the first membership that meets it, or of the referenced record. */
  readonly id: RecordId | undefined;
  /** Outcomes of nested conditions, in their order; for a reference, that of its rule. */
  readonly within: readonly RowOutcome[];
}

type OutcomeArguments = {
  readonly caller: number | null;
  readonly id: RecordId;
  /** Values of the asking caller's row filter. */
  readonly rows: readonly SqlValue[];
};

/** A condition, and the columns of its record. */
interface RecordCondition {
  readonly expression: RowExpression;
  readonly column: ColumnSql;
  readonly within: readonly RecordCondition[];
}

/** The columns of the record to which a reference leads; null if there is none. */
const referred = (stored: StoredTable, reference: Fragment, depth: number): ColumnSql => {
  const row = `_referred${depth}`;
  const column = columnsOfRows(stored, row);
  return (of) =>
    sql`(select ${column(of)} from ${rowsOf(stored)} as ${identifier(row)} where ${column('id')} = ${reference})`;
};

const conditionFor = (expression: RowExpression, column: ColumnSql, depth = 0): RecordCondition => {
  if ('rules' in expression)
    return { expression, column, within: expression.rules.map((rule) => conditionFor(rule, column, depth)) };
  if (expression.kind !== 'via') return { expression, column, within: [] };
  const target = referred(expression.stored, column(expression.column), depth);
  return { expression, column, within: [conditionFor(expression.rule, target, depth + 1)] };
};

const flattened = (condition: RecordCondition): readonly RecordCondition[] => [
  condition,
  ...condition.within.flatMap(flattened),
];

/** The SQL of `RowOutcome.id`. */
const idOf = (
  { expression, column }: RecordCondition,
  caller: Fragment,
  dialect: Dialect,
  keyOf: KeyOfModel,
): Fragment => {
  if (expression.kind === 'via') return readId(dialect, keyOf(expression.model), column(expression.column));
  if (expression.kind !== 'member') return sql`null`;
  const row = '_membership';
  const met = membershipConditions(expression, row, column(expression.column), caller);
  const id = columnsOfRows(expression.stored, row)('id');
  const shown = readId(dialect, keyOf(expression.model), id);
  return sql`(select ${shown} from ${rowsOf(expression.stored)} as ${identifier(row)}${where(met)} order by ${id} limit 1)`;
};

type OutcomeRow = Readonly<Record<string, SqlValue>>;

/** How the records of a model are named. */
export type KeyOfModel = (model: string) => RecordKey;

/** Reads the outcomes in the order of their columns. */
const readOutcome = (
  condition: RecordCondition,
  row: OutcomeRow,
  next: { place: number },
  keyOf: KeyOfModel,
): RowOutcome => {
  const { expression } = condition;
  const { place } = next;
  next.place += 1;
  const id = row[`id${place}`];
  return {
    holds: Number(row[`holds${place}`]) === 1,
    id: id == null || !('model' in expression) ? undefined : keyOf(expression.model).stored(id),
    within: condition.within.map((each) => readOutcome(each, row, next, keyOf)),
  };
};

/**
 * Evaluates every condition of a rule on a record, in one statement, as a request for that record does. Undefined if
 * the grant of the asking caller does not reach the record.
 */
export const rowOutcomes = async (
  database: Database,
  model: ResourceModel,
  grant: Grant,
  id: RecordId,
  expression: RowExpression,
  caller: number | null,
  keyOf: KeyOfModel,
): Promise<RowOutcome | undefined> => {
  const reach = reachOf(grant);
  if (reach === undefined) return undefined;
  const { dialect } = database;
  const column = columnsOfRows(model.stored);
  const condition = conditionFor(expression, column);
  const read = statement<OutcomeArguments>(dialect, (param) => {
    const columns = flattened(condition).flatMap((each, place) => {
      const holds = expressionCondition(each.expression, each.column, param('caller'), 'hold', dialect);
      return [
        sql`case when ${holds} then 1 else 0 end as ${identifier(`holds${place}`)}`,
        sql`${idOf(each, param('caller'), dialect, keyOf)} as ${identifier(`id${place}`)}`,
      ];
    });
    const reached = reachConditions(reach.terms, column, (index) => param('rows', index), 'hold', dialect);
    const one = [...reached, isRecord(model.stored, param('id'))];
    return sql`select ${join(columns)} from ${rowsOf(model.stored)}${where(one)}`;
  });
  const row = await database.get<OutcomeRow>(read({ caller, id, rows: reach.values }));
  return row && readOutcome(condition, row, { place: 0 }, keyOf);
};
