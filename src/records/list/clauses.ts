import type { Dialect } from '../../database/dialect.ts';
import { columnOf, rowAlias, storedValue } from '../../database/source.ts';
import {
  type Argument,
  type Fragment,
  identifier,
  join,
  sql,
  startsOf,
  where,
} from '../../database/statement.ts';
import type { Joining } from '../relations/related.ts';
import { reachConditions, reachParts } from '../rows/reach.ts';
import { filterCondition } from './filters.ts';
import { cursorNulls, type ListArguments, type ListShape, walkOf } from './parameters.ts';
import { comesAfter, orderBy } from './sort.ts';

/** What relations are written with in a statement of a list. */
export const joiningOf = (dialect: Dialect, param: Argument<ListArguments>): Joining => ({
  dialect,
  value: (index) => param('related', index),
  looked: param('looked'),
});

const searchConditions = (
  { source, searched }: ListShape,
  dialect: Dialect,
  param: Argument<ListArguments>,
): Fragment[] => {
  if (searched === undefined) return [];
  const branches = searched.map((of) =>
    dialect.contains(storedValue(columnOf(source, of), dialect), param('search')),
  );
  // What is in at least one of no columns is in none.
  return [branches.length === 0 ? sql`1 = 0` : sql`(${join(branches, ' or ')})`];
};

const filterConditions = (
  { filters }: ListShape,
  dialect: Dialect,
  param: Argument<ListArguments>,
): Fragment[] => {
  const starts = startsOf(filters.map(({ count }) => count));
  return filters.map((filter, nth) =>
    filterCondition(filter, joiningOf(dialect, param), (index) =>
      param('filters', (starts[nth] ?? 0) + index),
    ),
  );
};

/** The condition to come after the row of the request's cursor, where it has one. */
const cursorConditions = (shape: ListShape, dialect: Dialect, param: Argument<ListArguments>): Fragment[] => {
  const nulls = cursorNulls(shape);
  if (nulls.length === 0) return [];
  return [comesAfter(walkOf(shape), nulls, dialect, (index) => param('cursor', index))];
};

/** What stands in every statement of a list: which rows there are, and in which order. */
export interface Clauses {
  /** What the statement begins with: the rows of the page where these are found in parts. */
  readonly found: Fragment;
  readonly from: Fragment;
  /** What the caller may see and asks for, on all pages. */
  readonly matching: readonly Fragment[];
  /** The same from the cursor on. */
  readonly following: readonly Fragment[];
  /** Conditions that leave no fewer rows than those of the page, in the order in which it is found. */
  readonly paged: readonly Fragment[];
  /** How many rows match. */
  readonly count: Fragment;
  /** Answers a row where there are more behind the page. */
  readonly next: Fragment;
  readonly order: Fragment;
  /** The order in which the page is found. */
  readonly walk: Fragment;
  /** LIMIT and OFFSET. */
  readonly window: Fragment;
}

const foundRows = identifier('_found');

/** The clauses of a list's statements. */
export const clausesOf = (shape: ListShape, dialect: Dialect, param: Argument<ListArguments>): Clauses => {
  const { source, rows, sort, paging } = shape;
  const column = (of: string): Fragment => storedValue(columnOf(source, of), dialect);
  const value = (index: number): Fragment => param('rows', index);
  const asked = [...filterConditions(shape, dialect, param), ...searchConditions(shape, dialect, param)];
  const behind = cursorConditions(shape, dialect, param);
  const matching = [...reachConditions(rows.terms, column, value, 'find', dialect), ...asked];
  const following = [...matching, ...behind];
  const from = sql` from ${source.from(dialect)} as ${identifier(rowAlias)}`;
  const walk = sql` order by ${orderBy(walkOf(shape), dialect)}`;
  const amount = (of: 'limit' | 'offset' | 'firsts'): Fragment => dialect.rows(param(of));
  const limit = sql` limit ${amount('limit')}`;
  const clauses = {
    from,
    matching,
    following,
    order: sql` order by ${orderBy(sort, dialect)}`,
    walk,
    window: paging.kind === 'page' ? sql`${limit} offset ${amount('offset')}` : limit,
  };
  const parts = paging.kind === 'all' ? undefined : reachParts(rows.terms, column, value, dialect);
  if (parts === undefined)
    return {
      ...clauses,
      found: sql``,
      paged: following,
      count: sql`select count(*)${from}${where(matching)}`,
      next: sql`select 1${from}${where(following)}${walk} limit 1 offset ${amount('limit')}`,
    };
  const key = column(source.key);
  // The first rows of all parts: those of the page are among them, and one behind it where there is one.
  const firsts = parts.map((part, index) => {
    const first = sql`select ${key} as id${from}${where([...part, ...asked, ...behind])}${walk}`;
    return sql`select id from (${first} limit ${amount('firsts')}) as ${identifier(`_part${index}`)}`;
  });
  const counts = parts.map((part) => sql`(select count(*)${from}${where([...part, ...asked])})`);
  return {
    ...clauses,
    found: sql`with ${foundRows} as materialized (${join(firsts, ' union all ')}) `,
    paged: [sql`${key} in (select id from ${foundRows})`],
    count: sql`select ${join(counts, ' + ')}`,
    next: sql`select 1 from ${foundRows} limit 1 offset ${amount('limit')}`,
  };
};
