/** The conditions and orders of a list request in SQL, which all of its statements share. */

import type { Dialect } from '../../database/dialect.ts';
import {
  columnOf,
  partValues,
  rowAlias,
  ruleValue,
  type Source,
  type SourceColumn,
  storedValue,
} from '../../database/source.ts';
import {
  type Argument,
  areParts,
  comparedParts,
  type Fragment,
  identifier,
  join,
  literal,
  sql,
  startsOf,
  where,
} from '../../database/statement.ts';
import { type Joining, pathCondition } from '../relations/related.ts';
import { indexedParts, reachConditions, reachParts } from '../rows/reach.ts';
import {
  countedRows,
  cursorNulls,
  type FilterShape,
  type ListArguments,
  type ListShape,
  scanOrder,
  walksIndex,
} from './parameters.ts';
import { comesAfter, orderBy } from './sort.ts';

/** The context for SQL over relations in a statement of a list. */
export const joiningOf = (dialect: Dialect, param: Argument<ListArguments>): Joining => ({
  dialect,
  value: (index) => param('related', index),
  maxRowsExamined: param('maxRowsExamined'),
});

/** The searched columns of fields, as SQL names them. */
const searchedColumns = (source: Source, fields: readonly string[]): readonly string[] =>
  fields.map((name) => {
    const { column = name } = columnOf(source, name);
    return column;
  });

const searchConditions = (
  { source, searched }: ListShape,
  dialect: Dialect,
  param: Argument<ListArguments>,
): Fragment[] => {
  if (searched === undefined) return [];
  const { search } = source;
  if (search !== undefined && searched.length > 0) {
    const request = { index: search, columns: searchedColumns(source, searched), words: param('search') };
    return [dialect.search.matches(storedValue(columnOf(source, source.key), dialect), request)];
  }
  const branches = searched.map((of) =>
    dialect.contains(storedValue(columnOf(source, of), dialect), param('search')),
  );
  // Without searchable columns nothing matches.
  return [branches.length === 0 ? sql`1 = 0` : sql`(${join(branches, ' or ')})`];
};

/** True if null meets the condition. */
const acceptsNull = ({ operator, negated }: FilterShape): boolean =>
  operator === 'ne' || (operator === 'null' && !negated);

/** The condition that a text begins with another one, in any order of texts. */
const beginsWith = (value: Fragment, start: Fragment): Fragment =>
  sql`substr(${value}, 1, length(${start})) = ${start}`;

const comparisons = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

/** The condition on an id of several columns, in their order. */
const partsCondition = (
  parts: readonly SourceColumn[],
  { operator, count, negated }: FilterShape,
  dialect: Dialect,
  row: string,
  given: (index: number) => Fragment,
): Fragment => {
  const values = partValues(parts, dialect, row);
  const any = Array.from({ length: count }, (_, index) => areParts(values, given(index)));
  if (operator === 'eq' || operator === 'in') return sql`(${join(any, ' or ')})`;
  if (operator === 'ne') return sql`not (${join(any)})`;
  // The values of a key are never null.
  if (!(operator in comparisons)) return negated ? sql`1 = 1` : sql`1 = 0`;
  const compared = comparedParts(values, given(0));
  const sign = sql.raw(comparisons[operator as keyof typeof comparisons]);
  return sql`(${join(compared.map(({ value }) => value))}) ${sign} (${join(compared.map(({ bound }) => bound))})`;
};

const rowCondition = (
  filter: FilterShape,
  dialect: Dialect,
  row: string,
  given: (index: number) => Fragment,
): Fragment =>
  filter.column.parts === undefined
    ? columnCondition(filter, dialect, row, given)
    : partsCondition(filter.column.parts, filter, dialect, row, given);

