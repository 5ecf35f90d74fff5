import { columnOf, rowAlias, storedValue } from '../column.ts';
import type { Dialect } from '../dialects/dialect.ts';
import { reachConditions } from '../rows/reach.ts';
import { type Argument, all, type Fragment, name, sql, startsOf } from '../statement.ts';
import { filterCondition } from './filters.ts';
import { cursorNulls, type ListArguments, type ListShape, walkOf } from './shape.ts';
import { comesAfter, orderBy } from './sort.ts';

const searchConditions = (
  { source, searched }: ListShape,
  dialect: Dialect,
  argument: Argument<ListArguments>,
): Fragment[] => {
  if (searched === undefined) return [];
  const branches = searched.map((of) =>
    dialect.contains(storedValue(columnOf(source, of), dialect), argument('search')),
  );
  // What is in at least one of no columns is in none.
  return [branches.length === 0 ? sql`1 = 0` : sql`(${all(branches, ' or ')})`];
};

const filterConditions = (
  { filters }: ListShape,
  dialect: Dialect,
  argument: Argument<ListArguments>,
): Fragment[] => {
  const starts = startsOf(filters.map(({ count }) => count));
  return filters.map((filter, nth) =>
    filterCondition(filter, dialect, (index) => argument('filters', (starts[nth] ?? 0) + index)),
  );
};

/** The condition to come after the row of the request's cursor, where it has one. */
const cursorConditions = (
  shape: ListShape,
  dialect: Dialect,
  argument: Argument<ListArguments>,
): Fragment[] => {
  const nulls = cursorNulls(shape);
  if (nulls.length === 0) return [];
  return [comesAfter(walkOf(shape), nulls, dialect, (index) => argument('cursor', index))];
};

/** What stands in every statement of a list: which rows there are, and in which order. */
export interface Clauses {
  readonly from: Fragment;
  /** What the caller may see and asks for, on all pages. */
  readonly matching: readonly Fragment[];
  /** The same from the cursor on. */
  readonly following: readonly Fragment[];
  readonly order: Fragment;
  /** The order in which the page is found. */
  readonly walk: Fragment;
  /** LIMIT and OFFSET. */
  readonly window: Fragment;
}

/** The clauses of a list's statements. */
export const clausesOf = (shape: ListShape, dialect: Dialect, argument: Argument<ListArguments>): Clauses => {
  const { source, rows, sort, paging } = shape;
  const matching = [
    ...reachConditions(
      rows.terms,
      (of) => storedValue(columnOf(source, of), dialect),
      (index) => argument('rows', index),
      'find',
      dialect,
    ),
    ...filterConditions(shape, dialect, argument),
    ...searchConditions(shape, dialect, argument),
  ];
  const limit = sql` limit ${argument('limit')}`;
  return {
    from: sql` from ${source.from(dialect)} as ${name(rowAlias)}`,
    matching,
    following: [...matching, ...cursorConditions(shape, dialect, argument)],
    order: sql` order by ${orderBy(sort, dialect)}`,
    walk: sql` order by ${orderBy(walkOf(shape), dialect)}`,
    window: paging.kind === 'page' ? sql`${limit} offset ${argument('offset')}` : limit,
  };
};
