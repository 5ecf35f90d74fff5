import type { Database } from '../../database/database.ts';
import { dialectOf } from '../../database/registry.ts';
import type { Source } from '../../database/source.ts';
import { BoundedCache } from '../../kernel/bounded-cache.ts';
import { type Clock, systemClock } from '../../kernel/clock.ts';
import type { Grant, RowCondition } from '../../policy/grant.ts';
import type { Related } from '../relations/related.ts';
import { type RowReach, reachOf } from '../rows/reach.ts';
import { SourceViews } from '../view.ts';
import { isBackward, type ListParameters, type ListShape, parseListParameters } from './parameters.ts';
import { ListPlanner, type PreparedList } from './plan.ts';
import { type Links, linkHeader } from './query-string.ts';
import { type FoundRows, type ListPurpose, ListRun, type PageEnds } from './run.ts';
import { encodeCursor, parsePlace } from './sort.ts';
import type { PageRow } from './statements.ts';

/** What a page tells of the pages around it. */

export interface ListHeaders {
  /** All records that match, on whatever page. */
  readonly 'X-Total-Count'?: string;
  readonly Link?: string;
}

/** Cursors to the pages beside one that is told by cursor. */
interface Beside {
  readonly next: string | undefined;
  readonly prev: string | undefined;
}

export const alone: Beside = { next: undefined, prev: undefined };

/** The cursor that begins a walk. */
const start = '';

/** The places of a page's ends; undefined where it is empty, or they are told by number. */
const endsOf = ({ plan, parameters: { paging } }: PreparedList, row: PageRow): PageEnds | undefined => {
  if (plan.places === undefined || row.place == null) return undefined;
  if (plan.places === 'key') return { first: [row.first ?? row.place], last: [row.place] };
  const lines = String(row.place);
  // Only behind a cursor does anybody ask for the first.
  return { first: paging.kind === 'after' ? parsePlace(lines, 'first') : undefined, last: parsePlace(lines) };
};

/**
 * Cursors to the pages beside this one. The way back leads to the rows before the first of this page, not to the page
 * before: so no row is skipped or met twice while others write, in whichever direction somebody goes.
 */
const besideOf = (
  { parameters: { sort, paging } }: PreparedList,
  row: PageRow,
  ends: PageEnds | undefined,
): Beside => {
  const next = ends?.last && encodeCursor(sort, ends.last);
  const prev = ends?.first && encodeCursor(sort, ends.first, 'before');
  if (paging.kind === 'page')
    return { next: Number(row.total ?? 0) > paging.perPage ? next : undefined, prev: undefined };
  const more = row.more != null;
  if (paging.kind !== 'after') return alone;
  // Behind a page that was found backwards is at least the one from which somebody came.
  if (paging.before === true) return { next: next ?? start, prev: more ? prev : undefined };
  if (paging.values.length === 0) return { next: more ? next : undefined, prev: undefined };
  return { next: more ? next : undefined, prev: prev ?? encodeCursor(sort, [], 'before') };
};

const pageLinks = (page: number, perPage: number, total: number): Links => {
  const last = Math.max(1, Math.ceil(total / perPage));
  const link = (number: number): string => `page=${number}&per_page=${perPage}`;
  return {
    first: link(1),
    last: link(last),
    ...(page > 1 && { prev: link(Math.min(page - 1, last)) }),
    ...(page < last && { next: link(page + 1) }),
  };
};

/** Links of a caller who counts no pages. */
const cursorLinks = (perPage: number, { next, prev }: Beside): Links => {
  const link = (cursor: string): string => `per_page=${perPage}&after=${cursor}`;
  return {
    first: `per_page=${perPage}`,
    ...(prev !== undefined && { prev: link(prev) }),
    ...(next !== undefined && { next: link(next) }),
  };
};

export const pageHeaders = (
  { paging, shared }: Pick<ListParameters, 'paging' | 'shared'>,
  path: string,
  total: number,
  beside: Beside,
): ListHeaders => {
  if (paging.kind === 'all') return {};
  const { perPage } = paging;
  if (paging.kind === 'after') return { Link: linkHeader(path, shared, cursorLinks(perPage, beside)) };
  const pages = pageLinks(paging.page, perPage, total);
  const links = paging.numbered ? pages : { last: pages.last, ...cursorLinks(perPage, beside) };
  return { 'X-Total-Count': String(total), Link: linkHeader(path, shared, links) };
};

