import { alone, type ListHeaders, pageHeaders } from '../list/list.ts';
import { defaultPerPage, parseCount, sortOut } from '../list/parameters.ts';
import { invalidParameter, parseQueryString } from '../list/query-string.ts';

/** A page of versions, from 1 on, 20 of them unless the request says otherwise. */
export interface VersionPage {
  readonly page: number;
  readonly perPage: number;
}

const known: ReadonlySet<string> = new Set(['page', 'per_page', '_']);
const maxPerPage = 1000;

/** Reads the raw query string. @throws Problem `invalid_parameter` */
export const parseVersionPage = (query: string): VersionPage => {
  const { single, filters } = sortOut(parseQueryString(query), known);
  const [page, size] = [single.get('page'), single.get('per_page')];
  // Versions are not searched.
  const [filter] = filters;
  if (filter !== undefined) throw invalidParameter(filter.name);
  return {
    page: page === undefined ? 1 : parseCount('page', page, 1e12),
    perPage: size === undefined ? defaultPerPage : parseCount('per_page', size, maxPerPage),
  };
};

/** The headers of such a page. `path` as links begin with it, `shared` the parameters that they repeat. */
export const versionHeaders = (
  { page, perPage }: VersionPage,
  path: string,
  total: number,
  shared = '',
): ListHeaders =>
  pageHeaders({ paging: { kind: 'page', page, perPage, numbered: true }, shared }, path, total, alone);
