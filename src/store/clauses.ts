import type { Dialect } from '../fields/field.ts';
import { containsSql, filterSql } from './filters.ts';
import { columnOf } from './projection.ts';
import { cursorValues, layoutOf, type Shape, walkOf } from './shape.ts';
import { orderSql, seekSql } from './sort.ts';
import type { Source } from './source.ts';
import { columnSql, type Placeholders } from './sql.ts';

/** Conditions of the row filter. They stand first in every statement and are joined by AND with all others. */
export const scopeSql = (
  source: Source,
  rows: readonly string[],
  dialect: Dialect,
  bind: Placeholders,
): string[] => rows.map((name, index) => `${columnSql(columnOf(source, name), dialect)} = ${bind.of(index)}`);

export const whereSql = (conditions: readonly string[]): string =>
  conditions.length === 0 ? '' : ` where ${conditions.join(' and ')}`;

const searchSql = (shape: Shape, dialect: Dialect, bind: Placeholders): string[] => {
  if (shape.parameters.search === undefined) return [];
  const at = layoutOf(shape).search;
  const branches = shape.searched.map((name) =>
    containsSql(columnSql(columnOf(shape.source, name), dialect), bind.of(at), dialect),
  );
  // What is in at least one of no columns is in none.
  return [branches.length === 0 ? '1 = 0' : `(${branches.join(' or ')})`];
};

const filtersSql = (shape: Shape, dialect: Dialect, bind: Placeholders): string[] => {
  let next = layoutOf(shape).filters;
  return shape.parameters.filters.map((filter) => {
    const start = next;
    next += filter.values.length;
    return filterSql(filter, dialect, (index) => bind.of(start + index));
  });
};

/** The condition to come after the row of the request's cursor, where it has one. */
const cursorSql = (shape: Shape, dialect: Dialect, bind: Placeholders): string[] => {
  const nulls = cursorValues(shape.parameters).map((value) => value === null);
  const at = layoutOf(shape).cursor;
  return nulls.length === 0
    ? []
    : [seekSql(walkOf(shape.parameters), nulls, dialect, (index) => bind.of(at + index))];
};

/** What stands in every statement of a list: which rows there are, and in which order. */
export interface Clauses {
  readonly from: string;
  /** What the caller may see and asks for, on all pages. */
  readonly matching: readonly string[];
  /** The same from the cursor on. */
  readonly following: readonly string[];
  readonly order: string;
  /** The order in which the page is found. */
  readonly walk: string;
  /** LIMIT and OFFSET; asked for where they are used, as PostgreSQL refuses parameters that stand nowhere. */
  readonly window: () => string;
}

/** The clauses of a request's statement; each placeholder that they use is noted in `bind`. */
export const clausesOf = (shape: Shape, dialect: Dialect, bind: Placeholders): Clauses => {
  const { source, rows, parameters } = shape;
  const at = layoutOf(shape);
  const matching = [
    ...scopeSql(source, rows, dialect, bind),
    ...filtersSql(shape, dialect, bind),
    ...searchSql(shape, dialect, bind),
  ];
  return {
    from: ` from ${source.from(dialect)} as t`,
    matching,
    following: [...matching, ...cursorSql(shape, dialect, bind)],
    order: ` order by ${orderSql(parameters.sort, dialect)}`,
    walk: ` order by ${orderSql(walkOf(parameters), dialect)}`,
    window: () =>
      ` limit ${bind.of(at.limit)}${parameters.paging.kind === 'page' ? ` offset ${bind.of(at.offset)}` : ''}`,
  };
};
