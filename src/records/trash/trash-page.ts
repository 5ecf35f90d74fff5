import { parseVersionPage, type VersionPage } from '../history/history-page.ts';
import { invalidParameter, parseQueryString } from '../list/query-string.ts';

const trashed = 'trashed';

/**
 * True if a query names the parameter, whatever its value. It must be so wherever `parseTrashPage` returns a page: the
 * policy depends on it.
 */
export const asksForTrash = (query: string): boolean => {
  if (!query.includes(trashed)) return false;
  try {
    return parseQueryString(query).some(({ name }) => name === trashed);
  } catch {
    // The list refuses a query that is none.
    return false;
  }
};

/** The parameters without `trashed=true`; undefined if the query lacks it. @throws Problem `invalid_parameter` */
const withoutTrashed = (query: string): string | undefined => {
  // Nearly no request is for deleted records.
  if (!query.includes(trashed)) return undefined;
  const parameters = parseQueryString(query);
  const named = parameters.filter(({ name }) => name === trashed);
  const [only] = named;
  if (only === undefined) return undefined;
  if (named.length > 1 || only.value !== 'true') throw invalidParameter(trashed);
  return parameters
    .filter((each) => each !== only)
    .map(({ raw }) => raw)
    .join('&');
};

/** Parses the page of a list of deleted records; undefined if the request is for existing records. */
export const parseTrashPage = (query: string): VersionPage | undefined => {
  const rest = withoutTrashed(query);
  return rest === undefined ? undefined : parseVersionPage(rest);
};

/** True if a request is for a deleted record. @throws Problem `invalid_parameter` for any other parameter then */
export const parseTrashed = (query: string): boolean => {
  const rest = withoutTrashed(query);
  const [other] = rest === undefined ? [] : parseQueryString(rest).filter(({ name }) => name !== '_');
  if (other !== undefined) throw invalidParameter(other.name);
  return rest !== undefined;
};
