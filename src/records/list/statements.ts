import type { Dialect } from '../../database/dialect.ts';
import { columnOf, comparedValue, isPlain, rowAlias, storedValue } from '../../database/source.ts';
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
import { hasBoundedRows, isBackward, isWhole, type ListArguments, type ListShape } from './parameters.ts';
import { comesAfter, isSeekable, reversed } from './sort.ts';

/** The one row that answers a list request. */
export interface PageRow {
  /** All rows that match, on whatever page. */
  readonly total?: number | null;
  /** The identifier of the statement's snapshot (see `Dialect.snapshotId`). */
  readonly seen?: string | null;
  /** The JSON array of the rows, without those too large for one piece: as text, or as bytes in UTF-8. */
  readonly json: string | Uint8Array;
  /** Rows that were found, where all are asked for. */
  readonly rows?: number;
  /** Bytes that the largest row, and all rows, hold in long columns; null without rows, absent where none is long. */
  readonly widest?: number | null;
  readonly bytes?: number | null;
  /** Places of the rows in the order (see `placesOf`); null without rows. */
  readonly place?: number | string | null;
  /** That of the first row, where places are keys and a cursor was given. */
  readonly first?: number | string | null;
  /** 1 where rows follow the page, or stand before one that is found backwards. */
  readonly more?: number | null;
}

/**
 * How the places of a page's rows are told: by `key`, of which the greatest (or, descending, the least) is the
 * page's last, or as `lines` of JSON arrays in the order of the rows. Undefined where no cursor is to be made.
 */
export const placesOf = ({ paging, sort }: ListShape, dialect: Dialect): 'key' | 'lines' | undefined => {
  if (paging.kind === 'all' || (paging.kind === 'page' && paging.numbered) || !isSeekable(sort))
    return undefined;
  const [first, second] = sort;
  return first !== undefined && second === undefined && isPlain(first.column, dialect) ? 'key' : 'lines';
};

/** PageColumns of the page's rows, and what the answer makes of them. */
interface PageColumns {
  readonly inner: readonly Fragment[];
  readonly outer: readonly Fragment[];
}

/** Where the page ends. */
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

/** How a page comes with its total: counted, counted from the rows that it has found anyway (`countsKept`), or without. */
type Counting = 'counted' | 'kept' | 'uncounted';

/** The columns for how many rows match in all, or whether any follow. */
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

/** The rows as JSON, but for those with too many bytes in long columns, and how many bytes they have. */
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

/** The rows that a page is cut out of, in their order; where the statement says how deep it lies, no others. */
const withinDepth = ({ paging }: ListShape, rows: Fragment): Fragment => {
  if (paging.kind !== 'page' || paging.within === undefined) return rows;
  const row = identifier(rowAlias);
  return sql` from (select ${row}.*${rows} limit ${literal(paging.within)}) as ${row}`;
};

/**
 * The columns of the page's rows. Those before a cursor are found backwards and then put in order. Where columns of
 * the rows that an OFFSET skips are computed as well, the rows are chosen first: what is dear to render is rendered for
 * the page only, however deep it lies.
 */
const pageRows = (
  shape: ListShape,
  { from, paged, order, walk, window }: Clauses,
  columns: readonly Fragment[],
  dialect: Dialect,
): Fragment => {
  const rows = sql`${withinDepth(shape, sql`${from}${where(paged)}${walk}`)}${window}`;
  const chosen = sql`(select ${identifier(rowAlias)}.*${rows}) as ${identifier(rowAlias)}`;
  // The limit once more: without it neither planner need keep the order.
  if (isBackward(shape)) return sql`select ${join(columns)} from ${chosen}${order}${window}`;
  return dialect.computesSkippedRows && shape.paging.kind === 'page'
    ? sql`select ${join(columns)} from ${chosen}`
    : sql`select ${join(columns)}${rows}`;
};

/**
 * The statement whose single row is the answer. The rows are aggregated in the order of the sub-select: its LIMIT
 * forbids both planners to drop or move its ORDER BY, and nothing stands between the two that could reorder.
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

/** Whether a page has to sort all rows that match, because no index returns them in its order. */
const sortsMatches = (shape: ListShape): boolean =>
  shape.paging.kind === 'page' &&
  shape.sort.every(({ column }) => column.expression === undefined) &&
  !isWhole(shape) &&
  !hasBoundedRows(shape);

/**
 * Whether the rows of such a page are chosen by their keys first: a sort that carries whole records, or their JSON, is slower
 * than reading the records of one page again.
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
    // The conditions once more: a joined source has rows of other joins under the same key.
    paged: [dialect.among(key, page), ...paged],
    window: sql` limit ${dialect.rows(param('limit'))}`,
  };
};

/**
 * Whether the keys and sort columns of all matching rows are kept while the statement runs, and the total is a count of these:
 * the rows are found once, not twice. Only for tables that are not large, because it takes memory.
 */
export const countsKept = (shape: ListShape, dialect: Dialect): boolean =>
  dialect.keepsRows && shape.rows.terms.length === 0 && sortsMatches(shape);

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

/** How many rows match, as a row without a page. */
export const countStatement = (shape: ListShape, dialect: Dialect): Statement<ListArguments> =>
  statement<ListArguments>(dialect, (param) => sql`select (${clausesOf(shape, dialect, param).count})`);

/** Whether the rows of the largest page may come to more than is made of them. */
const isHeavy = ({ source, fields, included }: ListShape): boolean =>
  included.length > 0 && mayBeTooMuch(1000, source, fields, included);

/** The rows one by one: those of the page, or all. */
export const streamStatement = (shape: ListShape, dialect: Dialect): Statement<ListArguments> =>
  statement<ListArguments>(dialect, (param) => {
    const clauses = clausesOf(shape, dialect, param);
    const json = sql`${projection(shape.source, shape.fields, dialect)} as json`;
    if (shape.paging.kind !== 'all') return sql`${clauses.found}${pageRows(shape, clauses, [json], dialect)}`;
    const { from, following, order } = clauses;
    return sql`select ${json}${from}${where(following)}${order}`;
  });

/** Which of the sort values of the rows at the ends of a page are null; absent where that end is open. */
export interface Ends {
  readonly last: readonly boolean[];
  readonly first?: readonly boolean[] | undefined;
}

/**
 * The rows of a page one by one between places that were told before, so that the cursors that were given with it and
 * the rows agree whatever was written in between.
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
