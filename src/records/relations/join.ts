import { columnOf, storedValue } from '../../database/column.ts';
import type { Dialect } from '../../database/dialect.ts';
import { type Fragment, identifier, join, sql, where } from '../../database/statement.ts';
import { type ColumnSql, expressionCondition, type RowsAsked } from '../rows/expression.ts';
import { reachConditions } from '../rows/reach.ts';
import { type BoundReach, looksAtOthers, type RelationStep } from './related.ts';

/** What SQL over relations is written with. */
export interface Joining {
  readonly dialect: Dialect;
  /** The n-th value of the argument `related`. */
  readonly value: (index: number) => Fragment;
  /** How many rows a step may look at for one record; absent where that is no matter. */
  readonly looked?: Fragment;
}

/** Names of rows that no table and no column can have, one for each step away from the row `t`. */
export const relatedRow = (depth: number): string => `_related${depth}`;
const linkRow = (depth: number): string => `_link${depth}`;

const reached = (
  { terms, start }: BoundReach,
  column: (of: string) => Fragment,
  asked: RowsAsked,
  { dialect, value }: Joining,
): readonly Fragment[] =>
  terms === 'none'
    ? [sql`1 = 0`]
    : reachConditions(terms, column, (index) => value(start + index), asked, dialect);

/** Conditions that a row of the target is one that the caller reads. */
const reachedTarget = (
  { relation, reach }: RelationStep,
  row: string,
  asked: RowsAsked,
  joining: Joining,
) => {
  const target = relation.target();
  const column = (of: string): Fragment => storedValue(columnOf(target, of), joining.dialect, row);
  return reached(reach, column, asked, joining);
};

/**
 * The same for rows that name the row `before`. A rule on what they name is asked of that row, which is there: not looked
 * up again for each of them.
 */
const reachedBehind = (
  step: RelationStep,
  before: string,
  row: string,
  joining: Joining,
): readonly Fragment[] => {
  const { relation, reach } = step;
  if (!relation.many || reach.terms === 'none') return reachedTarget(step, row, 'hold', joining);
  const { dialect, value } = joining;
  return reach.terms.flatMap((term, index) => {
    if (typeof term !== 'string' && term.kind === 'via' && term.column === relation.to) {
      const named: ColumnSql = (of) => identifier(before, of);
      return [expressionCondition(term.rule, named, value(reach.start + index), 'hold', dialect)];
    }
    const alone = { ...step, reach: { ...reach, terms: [term], start: reach.start + index } };
    return reachedTarget(alone, row, 'hold', joining);
  });
};

const reachedLink = ({ link }: RelationStep, row: string, asked: RowsAsked, joining: Joining) =>
  link === undefined ? [] : reached(link, (of) => identifier(row, of), asked, joining);

const from = ({ relation }: RelationStep, row: string, { dialect }: Joining): Fragment =>
  sql` from ${relation.target().from(dialect)} as ${identifier(row)}`;

/** FROM and conditions of the rows to which a step leads from the row `before`, at a depth; of the row `relatedRow`. */
export const relatedTo = (
  step: RelationStep,
  before: string,
  depth: number,
  joining: Joining,
): { readonly from: Fragment; readonly conditions: readonly Fragment[] } => {
  const { relation } = step;
  const row = relatedRow(depth);
  const { through } = relation;
  const start = identifier(before, relation.from);
  const end = identifier(row, relation.to);
  if (through === undefined) {
    const reach = reachedBehind(step, before, row, joining);
    return { from: from(step, row, joining), conditions: [sql`${end} = ${start}`, ...reach] };
  }
  const reach = reachedTarget(step, row, 'hold', joining);
  const link = linkRow(depth);
  const held = [
    sql`${identifier(link, through.from)} = ${start}`,
    ...reachedLink(step, link, 'hold', joining),
  ];
  const ends = sql`select ${identifier(link, through.to)} from ${identifier(through.table)} as ${identifier(link)}${where(held)}`;
  return { from: from(step, row, joining), conditions: [sql`${end} in (${ends})`, ...reach] };
};

/**
 * The condition that a step looks at fewer rows from the row `before` than it may, whether the caller reads them or not:
 * otherwise the statement ends. Undefined where it looks at none that it does not lead to, or that is no matter.
 */
export const assertRowsExamined = (
  step: RelationStep,
  before: string,
  depth: number,
  { dialect, looked }: Joining,
): Fragment | undefined => {
  if (looked === undefined || !looksAtOthers(step)) return undefined;
  const { relation } = step;
  const { through } = relation;
  const row = through === undefined ? relatedRow(depth) : linkRow(depth);
  const rows =
    through === undefined
      ? sql`${relation.target().from(dialect)} as ${identifier(row)}`
      : sql`${identifier(through.table)} as ${identifier(row)}`;
  const end = identifier(row, through?.from ?? relation.to);
  const first = sql`select 1 from ${rows} where ${end} = ${identifier(before, relation.from)} limit ${dialect.rows(looked)}`;
  return dialect.assertRowsExamined(sql`(select count(*) from (${first}))`, looked);
};

/** The condition that the row `before` leads to one that meets `conditions`: found from there on, by their indexes. */
export const leadsTo = (
  step: RelationStep,
  before: string,
  depth: number,
  conditions: readonly Fragment[],
  joining: Joining,
): Fragment => {
  const { relation } = step;
  const row = relatedRow(depth);
  const { through } = relation;
  const met = where([...reachedTarget(step, row, 'find', joining), ...conditions]);
  const ends = sql`select ${identifier(row, relation.to)}${from(step, row, joining)}${met}`;
  const start = identifier(before, relation.from);
  if (through === undefined) return sql`${start} in (${ends})`;
  const link = linkRow(depth);
  const held = [
    ...reachedLink(step, link, 'find', joining),
    sql`${identifier(link, through.to)} in (${ends})`,
  ];
  return sql`${start} in (select ${identifier(link, through.from)} from ${identifier(through.table)} as ${identifier(link)}${where(held)})`;
};

/** The condition that the row `before` leads to one, or to one that meets conditions; asked of each row by itself. */
export const existsRelated = (
  step: RelationStep,
  before: string,
  depth: number,
  conditions: readonly Fragment[],
  joining: Joining,
): Fragment => {
  const related = relatedTo(step, before, depth, joining);
  return sql`exists (select 1${related.from} where ${join([...related.conditions, ...conditions], ' and ')})`;
};
