/** `createList`: the way of a list from grant and query string to the JSON text of its rows. */

import type { Database } from '../../database/database.ts';
import { rankedMatches } from '../../database/search.ts';
import type { Source } from '../../database/source.ts';
import { BoundedCache } from '../../kernel/bounded-cache.ts';
import { type Clock, systemClock } from '../../kernel/clock.ts';
import type { Grant, RowCondition } from '../../policy/grant.ts';
import type { Related } from '../relations/related.ts';
import { type RowReach, reachOf } from '../rows/reach.ts';
import { readerOf, SourceViews } from '../view.ts';
import {
  countedRows,
  isBackward,
  type ListParameters,
  type ListShape,
  parseListParameters,
} from './parameters.ts';
import { ListPlanner, type PreparedList } from './plan.ts';
import { type Links, linkHeader } from './query-string.ts';
import { type FoundRows, type ListPurpose, ListRun, type PageEnds } from './run.ts';
import { encodeCursor, parsePlace } from './sort.ts';
import type { PageRow } from './statements.ts';

export interface ListHeaders {
  /** Number of matching records on all pages. */
  readonly 'X-Total-Count'?: string;
  /** For an estimated total: `eq` if it is that number, `gte` if there are that many or more. */
  readonly 'X-Total-Count-Relation'?: TotalRelation;
  readonly Link?: string;
}

type TotalRelation = 'eq' | 'gte';

/** The number of matching records that a page tells, and whether records follow it. */
interface PageTotal {
  /** Undefined if nothing was counted. */
  readonly count: number | undefined;
  /** Relation of all matching records to an estimated count; undefined for an exact one. */
  readonly relation?: TotalRelation | undefined;
  readonly more: boolean;
}

/** Cursors to the adjacent pages. */
interface AdjacentCursors {
  readonly next: string | undefined;
  readonly prev: string | undefined;
}

export const noAdjacentPages: AdjacentCursors = { next: undefined, prev: undefined };

/** The cursor of the first page. */
const startCursor = '';

/** The sort values of a page's first and last row; undefined if it is empty, or paged by number only. */
const endsOf = ({ plan, parameters: { paging } }: PreparedList, row: PageRow): PageEnds | undefined => {
  if (plan.places === undefined || row.place == null) return undefined;
  if (plan.places === 'key') return { first: [row.first ?? row.place], last: [row.place] };
  const lines = String(row.place);
  // The first row is needed only for a page after a cursor.
  return { first: paging.kind === 'after' ? parsePlace(lines, 'first') : undefined, last: parsePlace(lines) };
};

/**
 * Makes the cursors to the adjacent pages. `prev` leads to the rows before the first row of this page, so that
 * concurrent writes never make a caller skip or repeat a row in either direction.
 */
const adjacentCursors = (
  { parameters: { sort, paging } }: PreparedList,
  { more }: PageTotal,
  ends: PageEnds | undefined,
): AdjacentCursors => {
  const next = ends?.last && encodeCursor(sort, ends.last);
  const prev = ends?.first && encodeCursor(sort, ends.first, 'before');
  if (paging.kind === 'page') return { next: more ? next : undefined, prev: undefined };
  if (paging.kind !== 'after') return noAdjacentPages;
  // A page before a cursor always has a next page: the one with that cursor.
  if (paging.before === true) return { next: next ?? startCursor, prev: more ? prev : undefined };
  if (paging.values.length === 0) return { next: more ? next : undefined, prev: undefined };
  return { next: more ? next : undefined, prev: prev ?? encodeCursor(sort, [], 'before') };
};

const pageLinks = (page: number, perPage: number, { count, relation, more }: PageTotal): Links => {
  // Only a number of all records tells the last page.
  const isKnown = count !== undefined && relation !== 'gte';
  const last = isKnown ? Math.max(1, Math.ceil(count / perPage)) : undefined;
  const link = (number: number): string => `page=${number}&per_page=${perPage}`;
  return {
    first: link(1),
    last: last === undefined ? undefined : link(last),
    prev: page > 1 ? link(Math.min(page - 1, last ?? page)) : undefined,
    next: more ? link(page + 1) : undefined,
  };
};

