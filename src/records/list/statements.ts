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
import { behindKey, type Clauses, clausesOf, isFoundBehindKey, joiningOf } from './clauses.ts';
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
  /** Number of matching rows on all pages; of an estimate at most one more than `countedRows`. */
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
  /** 1 if rows follow the page, or precede one that is read backwards; absent if the total is exact. */
  readonly more?: number | null;
  /** The key of the last row of a full page, for the page that follows; see `startsBehindKeys`. */
  readonly last_key?: number | string | null;
}

/** The part of a page that a count alone returns. */
export type CountedRow = Pick<PageRow, 'total' | 'seen'>;

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

const columnOfKey = ({ source }: ListShape, dialect: Dialect): Fragment =>
  storedValue(columnOf(source, source.key), dialect);

/** The least or the greatest key among rows. */
const extremeKey = (
  of: 'min' | 'max',
  value: Fragment,
  { source }: ListShape,
  { columns }: Dialect,
): Fragment => {
  const { type } = columnOf(source, source.key);
  return columns[type.column].extreme?.(of, value) ?? sql`${sql.raw(of)}(${value})`;
};

/** Columns of the page's rows, and the columns of the single row that aggregate these. */
interface PageColumns {
  readonly inner: readonly Fragment[];
  readonly outer: readonly Fragment[];
}

/** The columns for the sort values at the ends of the page. */
const placeColumns = (shape: ListShape, dialect: Dialect): PageColumns => {
  const { sort, paging } = shape;
  const places = placesOf(shape, dialect);
  if (places === undefined) return { inner: [], outer: [] };
  if (places === 'lines') {
    const place = dialect.arrayText(sort.map(({ column }) => comparedValue(column, dialect)));
    const lines = dialect.joined(sql`row_place`, literal('\n'));
    return { inner: [sql`${place} as row_place`], outer: [sql`${lines} as place`] };
  }
  const key = columnOfKey(shape, dialect);
  const [least, greatest] = (['min', 'max'] as const).map((of) =>
    extremeKey(of, sql`row_place`, shape, dialect),
  ) as [Fragment, Fragment];
  const [first, last] = sort[0]?.descending ? [greatest, least] : [least, greatest];
  const outer = [sql`${last} as place`];
  if (paging.kind === 'after') outer.push(sql`${first} as first`);
  return { inner: [sql`${key} as row_place`], outer };
};

/**
 * The total of a page: counted, counted from the rows that the page keeps (`countsKept`), or left out; `behind`: left
 * out of a page that is found behind a key (`startsBehindKeys`).
 */
type Counting = 'counted' | 'kept' | 'uncounted' | 'behind';

/** True if a page without its total can be found behind the key of an earlier row, and returns its own last key. */
export const startsBehindKeys = (shape: ListShape): boolean =>
  shape.total === 'exact' && shape.included.length === 0 && isFoundBehindKey(shape) && hasBoundedRows(shape);

/**
 * The columns for the total, and for whether rows follow, which an exact total tells: a look behind the page, or the key
 * from which it begins.
 */
const countColumns = (
  shape: ListShape,
  clauses: Clauses,
  dialect: Dialect,
  param: Argument<ListArguments>,
  counting: Counting,
): readonly Fragment[] => {
  const { paging, total, sort } = shape;
  const { count, next } = clauses;
  if (paging.kind === 'all') return [sql`count(*) as rows`];
  const last = extremeKey(sort[0]?.descending === true ? 'min' : 'max', sql`row_key`, shape, dialect);
  const more =
    lookBehind(shape, clauses) === undefined
      ? sql`${ifFull(sql`(${next})`, dialect, param)} as more`
      : sql`${ifFull(last, dialect, param)} as last_key`;
  if (total === 'none') return [more];
  const { snapshotId } = dialect;
  const columns = counting === 'counted' || counting === 'kept' ? [sql`(${count}) as total`] : [];
  if (snapshotId !== undefined) columns.push(sql`${snapshotId} as seen`);
  if (startsBehindKeys(shape)) columns.push(sql`${ifFull(last, dialect, param)} as last_key`);
  if (total === 'estimate') columns.push(more);
  return columns;
};