/** The ends that the rows of a streamed page keep to: those for which it was answered a cursor. */
const streamedEnds = ({ plan }: PreparedList, { next }: Beside, ends: PageEnds | undefined): PageEnds => {
  if (next === undefined || ends === undefined) return {};
  return isBackward(plan.shape) ? ends : { last: ends.last };
};

/** A JSON array; end the iterator of its pieces to free its place. */
export type ListAnswer = {
  readonly headers: ListHeaders;
  readonly page?: PageFacts;
  /** What was asked for: the fields of each record, and where they come from. */
  readonly shape: ListShape;
} & FoundRows;

/** What the headers of a page say, for whoever asks from inside. */
interface PageFacts {
  /** Undefined where a page is told by cursor: nothing is counted then. */
  readonly total: number | undefined;
  /** Cursor to the next page. */
  readonly next: string | undefined;
}

/** The records of an answer, in memory: for whoever asks from inside. */
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
  /** What links begin with: base URL and path, escaped as a URL is. */
  readonly path: string;
  /** What the caller reads of the records to which relations lead; nothing where absent. */
  readonly related?: Related | undefined;
  /** The session by which it is asked for: what a personal source marks. */
  readonly session?: number | undefined;
}

export interface ListOptions {
  /** The largest page; 1,000 unless given. */
  readonly maxPerPage?: number;
  readonly clock?: Clock;
}

/**
 * Lists what a grant lets see. `extra` are further conditions that rows must meet, such as being published. Throws
 * the problems `invalid_parameter` and `unusable_field` for a query that it does not take, and what the database
 * throws.
 */
export type List = (
  grant: Grant,
  request: ListRequest,
  extra?: readonly RowCondition[],
) => Promise<ListAnswer>;

/** Of who may see no row. */
const noPage = (list: PreparedList): PageFacts => ({
  total: list.plan.counted ? 0 : undefined,
  next: undefined,
});

/** Queries up to this length are remembered as they were read. */
const rememberedLength = 1024;

/**
 * The way from a query string to the JSON text of its rows:
 *
 *     grant → view (which fields), row filter (which rows)
 *     query string → parameters → shape → plan (its SQL, compiled once)      remembered for view, filter and query
 *     plan + values → rows: a page in one statement, more of them as a stream
 *     page → headers (total, links, cursors)
 */
export const createList = (database: Database, source: Source, options: ListOptions = {}): List => {
  const { maxPerPage = 1000, clock = systemClock } = options;
  const views = new SourceViews(source);
  const planner = new ListPlanner(dialectOf(database));
  const run = new ListRun(database, source, clock);
  /** By view, columns of the row filter and query string: another view or filter is another key. */
  const prepared = new BoundedCache<PreparedList>(500);

  /** Reads and compiles a query for a view and a row filter. */
  const prepare = (
    grant: Grant,
    rows: RowReach | undefined,
    query: string,
    related: Related | undefined,
  ): PreparedList => {
    const { view, id } = views.of(grant.readable);
    const key = `${id} ${rows?.key ?? ''}\n${query}`;
    const known = prepared.get(key);
    if (known !== undefined) return known;
    const parameters = parseListParameters(view, query, maxPerPage, related);
    const list = planner.prepare(view, rows, parameters);
    // What relations lead to is the caller's own matter.
    if (query.length <= rememberedLength && parameters.related === undefined) prepared.set(key, list);
    return list;
  };

  return async (grant, { query, path, related, session = null, ...purpose }, extra = []) => {
    const rows = reachOf(grant, extra);
    const known = prepare(grant, rows, query, related);
    // What is remembered is everybody's.
    const list = session === null ? known : { ...known, values: { ...known.values, credential: session } };
    const { shape } = list.plan;
    // Who may see no row is answered without the database.
    if (rows === undefined)
      return { json: '[]', shape, headers: pageHeaders(list.parameters, path, 0, alone), page: noPage(list) };
    if (list.parameters.paging.kind === 'all')
      return { ...(await run.all(list, rows, purpose)), shape, headers: {} };
    const { row, json } = await run.page(list, rows, purpose);
    const ends = endsOf(list, row);
    const beside = besideOf(list, row, ends);
    const headers = pageHeaders(list.parameters, path, Number(row.total ?? 0), beside);
    const page = { total: list.plan.counted ? Number(row.total ?? 0) : undefined, next: beside.next };
    if (json !== undefined) return { json, shape, headers, page };
    const chunks = await run.stream(list, rows, streamedEnds(list, beside, ends), purpose);
    return { chunks, shape, headers, page };
  };
};