/** Links by cursor. */
const cursorLinks = (perPage: number, { next, prev }: AdjacentCursors): Links => {
  const link = (cursor: string | undefined): string | undefined =>
    cursor === undefined ? undefined : `per_page=${perPage}&after=${cursor}`;
  return { first: `per_page=${perPage}`, prev: link(prev), next: link(next) };
};

export const pageHeaders = (
  { paging, shared }: Pick<ListParameters, 'paging' | 'shared'>,
  path: string,
  total: PageTotal,
  adjacent: AdjacentCursors,
): ListHeaders => {
  if (paging.kind === 'all') return {};
  const { perPage } = paging;
  if (paging.kind === 'after') return { Link: linkHeader(path, shared, cursorLinks(perPage, adjacent)) };
  const pages = pageLinks(paging.page, perPage, total);
  const links = paging.numbered ? pages : { last: pages.last, ...cursorLinks(perPage, adjacent) };
  const link = linkHeader(path, shared, links);
  const { count, relation } = total;
  if (count === undefined) return { Link: link };
  const counted = { 'X-Total-Count': String(count), Link: link };
  return relation === undefined ? counted : { ...counted, 'X-Total-Count-Relation': relation };
};

/** An exact total, for the headers of a page. */
export const exactTotal = (count: number, { paging }: Pick<ListParameters, 'paging'>): PageTotal => ({
  count,
  more: paging.kind === 'page' && paging.page * paging.perPage < count,
});

/** The total of a page that was read. */
const totalOf = ({ plan: { shape }, parameters, values }: PreparedList, row: PageRow): PageTotal => {
  const count = Number(row.total ?? 0);
  if (shape.total === 'exact') return exactTotal(count, parameters);
  const more = row.more != null;
  if (shape.total === 'none') return { count: undefined, more };
  // A ranked search has a bound of its own, and counts to the first record behind the page.
  const most = shape.ranked ? Math.max(rankedMatches - 1, values.pageEnd) : countedRows;
  if (count <= most) return { count, relation: 'eq', more };
  return { count: shape.ranked ? count : most, relation: 'gte', more };
};

/** The rows between which a page is streamed, so that it agrees with its cursors. */
const streamedEnds = (
  { plan }: PreparedList,
  { next }: AdjacentCursors,
  ends: PageEnds | undefined,
): PageEnds => {
  if (next === undefined || ends === undefined) return {};
  return isBackward(plan.shape) ? ends : { last: ends.last };
};

/** A JSON array, whole or in chunks. Call `return` of the iterator of chunks to release its snapshot. */
export type ListAnswer = {
  readonly headers: ListHeaders;
  readonly page?: PageFacts;
  /** The shape of the request, with the fields of each record. */
  readonly shape: ListShape;
} & FoundRows;

/** The values of a page's headers, for code of the application. */
interface PageFacts {
  /** Undefined if nothing was counted. */
  readonly total: number | undefined;
  /** True if there are that many or more. */
  readonly atLeast: boolean;
  /** True if records follow the page. */
  readonly more: boolean;
  /** Cursor to the next page. */
  readonly next: string | undefined;
}

/** Reads the records of a list into memory, for code of the application. */
export const listedRows = async (answer: ListAnswer): Promise<Readonly<Record<string, unknown>>[]> => {
  if ('json' in answer)
    return JSON.parse(typeof answer.json === 'string' ? answer.json : Buffer.from(answer.json).toString());
  let text = '';
  for await (const chunk of answer.chunks) text += chunk;
  return JSON.parse(text);
};

