import { parseVersionPage, type VersionPage } from '../history/page.ts';
import { invalidParameter, parseQueryString } from '../list/query-string.ts';

const trashed = 'trashed';

/** The parameters beside `trashed=true`; undefined where that is not among them. @throws Problem `invalid_parameter` */
const besideTrashed = (query: string): string | undefined => {
  // Nearly every request asks for what is there.
  if (!query.includes(trashed)) return undefined;
  const parameters = parseQueryString(query);
  const asked = parameters.filter(({ name }) => name === trashed);
  const [only] = asked;
  if (only === undefined) return undefined;
  if (asked.length > 1 || only.value !== 'true') throw invalidParameter(trashed);
  return parameters
    .filter((each) => each !== only)
    .map(({ raw }) => raw)
    .join('&');
};

/** Which page of the deleted records a list is asked for; undefined where it is asked for what is there. */
export const parseTrashPage = (query: string): VersionPage | undefined => {
  const rest = besideTrashed(query);
  return rest === undefined ? undefined : parseVersionPage(rest);
};

/** Whether one record is asked for as one that was deleted. Nothing else is taken then. */
export const parseTrashed = (query: string): boolean => {
  const rest = besideTrashed(query);
  const [other] = rest === undefined ? [] : parseQueryString(rest).filter(({ name }) => name !== '_');
  if (other !== undefined) throw invalidParameter(other.name);
  return rest !== undefined;
};
