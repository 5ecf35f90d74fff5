/** The statements of a list: the page as one row of JSON, the count, and the stream. */

import type { Dialect } from '../../database/dialect.ts';
import { columnOf, comparedValue, isBare, isPlain, rowAlias, storedValue } from '../../database/source.ts';
import {
  type Argument,
  type Fragment,
  identifier,
  join,
  literal,
  type Statement,
  sql,
  statement,
  where,
} from '../../database/statement.ts';
import { mayBeTooMuch } from '../relations/include.ts';
import { fitting, recordText } from '../relations/record-text.ts';
import { longBytes, projection } from '../view.ts';
import { type Clauses, clausesOf, joiningOf } from './clauses.ts';
import {
  hasBoundedRows,
  isBackward,
  isUnfiltered,
  type ListArguments,
  type ListShape,
} from './parameters.ts';
import { comesAfter, isSeekable, reversed } from './sort.ts';

/** The single row of a list statement: the whole page. */
export interface PageRow {
  /** Number of matching rows on all pages. */
  readonly total?: number | null;
  /** The identifier of the statement's snapshot (see `Dialect.snapshotId`). */
  readonly seen?: string | null;
  /** The JSON array of the rows, without those too large for one piece: as text, or as bytes in UTF-8. */
  readonly json: string | Uint8Array;
  /** Number of rows of an unpaged list. */
  readonly rows?: number;
  /** Bytes of the largest row, and of all rows, in long columns; null without rows, absent if no column is long. */
  readonly widest?: number | null;
  readonly bytes?: number | null;
  /** Sort values of the rows (see `placesOf`); null without rows. */
  readonly place?: number | string | null;
  /** The key of the first row, if the request has a cursor and is sorted by key. */
  readonly first?: number | string | null;
  /** 1 if rows follow the page, or precede one that is read backwards. */
  readonly more?: number | null;
}

/**
 * The form in which a statement returns the sort values of a page: `key`, the greatest (or, descending, the least) key;
 * or `lines` of JSON arrays in the order of the rows. Undefined if no cursor is needed.
 */
export const placesOf = ({ paging, sort }: ListShape, dialect: Dialect): 'key' | 'lines' | undefined => {
  if (paging.kind === 'all' || (paging.kind === 'page' && paging.numbered) || !isSeekable(sort))
    return undefined;
  const [first, second] = sort;
  return first !== undefined && second === undefined && isPlain(first.column, dialect) ? 'key' : 'lines';
};

/** Columns of the page's rows, and the columns of the single row that aggregate these. */
interface PageColumns {
  readonly inner: readonly Fragment[];
  readonly outer: readonly Fragment[];
}

/** The columns for the sort values at the ends of the page. */
const placeColumns = (shape: ListShape, dialect: Dialect): PageColumns => {
  const { source, sort, paging } = shape;
  const places = placesOf(shape, dialect);
  if (places === undefined) return { inner: [], outer: [] };
  if (places === 'lines') {
    const place = dialect.arrayText(sort.map(({ column }) => comparedValue(column, dialect)));
    const lines = dialect.joined(sql`row_place`, literal('\n'));
    return { inner: [sql`${place} as row_place`], outer: [sql`${lines} as place`] };
  }
  const key = storedValue(columnOf(source, source.key), dialect);
  const [least, greatest] = [sql`min(row_place)`, sql`max(row_place)`];
  const [first, last] = sort[0]?.descending ? [greatest, least] : [least, greatest];
  const outer = [sql`${last} as place`];
  if (paging.kind === 'after') outer.push(sql`${first} as first`);
  return { inner: [sql`${key} as row_place`], outer };
};

/** The total of a page: counted, counted from the rows that the page keeps (`countsKept`), or left out. */
type Counting = 'counted' | 'kept' | 'uncounted';

/** The columns for the total, or for whether rows follow. */
const countColumns = (
  { paging }: ListShape,
  { count, next }: Clauses,
  { snapshotId }: Dialect,
  counting: Counting,
): readonly Fragment[] => {
  if (paging.kind === 'all') return [sql`count(*) as rows`];
  if (paging.kind === 'after') return [sql`(${next}) as more`];
  const seen = snapshotId === undefined ? [] : [sql`${snapshotId} as seen`];
  return counting === 'uncounted' ? seen : [sql`(${count}) as total`, ...seen];
};