export interface ListRequest extends ListPurpose {
  /** The raw query string, without `?`. */
  readonly query: string;
  /** The beginning of links: base URL and path, escaped as in a URL. */
  readonly path: string;
  /** The caller's readership of related models; none if absent. */
  readonly related?: Related | undefined;
  /** The caller's session, which a personal source marks. */
  readonly session?: number | undefined;
}

export interface ListOptions {
  /** The largest page; 1,000 by default. */
  readonly maxPerPage?: number;
  readonly clock?: Clock;
}

/**
 * Lists the records of a grant. `extra` are further conditions on rows, such as being published.
 * @throws Problem `invalid_parameter`, `unusable_field`; errors of the database
 */
export type List = (
  grant: Grant,
  request: ListRequest,
  extra?: readonly RowCondition[],
) => Promise<ListAnswer>;

/** The row of a caller who may see none. */
const noRow = { json: '[]' } satisfies PageRow;

const pageFacts = (
  { paging }: ListParameters,
  { count, relation, more }: PageTotal,
  { next }: AdjacentCursors,
): PageFacts => ({
  total: count,
  atLeast: relation === 'gte',
  more: paging.kind === 'after' ? next !== undefined : more,
  next,
});

/** Most characters of a query whose parsed form is cached. */
const maxCachedQueryLength = 1024;

/**
 * From a query string to the JSON text of its rows:
 *
 *     grant → view (which fields), row filter (which rows)
 *     query string → parameters → shape → plan (its SQL, compiled once)      cached for view, filter and query
 *     plan + values → rows: a page in one statement, more of them as a stream
 *     page → headers (total, links, cursors)
 */
export const createList = (database: Database, source: Source, options: ListOptions = {}): List => {
  const { maxPerPage = 1000, clock = systemClock } = options;
  const views = new SourceViews(source);
  const planner = new ListPlanner(database.dialect);
  const run = new ListRun(database, source, clock);
  /** Parsed and compiled queries, by view, columns of the row filter and query string. */
  const prepared = new BoundedCache<PreparedList>(500);

  /** Parses and compiles a query for a view and a row filter. */
  const prepare = (
    grant: Grant,
    rows: RowReach | undefined,
    query: string,
    related: Related | undefined,
  ): PreparedList => {
    const { view, id } = views.of(grant);
    const key = `${id} ${rows?.key ?? ''}\n${query}`;
    const cached = prepared.get(key);
    if (cached !== undefined) return cached;
    const parameters = parseListParameters(view, query, maxPerPage, related);
    const list = planner.prepare(view, rows, parameters);
    // The plan of a query with relations depends on the caller's readership of related models.
    if (query.length <= maxCachedQueryLength && parameters.related === undefined) prepared.set(key, list);
    return list;
  };

  return async (grant, { query, path, related, session = null, ...purpose }, extra = []) => {
    const rows = reachOf(grant, extra);
    const forAll = prepare(grant, rows, query, related);
    // The cached values are shared by all callers.
    const list = { ...forAll, values: { ...forAll.values, credential: session, ...readerOf(grant) } };
    const { shape } = list.plan;
    // No row may be read: no statement is needed.
    if (rows === undefined) {
      const total = totalOf(list, noRow);
      const headers = pageHeaders(list.parameters, path, total, noAdjacentPages);
      return { ...noRow, shape, headers, page: pageFacts(list.parameters, total, noAdjacentPages) };
    }
    if (list.parameters.paging.kind === 'all')
      return { ...(await run.all(list, rows, purpose)), shape, headers: {} };
    const { row, json } = await run.page(list, rows, purpose);
    const ends = endsOf(list, row);
    const total = totalOf(list, row);
    const adjacent = adjacentCursors(list, total, ends);
    const headers = pageHeaders(list.parameters, path, total, adjacent);
    const page = pageFacts(list.parameters, total, adjacent);
    if (json !== undefined) return { json, shape, headers, page };
    const chunks = await run.stream(list, rows, streamedEnds(list, adjacent, ends), purpose);
    return { chunks, shape, headers, page };
  };
};
