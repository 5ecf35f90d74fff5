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
import { type FoundRows, ListRows } from './list-rows.ts';
import type { PageRow } from './query.ts';
import { invalidParameter } from './query-string.ts';
import { type Scope, scopeOf, Views } from './scope.ts';
import type { Sort } from './sort.ts';
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

/** The row's place behind which the next page begins; undefined where there is none, or it is told by number. */
const nextPlace = ({ places, parameters: { paging } }: PreparedList, row: PageRow) => {
  const follows = paging.kind === 'page' ? Number(row.total ?? 0) > paging.perPage : row.more != null;
  if (places === undefined || !follows || row.place == null) return undefined;
  return places === 'key' ? [row.place] : parsePlace(String(row.place));
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

/** Links of a caller who counts no pages: led on by cursor, no row is skipped or met twice while others write. */
const cursorLinks = (sort: Sort, perPage: number, place: readonly unknown[] | undefined): Links => {
  const first = `per_page=${perPage}`;
  return place === undefined ? { first } : { first, next: `${first}&after=${encodeCursor(sort, place)}` };
};

const headersOf = (
  { sort, paging, shared }: ListParameters,
  path: string,
  total: number,
  place: readonly unknown[] | undefined,
): ListHeaders => {
  if (paging.kind === 'all') return {};
  const { perPage } = paging;
  if (paging.kind === 'after') return { Link: linkHeader(path, shared, cursorLinks(sort, perPage, place)) };
  const pages = pageLinks(paging.page, perPage, total);
  const links = paging.numbered ? pages : { last: pages.last, ...cursorLinks(sort, perPage, place) };
  return { 'X-Total-Count': String(total), Link: linkHeader(path, shared, links) };
};

class SourceList {
  readonly #maxPerPage: number;
  readonly #views: Views;
  readonly #planner: ListPlanner;
  readonly #rows: ListRows;
  readonly #requests = new BoundedCache<ReadRequest>(500);

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
    const place = nextPlace(list, row);
    const headers = headersOf(list.parameters, request.path, Number(row.total ?? 0), place);
    return json === undefined
      ? { chunks: await this.#rows.stream(list, scope, place, request.by), headers }
      : { json, headers };
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
    const headers = read.kind === 'prepared' ? headersOf(read.list.parameters, path, 0, undefined) : {};
    return { json: '[]', headers };
  }

  /** Throws the problem `invalid_parameter` where the row that the cursor names is gone or out of scope. */
  async #behindAnchor(
    { view, parameters, anchor }: Extract<ReadRequest, { kind: 'anchored' }>,
    scope: Scope,
  ): Promise<PreparedList> {
    const values = await this.#rows.anchor(parameters.sort, scope, anchor.key);
    if (values === undefined) throw invalidParameter('after');
    const paging = { kind: 'after', perPage: anchor.perPage, values } as const;
    return this.#planner.prepare(view, scope.columns, { ...parameters, paging });
  }
}

/** Makes the list of a source: everything between a query string and its JSON text. */
export const createList = (database: Database, source: Source, options: ListOptions = {}): List => {
  const made = new SourceList(database, source, options);
  return (grant, request, extra = []) => made.list(grant, request, extra);
};