const columnCondition = (
  { column, operator, count, negated }: FilterShape,
  dialect: Dialect,
  row: string,
  given: (index: number) => Fragment,
): Fragment => {
  const value = storedValue(column, dialect, row);
  const bound = (index: number): Fragment => {
    if (column.isNarrow === true) return dialect.cast(given(index), column.type.column);
    return column.form?.operand?.(given(index)) ?? given(index);
  };
  switch (operator) {
    case 'null':
      return negated ? sql`${value} is not null` : sql`${value} is null`;
    case 'in':
      return sql`${value} in (${join(Array.from({ length: count }, (_, index) => bound(index)))})`;
    case 'like':
      return dialect.contains(value, bound(0));
    case 'starts_with':
      if (column.form?.startsWith !== undefined) return column.form.startsWith(value, given(0));
      if (column.isCollated === true) return beginsWith(value, dialect.cast(given(0), 'text'));
      // A range instead of a function: an index on the column serves it.
      return count === 1
        ? sql`${value} >= ${bound(0)}`
        : sql`(${value} >= ${bound(0)} and ${value} < ${bound(1)})`;
    case 'eq':
      return sql`${value} = ${bound(0)}`;
    case 'ne':
      // Null differs from every value, so `ne` finds it: each row matches either `eq` or `ne`.
      return sql`${value} is distinct from ${bound(0)}`;
    case 'gt':
      return sql`${value} > ${bound(0)}`;
    case 'gte':
      return sql`${value} >= ${bound(0)}`;
    case 'lt':
      return sql`${value} < ${bound(0)}`;
    case 'lte':
      return sql`${value} <= ${bound(0)}`;
  }
};