/** The columns for the JSON of the rows, except for rows with too many bytes in long columns, and for these bytes. */
const rowColumns = (
  { source, fields, included }: ListShape,
  dialect: Dialect,
  param: Argument<ListArguments>,
): PageColumns => {
  const joined = dialect.joined(sql`row_json`, literal(','));
  const answer = sql`${dialect.answer(sql`'[' || coalesce(${joined}, '') || ']'`)} as json`;
  if (included.length > 0) {
    const text = recordText(source, fields, included, joiningOf(dialect, param), rowAlias);
    return { inner: [sql`${text} as row_json`], outer: [answer] };
  }
  const json = projection(source, fields, dialect);
  const bytes = longBytes(
    fields.map((of) => columnOf(source, of)),
    dialect,
  );
  if (bytes === undefined) return { inner: [sql`${json} as row_json`], outer: [answer] };
  const light = sql`case when ${bytes} > ${param('rowBytes')} then null else ${json} end`;
  return {
    inner: [sql`${light} as row_json`, sql`${bytes} as row_bytes`],
    outer: [answer, sql`max(row_bytes) as widest`, sql`sum(row_bytes) as bytes`],
  };
};

/** The rows that contain the page, in their order, up to the literal bound if there is one. */
const withinDepth = ({ paging }: ListShape, rows: Fragment): Fragment => {
  if (paging.kind === 'all' || paging.within === undefined) return rows;
  const row = identifier(rowAlias);
  return sql` from (select ${row}.*${rows} limit ${literal(paging.within)}) as ${row}`;
};

/**
 * The columns of the page's rows. Rows before a cursor are read backwards and then put in order. On a database that
 * also computes the columns of rows that an OFFSET skips, the rows are selected first, so that only the page is
 * rendered.
 */
const pageRows = (
  shape: ListShape,
  { from, paged, order, walk, window }: Clauses,
  columns: readonly Fragment[],
  dialect: Dialect,
): Fragment => {
  const rows = sql`${withinDepth(shape, sql`${from}${where(paged)}${walk}`)}${window}`;
  const chosen = sql`(select ${identifier(rowAlias)}.*${rows}) as ${identifier(rowAlias)}`;
  // The limit is repeated: without it both planners may drop the order.
  if (isBackward(shape)) return sql`select ${join(columns)} from ${chosen}${order}${window}`;
  return dialect.computesSkippedRows && shape.paging.kind === 'page'
    ? sql`select ${join(columns)} from ${chosen}`
    : sql`select ${join(columns)}${rows}`;
};

/**
 * The statement whose single row is the page. The rows are aggregated in the order of the sub-select: its LIMIT
 * prevents both planners from dropping or moving its ORDER BY, and nothing between the two reorders.
 */
export const pageStatement = (
  shape: ListShape,
  dialect: Dialect,
  counting: Counting = 'counted',
): Statement<ListArguments> =>
  statement<ListArguments>(dialect, (param) => {
    const found = clausesOf(shape, dialect, param);
    const clauses =
      counting === 'kept'
        ? keptRows(shape, found, dialect, param)
        : choosesByKey(shape, dialect)
          ? chosenByKey(shape, found, dialect, param)
          : found;
    const rows = rowColumns(shape, dialect, param);
    const places = placeColumns(shape, dialect);
    const inner = [...rows.inner, ...places.inner];
    const counts = countColumns(shape, clauses, dialect, counting);
    const outer = [...rows.outer, ...places.outer, ...counts];
    const page = pageRows(shape, clauses, inner, dialect);
    if (!isHeavy(shape)) return sql`${clauses.found}select ${join(outer)} from (${page}) as page`;
    const { rows: fitted, count } = fitting(page, dialect);
    return sql`${clauses.found}select ${join([...outer, sql`${count} as fitted`])} from (${fitted}) as page`;
  });

/** True if a page has to sort all rows that match, because no index returns them in its order. */
const sortsMatches = (shape: ListShape): boolean =>
  shape.paging.kind === 'page' &&
  !shape.ranked &&
  shape.sort.every(({ column }) => isBare(column)) &&
  !isUnfiltered(shape) &&
  !hasBoundedRows(shape);

/**
 * True if the keys of such a page are selected first: sorting whole records, or their JSON, is slower than reading the
 * records of one page again.
 */