/** The look behind a page by the key of its last row; undefined if it is made otherwise, or not needed. */
const lookBehind = (shape: ListShape, { nextAfter }: Clauses): Clauses['nextAfter'] =>
  shape.total === 'exact' || isHeavy(shape) ? undefined : nextAfter;

/** A value for a full page. Nothing follows another one, so nothing is looked for behind it. */
const ifFull = (value: Fragment, dialect: Dialect, param: Argument<ListArguments>): Fragment =>
  sql`case when count(*) < ${dialect.rows(param('limit'))} then null else ${value} end`;

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
    const clauses = pagedBy[counting](shape, found, dialect, param);
    const rows = rowColumns(shape, dialect, param);
    const places = placeColumns(shape, dialect);
    const behind = lookBehind(shape, clauses);
    const inner = [...rows.inner, ...places.inner];
    if (behind !== undefined || startsBehindKeys(shape))
      inner.push(sql`${columnOfKey(shape, dialect)} as row_key`);
    const counts = countColumns(shape, clauses, dialect, param, counting);
    const outer = [...rows.outer, ...places.outer, ...counts];
    const page = pageRows(shape, clauses, inner, dialect);
    const row = sql`select ${join(outer)} from (${page}) as page`;
    if (behind !== undefined)
      return sql`${clauses.found}select _page.*, (${behind(sql`_page.last_key`)}) as more from (${row}) as _page`;
    if (!isHeavy(shape)) return sql`${clauses.found}${row}`;
    const { rows: fitted, count } = fitting(page, dialect);
    return sql`${clauses.found}select ${join([...outer, sql`${count} as fitted`])} from (${fitted}) as page`;
  });

/** True if a page has to sort all rows that match, because no index returns them in its order. */
const sortsMatches = (shape: ListShape): boolean =>
  shape.paging.kind === 'page' &&
  !shape.ranked &&
  shape.sort.every(({ column }) => isBare(column)) &&
  columnOf(shape.source, shape.source.key).parts === undefined &&
  !isUnfiltered(shape) &&
  !hasBoundedRows(shape);

/**
 * True if the keys of such a page are selected first: sorting whole records, or their JSON, is slower than reading the
 * records of one page again.
 */
const choosesByKey = (shape: ListShape, dialect: Dialect): boolean =>
  !dialect.computesSkippedRows && sortsMatches(shape);

/** The rows of a page behind the key `from`, with an offset from there. */
const rowsBehind = (
  shape: ListShape,
  clauses: Clauses,
  dialect: Dialect,
  param: Argument<ListArguments>,
): Clauses => ({
  ...clauses,
  paged: [...clauses.paged, behindKey(shape, param('from', 0), dialect)],
});

const chosen = (
  shape: ListShape,
  clauses: Clauses,
  dialect: Dialect,
  param: Argument<ListArguments>,
): Clauses => (choosesByKey(shape, dialect) ? chosenByKey(shape, clauses, dialect, param) : clauses);

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
  dialect.prefersMaterializedCount &&
  shape.total === 'exact' &&
  shape.rows.terms.length === 0 &&
  sortsMatches(shape);

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

/** The clauses of a page, by the way in which its rows are found and counted. */
const pagedBy: Readonly<Record<Counting, typeof chosen>> = {
  counted: chosen,
  uncounted: chosen,
  kept: keptRows,
  behind: rowsBehind,
};

/** The statement that counts the matching rows. */
export const countStatement = (shape: ListShape, dialect: Dialect): Statement<ListArguments> =>
  statement<ListArguments>(dialect, (param) => {
    const { found, count } = clausesOf(shape, dialect, param);
    return shape.ranked ? sql`${found}select (${count}) as total` : sql`select (${count}) as total`;
  });

/** A statement that reads what the total and the order of the keys depend on; it does not run. */
export const keysStatement = (shape: ListShape, dialect: Dialect): Statement<ListArguments> =>
  statement<ListArguments>(dialect, (param) => {
    const { from, matching, order } = clausesOf(shape, dialect, param);
    const key = storedValue(columnOf(shape.source, shape.source.key), dialect);
    return sql`select ${key}${from}${where(matching)}${order}`;
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
