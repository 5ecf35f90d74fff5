import { exactTotal, type ListHeaders, noAdjacentPages, pageHeaders } from '../list/list.ts';
import { defaultPerPage, groupParameters, parseCount } from '../list/parameters.ts';
import { invalidParameter, parseQueryString } from '../list/query-string.ts';

/** A page of versions; the first is 1, and the default size is 20. */
export interface VersionPage {
  readonly page: number;
  readonly perPage: number;
}

const pageParameterNames: ReadonlySet<string> = new Set(['page', 'per_page', '_']);
/** @limit Lists | versions of a page of the history | count | 400 */
const maxPerPage = 1000;

/** Parses the raw query string. @throws Problem `invalid_parameter` */
export const parseVersionPage = (query: string): VersionPage => {
  const { single, filters } = groupParameters(parseQueryString(query), pageParameterNames);
  const [page, size] = [single.get('page'), single.get('per_page')];
  // Versions have no filters.
  const [filter] = filters;
  if (filter !== undefined) throw invalidParameter(filter.name);
  return {
    page: page === undefined ? 1 : parseCount('page', page, 1e12),
    perPage: size === undefined ? defaultPerPage : parseCount('per_page', size, maxPerPage),
  };
};

/** The headers of such a page. `path` is the beginning of links, `shared` the parameters that they repeat. */
export const versionHeaders = (
  { page, perPage }: VersionPage,
  path: string,
  total: number,
  shared = '',
): ListHeaders => {
  const parameters = { paging: { kind: 'page', page, perPage, numbered: true }, shared } as const;
  return pageHeaders(parameters, path, exactTotal(total, parameters), noAdjacentPages);
};