const choosesByKey = (shape: ListShape, dialect: Dialect): boolean =>
  !dialect.computesSkippedRows && sortsMatches(shape);

const chosenByKey = (
  { source }: ListShape,
  clauses: Clauses,
  dialect: Dialect,
  param: Argument<ListArguments>,
): Clauses => {
  const { from, paged, walk, window } = clauses;
  const key = storedValue(columnOf(source, source.key), dialect);
  const page = sql`select ${key}${from}${where(paged)}${walk}${window}`;
  return {
    ...clauses,
    // The conditions are repeated: a joined source may have several rows with the same key.
    paged: [dialect.among(key, page), ...paged],
    window: sql` limit ${dialect.rows(param('limit'))}`,
  };
};

/**
 * True if the statement materializes the keys and sort columns of all matching rows, and counts these for the total:
 * the rows are read once, not twice. Only for tables that are not large, because it takes memory.
 */
export const countsKept = (shape: ListShape, dialect: Dialect): boolean =>
  dialect.prefersMaterializedCount && shape.rows.terms.length === 0 && sortsMatches(shape);

const kept = identifier('_matching');

const keptRows = (
  { source, sort }: ListShape,
  clauses: Clauses,
  dialect: Dialect,
  param: Argument<ListArguments>,
): Clauses => {
  const { from, matching, walk, window } = clauses;
  const columns = [...new Set([source.key, ...sort.map(({ column }) => column.name)])];
  const column = (of: string): Fragment => storedValue(columnOf(source, of), dialect);
  const rows = sql`select ${join(columns.map(column))}${from}${where(matching)}`;
  const key = column(source.key);
  const page = sql`select ${key} from ${kept} as ${identifier(rowAlias)}${walk}${window}`;
  return {
    ...clauses,
    found: sql`with ${kept} as materialized (${rows}) `,
    paged: [dialect.among(key, page)],
    window: sql` limit ${dialect.rows(param('limit'))}`,
    count: sql`select count(*) from ${kept}`,
  };
};

/** The statement that counts the matching rows. */
export const countStatement = (shape: ListShape, dialect: Dialect): Statement<ListArguments> =>
  statement<ListArguments>(dialect, (param) => {
    const { found, count } = clausesOf(shape, dialect, param);
    return shape.ranked ? sql`${found}select (${count})` : sql`select (${count})`;
  });

/** True if the largest page, with related records, may exceed the size limit of a response. */
const isHeavy = ({ source, fields, included }: ListShape): boolean =>
  included.length > 0 && mayBeTooMuch(1000, source, fields, included);

/** The statement that returns the rows one by one: those of the page, or all. */
export const streamStatement = (shape: ListShape, dialect: Dialect): Statement<ListArguments> =>
  statement<ListArguments>(dialect, (param) => {
    const clauses = clausesOf(shape, dialect, param);
    const json = sql`${projection(shape.source, shape.fields, dialect)} as json`;
    if (shape.paging.kind !== 'all') return sql`${clauses.found}${pageRows(shape, clauses, [json], dialect)}`;
    const { found, from, following, order } = clauses;
    return sql`${found}select ${json}${from}${where(following)}${order}`;
  });

/** For the first and last row of a page: whether each sort value is null. `first` is absent if that end is open. */
export interface Ends {
  readonly last: readonly boolean[];
  readonly first?: readonly boolean[] | undefined;
}

/**
 * The statement that returns the rows of a page one by one between given sort values, so that the rows agree with the
 * cursors in the headers despite concurrent writes.
 */
export const streamBetweenStatement = (
  shape: ListShape,
  { last, first }: Ends,
  dialect: Dialect,
): Statement<ListArguments> =>
  statement<ListArguments>(dialect, (param) => {
    const { source, fields, sort } = shape;
    const { from, following, order } = clausesOf(shape, dialect, param);
    const beyond = comesAfter(sort, last, dialect, (index) => param('until', index));
    const conditions = [...following, sql`(${beyond}) is not true`];
    if (first !== undefined) {
      const short = comesAfter(reversed(sort), first, dialect, (index) => param('from', index));
      conditions.push(sql`(${short}) is not true`);
    }
    return sql`select ${projection(source, fields, dialect)} as json${from}${where(conditions)}${order}`;
  });
