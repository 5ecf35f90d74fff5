import { columnOf } from '../database/column.ts';
import type { SqlValue } from '../database/database.ts';
import type { Dialect } from '../database/dialect.ts';
import type { Source } from '../database/source.ts';
import { versionColumn } from '../database/source.ts';
import { type Argument, type Fragment, identifier, join, sql } from '../database/statement.ts';
import type { ColumnValue } from '../fields/field.ts';
import type { RowExpression } from '../model/row-expression.ts';
import type { Grant } from '../policy/grant.ts';
import type { ColumnSql } from './rows/expression.ts';
import { columnsOf, type ReachTerm, type RowReach, reachConditions, reachOf } from './rows/reach.ts';

export type WriteArguments = {
  /** Of the columns that are written, in their order. */
  readonly values: readonly SqlValue[];
  /** Of the row filter. */
  readonly rows: readonly SqlValue[];
  /** Of the rows that may be written. */
  readonly writes: readonly SqlValue[];
  readonly id: number;
  /** Of what is written beside the record, those of one insert behind those of the other. */
  readonly beside: readonly SqlValue[];
  /** The versions of which the record must have one; empty where any will do. */
  readonly versions: readonly SqlValue[];
};

/** The arguments of a statement that takes none of them. */
export const nothing: WriteArguments = {
  values: [],
  rows: [],
  writes: [],
  id: 0,
  versions: [],
  beside: [],
};

/** What a write stays within: the rows that the caller reaches, and of these those that they may write. */
export interface WriteReach {
  readonly rows: RowReach;
  /** Absent where every row that is reached may be written. */
  readonly writes: RowReach | undefined;
  readonly key: string;
}

/** Undefined where there is no such row, neither before nor after. */
export const writeReachOf = (grant: Grant): WriteReach | undefined => {
  const rows = reachOf(grant);
  if (grant.writes === undefined) return rows && { rows, writes: undefined, key: rows.key };
  const writes = reachOf({ rows: grant.writes });
  return rows && writes && { rows, writes, key: `${rows.key}\n${writes.key}` };
};

export const everyRow = reachOf({ rows: [] });

export const argumentsOf = ({ rows, writes }: WriteReach) => ({
  rows: rows.values,
  writes: writes?.values ?? [],
});

/**
 * What of a rule values of these columns decide. Undefined where they decide nothing: it may hold by the values of other
 * columns.
 */
const decidedRule = (rule: RowExpression, names: readonly string[]): RowExpression | undefined => {
  if ('column' in rule) return names.includes(rule.column) ? rule : undefined;
  const parts = rule.rules.map((part) => decidedRule(part, names));
  const rules = parts.filter((part) => part !== undefined);
  if (rule.kind === 'anyOf') return rules.length < parts.length ? undefined : { kind: 'anyOf', rules };
  return rules.length === 0 ? undefined : { kind: 'allOf', rules };
};

/** What of the conditions values of these columns decide. */
export const decidedReach = ({ terms, values, key }: RowReach, names: readonly string[]): RowReach => {
  const decided: { term: ReachTerm; value: ColumnValue }[] = [];
  for (const [index, term] of terms.entries()) {
    const isColumn = typeof term === 'string';
    const part = isColumn ? term : decidedRule(term, names);
    if (part === undefined || (isColumn && !names.includes(term))) continue;
    decided.push({ term: part, value: values[index] ?? null });
  }
  return { terms: decided.map(({ term }) => term), values: decided.map(({ value }) => value), key };
};

/** The conditions of writes of a table: whose row it is, of which version, and what it may become. */
export const writeConditions = (source: Source, table: string, dialect: Dialect) => {
  const column = (of: string): Fragment => identifier(table, of);
  const version = column(versionColumn);

  /** Conditions that the row itself meets them, or the row that it becomes where its columns are said. */
  const reached = (
    { terms }: RowReach,
    of: 'rows' | 'writes',
    param: Argument<WriteArguments>,
    columns: ColumnSql = column,
  ): readonly Fragment[] => reachConditions(terms, columns, (index) => param(of, index), 'hold', dialect);

  /** The record with an id, of the caller's rows. */
  const found = (rows: RowReach, param: Argument<WriteArguments>): readonly Fragment[] => [
    ...reached(rows, 'rows', param),
    sql`${column('id')} = ${param('id')}`,
  ];

  /** The record with an id, of those that the caller may write, and of a version that is acceptable. */
  const target = (
    { rows, writes }: WriteReach,
    versions: readonly number[] | undefined,
    param: Argument<WriteArguments>,
  ): readonly Fragment[] => {
    const accepted = versions?.map((_, index) => param('versions', index)) ?? [];
    return [
      ...found(rows, param),
      ...(writes === undefined ? [] : reached(writes, 'writes', param)),
      ...(accepted.length === 0 ? [] : [sql`${version} in (${join(accepted)})`]),
    ];
  };

  /** A value that is written, where a condition compares it: it has the type of its column, as the row will. */
  const assigned = (names: readonly string[], of: string, param: Argument<WriteArguments>): Fragment => {
    const kind = columnOf(source, of).type.column;
    const index = names.indexOf(of);
    return dialect.cast(index < 0 ? sql`null` : param('values', index), kind);
  };

  /** Whether the row that an update makes may be one that the caller could not write: none of other columns can. */
  const leadsOut = (writes: RowReach | undefined, names: readonly string[]): writes is RowReach =>
    writes?.terms.some((term) => columnsOf(term).some((of) => names.includes(of))) === true;

  return { reached, found, target, assigned, leadsOut };
};
