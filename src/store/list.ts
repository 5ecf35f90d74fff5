import { BoundedCache } from '../kernel/bounded-cache.ts';
import { type Clock, systemClock } from '../kernel/clock.ts';
import type { Grant, RowCondition } from '../policy/grant.ts';
import { encodeCursor, parsePlace } from './cursor.ts';
import type { Asker, Database } from './database.ts';
import { type Links, linkHeader } from './links.ts';
import {
  type AnchorPaging,
  type ListParameters,
  type Paging,
  parseListParameters,
  type View,
} from './list-parameters.ts';
import { ListPlanner, type PreparedList } from './list-plan.ts';
import { type FoundRows, ListRows, type PageEnds } from './list-rows.ts';
import type { PageRow } from './query.ts';
import { invalidParameter } from './query-string.ts';
import { type Scope, scopeOf, Views } from './scope.ts';
import { isBackward } from './shape.ts';
import type { Source } from './source.ts';

export interface ListHeaders {
  /** All records that match, on whatever page. */
  readonly 'X-Total-Count'?: string;
  readonly Link?: string;
}

/** A JSON array; end the iterator of its pieces to free its place. */
export type ListAnswer = { readonly headers: ListHeaders } & FoundRows;

export interface ListRequest {
  /** The raw query string, without `?`. */
  readonly query: string;
  /** What links begin with: base URL and path, escaped as a URL is. */
  readonly path: string;
  /** Who asks, for the limits of what nothing bounds; the service itself where absent. */
  readonly by?: Asker;
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

/** A request as it was read. With an anchor, its place is looked up before it can be prepared. */
type ReadRequest =
  | { readonly kind: 'prepared'; readonly list: PreparedList }
  | {
      readonly kind: 'anchored';
      readonly view: View;
      readonly parameters: ListParameters<Paging | AnchorPaging>;
      readonly anchor: AnchorPaging;
    };

/** Queries up to this length are remembered as they were read. */
const rememberedLength = 1024;

/** The places of a page's ends; undefined where it is empty, or they are told by number. */
const endsOf = ({ places, parameters: { paging } }: PreparedList, row: PageRow): PageEnds | undefined => {
  if (places === undefined || row.place == null) return undefined;
  if (places === 'key') return { first: [row.first ?? row.place], last: [row.place] };
  const lines = String(row.place);
  // Only behind a cursor does anybody ask for the first.
  return { first: paging.kind === 'after' ? parsePlace(lines, 'first') : undefined, last: parsePlace(lines) };
};

/** The pages beside one that is told by cursor. */
interface Beside {
  readonly next: string | undefined;
  readonly prev: string | undefined;
}

/** The cursor that begins a walk. */
const start = '';

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
  if (paging.kind !== 'after') return { next: undefined, prev: undefined };
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

const headersOf = (
  { paging, shared }: ListParameters,
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

const alone: Beside = { next: undefined, prev: undefined };

/** The ends that the rows of a streamed page keep to: those for which it was answered a cursor. */
const streamed = ({ parameters }: PreparedList, { next }: Beside, ends: PageEnds | undefined): PageEnds => {
  if (next === undefined || ends === undefined) return {};
  return isBackward(parameters) ? ends : { last: ends.last };
};

class SourceList {
  readonly #maxPerPage: number;
  readonly #views: Views;
  readonly #planner: ListPlanner;
  readonly #rows: ListRows;
  readonly #requests = new BoundedCache<ReadRequest>('listRequests');

  constructor(database: Database, source: Source, options: ListOptions) {
    this.#maxPerPage = options.maxPerPage ?? 1000;
    this.#views = new Views(source);
    this.#planner = new ListPlanner(database.dialect);
    this.#rows = new ListRows(database, source, options.clock ?? systemClock);
  }

  async list(grant: Grant, request: ListRequest, extra: readonly RowCondition[]): Promise<ListAnswer> {
    const scope = scopeOf(grant, extra);
    const read = this.#read(grant, scope, request.query);
    if (scope === undefined) return this.#nothing(read, request.path);
    const list = read.kind === 'prepared' ? read.list : await this.#behindAnchor(read, scope);
    if (list.parameters.paging.kind === 'all') {
      return { ...(await this.#rows.all(list, scope, request.by)), headers: {} };
    }
    const { row, json } = await this.#rows.page(list, scope, request.by);
    const ends = endsOf(list, row);
    const beside = besideOf(list, row, ends);
    const headers = headersOf(list.parameters, request.path, Number(row.total ?? 0), beside);
    if (json !== undefined) return { json, headers };
    return {
      chunks: await this.#rows.stream(list, scope, streamed(list, beside, ends), request.by),
      headers,
    };
  }

  /** Reads and compiles a query for a view and a row filter; a repeated one is remembered. */
  #read(grant: Grant, scope: Scope | undefined, query: string): ReadRequest {
    const { view, id } = this.#views.of(grant.readable);
    const key = `${id} ${scope?.key ?? ''}\n${query}`;
    const known = this.#requests.get(key);
    if (known !== undefined) return known;
    const parameters = parseListParameters(view, query, this.#maxPerPage);
    const { paging } = parameters;
    const read: ReadRequest =
      paging.kind === 'anchor'
        ? { kind: 'anchored', view, parameters, anchor: paging }
        : {
            kind: 'prepared',
            list: this.#planner.prepare(view, scope?.columns ?? [], { ...parameters, paging }),
          };
    if (query.length <= rememberedLength) this.#requests.set(key, read);
    return read;
  }

  /** The answer for callers who may see no row: the database need not be asked. */
  #nothing(read: ReadRequest, path: string): ListAnswer {
    const headers = read.kind === 'prepared' ? headersOf(read.list.parameters, path, 0, alone) : {};
    return { json: '[]', headers };
  }

  /** Throws the problem `invalid_parameter` where the row that the cursor names is gone or out of scope. */
  async #behindAnchor(
    { view, parameters, anchor }: Extract<ReadRequest, { kind: 'anchored' }>,
    scope: Scope,
  ): Promise<PreparedList> {
    const values = await this.#rows.anchor(parameters.sort, scope, anchor.key);
    if (values === undefined) throw invalidParameter('after');
    const { perPage, before } = anchor;
    const paging = { kind: 'after', perPage, values, ...(before && { before }) } as const;
    return this.#planner.prepare(view, scope.columns, { ...parameters, paging });
  }
}

/** Makes the list of a source: everything between a query string and its JSON text. */
export const createList = (database: Database, source: Source, options: ListOptions = {}): List => {
  const made = new SourceList(database, source, options);
  return (grant, request, extra = []) => made.list(grant, request, extra);
};