/** The condition of one filter on the row `t`; `bound` returns the SQL of its n-th value. */
const filterCondition = (
  filter: FilterShape,
  joining: Joining,
  bound: (index: number) => Fragment,
): Fragment => {
  const condition = (row: string): Fragment => rowCondition(filter, joining.dialect, row, bound);
  return filter.steps === undefined
    ? condition(rowAlias)
    : pathCondition(filter.steps, rowAlias, condition, acceptsNull(filter), joining);
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

/** The condition that a row comes after the cursor of the request; none without a cursor. */
const cursorConditions = (shape: ListShape, dialect: Dialect, param: Argument<ListArguments>): Fragment[] => {
  const nulls = cursorNulls(shape);
  if (nulls.length === 0) return [];
  return [comesAfter(scanOrder(shape), nulls, dialect, (index) => param('cursor', index))];
};

/** The clauses that the statements of a list share: conditions and orders. */
export interface Clauses {
  /** WITH clause of the statement: the rows of the page if these are found in parts, else empty. */
  readonly found: Fragment;
  readonly from: Fragment;
  /** Conditions of the grant and the request, for all pages. */
  readonly matching: readonly Fragment[];
  /** The same, after the cursor. */
  readonly following: readonly Fragment[];
  /** Conditions that at least the rows of the page meet. */
  readonly paged: readonly Fragment[];
  /** Number of matching rows; for an estimated total at most one more than `countedRows`. */
  readonly count: Fragment;
  /** Returns a row if more follow the page. */
  readonly next: Fragment;
  /**
   * The same by the key of the page's last row, so that the rows before the page are not read twice. Undefined unless the
   * page is in the order of its integer keys.
   */
  readonly nextAfter?: ((last: Fragment) => Fragment) | undefined;
  readonly order: Fragment;
  /** The order in which the page is read: reversed before a cursor. */
  readonly walk: Fragment;
  /** LIMIT and OFFSET. */
  readonly window: Fragment;
}

const foundRows = identifier('_found');

/** More rows than a table has. */
const everyRow = 2_147_483_647;

/** The page in the order of a search; see `RankedMatches`. */
const rankedClauses = (
  shape: ListShape,
  clauses: Omit<Clauses, 'found' | 'paged' | 'count' | 'next'>,
  filters: readonly Fragment[],
  dialect: Dialect,
  param: Argument<ListArguments>,
): Clauses => {
  const { source, rows, searched = [], paging } = shape;
  if (source.search === undefined) throw new Error(`source ${source.name} has no search`);
  const column = (of: string): Fragment => ruleValue(columnOf(source, of), dialect);
  const value = (index: number): Fragment => param('rows', index);
  const key = column(source.key);
  const from = sql`${source.from(dialect)} as ${identifier(rowAlias)}`;
  const reach = reachConditions(rows.terms, column, value, 'find', dialect);
  const search = dialect.search.ranked({
    index: source.search,
    columns: searchedColumns(source, searched),
    words: param('search'),
    source: from,
    key,
    reach,
    parts: indexedParts(rows.terms, source, column, value, dialect),
    filters,
    until: paging.kind === 'all' ? literal(everyRow) : sql`(${dialect.rows(param('pageEnd'))} + 1)`,
  });
  const order = sql` order by _matches.whole desc, ${dialect.ordered(sql`_ranked.score`, true, true)}, _matches.id desc`;
  const limit = sql` limit ${dialect.rows(param('limit'))}`;
  const window =
    paging.kind === 'all' ? sql`` : sql`${order}${limit} offset ${dialect.rows(param('offset'))}`;
  const page = sql`select _matches.id, row_number() over (${order}) as place
    from _matches left join _ranked on _ranked.id = _matches.id${window}`;
  const place = sql` order by _page.place`;
  // The rows of the page are found by their keys.
  const matching = [sql`${key} = _page.id`];
  return {
    ...clauses,
    matching,
    following: matching,
    paged: matching,
    found: sql`with ${join([...search.tables, sql`_page as materialized (${page})`])} `,
    // SQLite keeps the order of a cross join.
    from: sql` from _page cross join ${from}`,
    order: place,
    walk: place,
    window: limit,
    count: search.count,
    next: sql`select 1 where (${search.count}) > ${dialect.rows(param('pageEnd'))}`,
  };
};

/**
 * The number of matching rows, in parts that have no row in common. That of an estimate stops at its bound, so it reads
 * no more rows than the bound where an index finds the matching ones.
 */
const countOf = ({ total }: ListShape, parts: readonly Fragment[]): Fragment => {
  if (total === 'estimate') {
    const rows = join(
      parts.map((part) => sql`select 1${part}`),
      ' union all ',
    );
    return sql`select count(*) from (${rows} limit ${literal(countedRows + 1)}) as _estimated`;
  }
  const [only, ...others] = parts.map((part) => sql`select count(*)${part}`);
  if (only !== undefined && others.length === 0) return only;
  return sql`select ${join(
    parts.map((part) => sql`(select count(*)${part})`),
    ' + ',
  )}`;
};

/** True if the rows are in the order of their keys alone. */
const isByKey = ({ source, sort }: ListShape): boolean => sort[0]?.column.name === source.key;

/**
 * True of a page in the order of its integer keys whose rows are not found in parts: the key finds those behind it.
 * Several rows of a source that joins tables may have the same key.
 */
export const isFoundBehindKey = (shape: ListShape): boolean => {
  const { source, rows, paging, ranked } = shape;
  return (
    paging.kind === 'page' &&
    !ranked &&
    isByKey(shape) &&
    source.table !== undefined &&
    columnOf(source, source.key).type.column === 'integer' &&
    rows.terms.every((term) => typeof term === 'string')
  );
};

/** The condition that a row comes behind the key in the order of the page. */
export const behindKey = ({ source, sort }: ListShape, key: Fragment, dialect: Dialect): Fragment => {
  const column = ruleValue(columnOf(source, source.key), dialect);
  return sort[0]?.descending === true ? sql`${column} < ${key}` : sql`${column} > ${key}`;
};

/**
 * The first rows of groups of which a caller may have many rows, such as teams: the first rows of each, by an index of
 * the group's column and the key. Otherwise PostgreSQL reads all rows of all groups to sort them, as it takes a bound
 * value of a membership for one with an average number of rows.
 */
const firstsOfGroups = (shape: ListShape, values: Fragment, firsts: Fragment, dialect: Dialect): Fragment => {
  const order = dialect.ordered(sql`_first.id`, scanOrder(shape)[0]?.descending === true, false);
  const groups = sql`(select distinct id from (${values}) as _groups (id)) as _group`;
  return sql`select _first.id from ${groups} cross join lateral (${firsts}) as _first order by ${order}`;
};

/** The clauses of a list's statements. */
export const clausesOf = (shape: ListShape, dialect: Dialect, param: Argument<ListArguments>): Clauses => {
  const { source, rows, sort, paging } = shape;
  const column = (of: string): Fragment => ruleValue(columnOf(source, of), dialect);
  const value = (index: number): Fragment => param('rows', index);
  const filters = filterConditions(shape, dialect, param);
  const requested = [...filters, ...searchConditions(shape, dialect, param)];
  const afterCursor = cursorConditions(shape, dialect, param);
  const matching = [...reachConditions(rows.terms, column, value, 'find', dialect), ...requested];
  const following = [...matching, ...afterCursor];
  const from = sql` from ${source.from(dialect)} as ${identifier(rowAlias)}`;
  const walk = sql` order by ${orderBy(scanOrder(shape), dialect)}`;
  const amount = (of: 'limit' | 'offset' | 'firsts' | 'pageEnd'): Fragment => dialect.rows(param(of));
  const limit = sql` limit ${amount('limit')}`;
  const clauses = {
    from,
    matching,
    following,
    order: sql` order by ${orderBy(sort, dialect)}`,
    walk,
    window: paging.kind === 'page' ? sql`${limit} offset ${amount('offset')}` : limit,
  };
  if (shape.ranked) return rankedClauses(shape, clauses, filters, dialect, param);
  // Any row behind the page is enough, so rows that no index returns in order are not sorted twice. Where one does,
  // the look behind the page goes the way of the page: matches may be rare where another way begins.
  const rest = sql`${from}${where(following)}${walksIndex(shape) || paging.kind === 'after' ? walk : sql``}`;
  const next =
    paging.kind === 'all' || paging.within === undefined
      ? sql`select 1${rest}`
      : sql`select 1 from (select 1${rest} limit ${literal(paging.within + 1)}) as _first`;
  // Rows are found in parts by the one column of their key.
  const isWhole = paging.kind === 'all' || columnOf(source, source.key).parts !== undefined;
  const parts = isWhole ? undefined : reachParts(rows.terms, column, value, dialect);
  const key = column(source.key);
  if (parts === undefined) {
    const nextAfter = (last: Fragment): Fragment =>
      sql`select 1${from}${where([...matching, behindKey(shape, last, dialect)])}${walk} limit 1`;
    return {
      ...clauses,
      found: sql``,
      paged: following,
      count: countOf(shape, [sql`${from}${where(matching)}`]),
      next: sql`${next} limit 1 offset ${amount('pageEnd')}`,
      nextAfter: isFoundBehindKey(shape) ? nextAfter : undefined,
    };
  }
  // The first rows of all parts: they contain the rows of the page, and the next one if there is one.
  const further = [...requested, ...afterCursor];
  const rowsWith = (conditions: readonly Fragment[]): Fragment =>
    sql`select ${key} as id${from}${where([...conditions, ...further])}${walk}`;
  const firsts = parts.map(({ conditions, groups }, index) => {
    const first =
      groups !== undefined && dialect.hasLateral && isByKey(shape) && source.indexed.has(groups.column)
        ? firstsOfGroups(
            shape,
            groups.values,
            sql`${rowsWith([sql`${column(groups.column)} = _group.id`, ...groups.others])} limit ${amount('firsts')}`,
            dialect,
          )
        : rowsWith(conditions);
    return sql`select id from (${first} limit ${amount('firsts')}) as ${identifier(`_part${index}`)}`;
  });
  const counted = parts.map(({ conditions }) => sql`${from}${where([...conditions, ...requested])}`);
  return {
    ...clauses,
    found: sql`with ${foundRows} as materialized (${join(firsts, ' union all ')}) `,
    paged: [sql`${key} in (select id from ${foundRows})`],
    count: countOf(shape, counted),
    next: sql`select 1 from ${foundRows} limit 1 offset ${amount('pageEnd')}`,
  };
};
