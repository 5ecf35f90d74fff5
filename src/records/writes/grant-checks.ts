/** Decides, before a write, which records and which fields the conditions of a grant let be written. */

import type { Transaction } from '../../database/database.ts';
import {
  type Argument,
  type Fragment,
  identifier,
  isRecord,
  join,
  literal,
  sql,
  where,
} from '../../database/statement.ts';
import type { ColumnValue } from '../../fields/field.ts';
import type { RecordId } from '../../fields/key.ts';
import type { RowExpression } from '../../model/row-expression.ts';
import type { Grant, HeldFields } from '../../policy/grant.ts';
import type { Columns } from '../collisions.ts';
import type { ColumnSql } from '../rows/expression.ts';
import { everyRow, type ReachTerm, type RowReach, reachConditions, reachOf } from '../rows/reach.ts';
import type { RecordTable } from './record-writes.ts';
import { noArguments, type WriteArguments } from './write-arguments.ts';

/**
 * The part of a rule that the values of these columns decide. Undefined if they decide nothing: other columns may meet
 * the rule.
 */
const decidedRule = (rule: RowExpression, names: readonly string[]): RowExpression | undefined => {
  if ('column' in rule) return names.includes(rule.column) ? rule : undefined;
  const parts = rule.rules.map((part) => decidedRule(part, names));
  const rules = parts.filter((part) => part !== undefined);
  if (rule.kind === 'anyOf') return rules.length < parts.length ? undefined : { kind: 'anyOf', rules };
  return rules.length === 0 ? undefined : { kind: 'allOf', rules };
};

/** The conditions of a reach that the values of these columns decide. */
const decidedReach = ({ terms, values, key }: RowReach, names: readonly string[]): RowReach => {
  const decided: { term: ReachTerm; value: ColumnValue }[] = [];
  for (const [index, term] of terms.entries()) {
    const isColumn = typeof term === 'string';
    const part = isColumn ? term : decidedRule(term, names);
    if (part === undefined || (isColumn && !names.includes(term))) continue;
    decided.push({ term: part, value: values[index] ?? null });
  }
  return { terms: decided.map(({ term }) => term), values: decided.map(({ value }) => value), key };
};

export class GrantChecks {
  readonly #table: RecordTable;

  constructor(table: RecordTable) {
    this.#table = table;
  }

  /**
   * True if the grant allows a new record with these values, or the record with an id to get them. A new record may
   * have further values: a rule that these could meet is taken to hold. One statement, or none.
   */
  readonly admits = async (
    grant: Grant,
    columns: Columns,
    id: RecordId | undefined,
    within?: Transaction,
  ): Promise<boolean> => {
    if (grant.writes === undefined) return true;
    const { database, conditions, column, model, name } = this.#table;
    const writes = reachOf({ rows: grant.writes });
    if (writes === undefined) return false;
    const names = Object.keys(columns);
    const checked = id === undefined ? decidedReach(writes, names) : writes;
    if (id === undefined ? checked.terms.length === 0 : !conditions.leavesReach(writes, names)) return true;
    const key = `admits ${id === undefined} ${names.join(',')}\n${checked.key}`;
    const admitted = this.#table.compiled(key, (param) => {
      const next: ColumnSql = (of) =>
        id === undefined || names.includes(of) ? conditions.assignedValue(names, of, param) : column(of);
      const met = conditions.rowConditions(checked, 'writes', param, next);
      if (id === undefined) return sql`select 1 as admitted${where(met)}`;
      return sql`select 1 as admitted from ${name}${where([isRecord(model.stored, param('id')), ...met])}`;
    });
    const values = Object.values(columns);
    const query = admitted({ ...noArguments, values, writes: checked.values, id: id ?? 0 });
    return (await (within ?? database).get(query)) !== undefined;
  };

  /**
   * The grant with the fields that may be written in one record: that with an id within the grant's rows, or a new
   * one with these values. `held` are the fields to decide about. One statement.
   */
  readonly settled = async (
    grant: Grant,
    held: readonly HeldFields[],
    of: RecordId | Columns,
    within?: Transaction,
  ): Promise<Grant> => {
    const { database, conditions, column, name } = this.#table;
    const rows = typeof of !== 'object' ? reachOf(grant) : everyRow;
    const reaches = held.map((each) => reachOf(each));
    if (rows === undefined) return grant.settled([], held);
    const names = typeof of !== 'object' ? [] : Object.keys(of);
    const keys = reaches.map((each) => each?.key ?? 'none').join('\n');
    const key = `settled ${typeof of === 'object'} ${names.join(',')} ${rows.key}\n${keys}`;
    const read = this.#table.compiled(key, (param) => {
      if (typeof of !== 'object') {
        const flags = this.#flagsOf(reaches, column, param);
        return sql`select ${join(flags)} from ${name}${where(conditions.byIdConditions(rows, param))}`;
      }
      const made: ColumnSql = (each) => conditions.assignedValue(names, each, param);
      return sql`select ${join(this.#flagsOf(reaches, made, param))}`;
    });
    const bound = reaches.flatMap((each) => each?.values ?? []);
    const record = typeof of !== 'object' ? { id: of, rows: rows.values } : { values: Object.values(of) };
    const query = read({ ...noArguments, ...record, held: bound });
    const row = await (within ?? database).get<Readonly<Record<string, unknown>>>(query);
    const { met = [], refused = [] } = Object.groupBy(held, (_, index) =>
      Number(row?.[`met${index}`]) === 1 ? 'met' : 'refused',
    );
    return grant.settled(met, refused);
  };

  /** A column for each reach, `met0`, `met1`, …: 1 if the row meets its conditions, else 0. */
  #flagsOf(
    reaches: readonly (RowReach | undefined)[],
    column: ColumnSql,
    param: Argument<WriteArguments>,
  ): readonly Fragment[] {
    let start = 0;
    return reaches.map((reach, index) => {
      const terms = reach?.terms ?? [];
      const first = start;
      start += terms.length;
      const met = reachConditions(
        terms,
        column,
        (at) => param('held', first + at),
        'hold',
        this.#table.dialect,
      );
      const holds = reach === undefined ? [sql`1 = 0`] : met;
      const flag = holds.length === 0 ? literal(1) : sql`case when ${join(holds, ' and ')} then 1 else 0 end`;
      return sql`${flag} as ${identifier(`met${index}`)}`;
    });
  }
}
