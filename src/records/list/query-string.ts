import { Problem } from '../../kernel/problem.ts';

/** One `name=value` of a query string, decoded; `raw` is its original text. */
export interface QueryParameter {
  readonly name: string;
  readonly value: string;
  readonly raw: string;
}

/** Most characters of a query string: enough for 1,000 seven-digit ids in one `in`, and not too long for links. */
const maxQueryLength = 8192;

/** Most characters of a name in an error message. */
const shownLength = 100;

/** The refusal of one parameter: 400, naming it. */
export const invalidParameter = (name: string): Problem =>
  new Problem('invalid_parameter', { params: { name: name.slice(0, shownLength).toWellFormed() } });

/** The refusal of a field: the same for one that is hidden and for one that does not exist. */
export const unusableField = (name: string): Problem =>
  new Problem('unusable_field', { params: { name: name.slice(0, shownLength).toWellFormed() } });

/** Characters that HTTP allows in a request target; others must be escaped. */
const printable = /^[!-~]*$/;

const decode = (text: string): string | undefined => {
  try {
    // Throws for stray percent signs, overlong forms, lone surrogates and other invalid UTF-8.
    const decoded = decodeURIComponent(text.replaceAll('+', ' '));
    return decoded.includes('\0') ? undefined : decoded;
  } catch {
    return undefined;
  }
};

/** Parses a raw query string (without `?`). @throws Problem `invalid_parameter` for text that cannot be decoded */
export const parseQueryString = (raw: string): QueryParameter[] => {
  if (raw.length > maxQueryLength || !printable.test(raw)) throw invalidParameter('?');
  const parameters: QueryParameter[] = [];
  for (const part of raw.split('&')) {
    if (part === '') continue;
    const equals = part.indexOf('=');
    const rawName = equals === -1 ? part : part.slice(0, equals);
    const name = decode(rawName);
    const value = equals === -1 ? '' : decode(part.slice(equals + 1));
    if (name === undefined || value === undefined) throw invalidParameter(name ?? rawName);
    parameters.push({ name, value, raw: part });
  }
  return parameters;
};

/** Whether letters of a raw query string are escaped without need: then it may contain any name. */
export const escapesLetters = (query: string): boolean => /%(?:[46][1-9a-f]|[57][0-9a])/i.test(query);

/** Whether a raw query string may name relations: by `include=…`, or by a path such as `customer.name`. */
export const namesRelations = (query: string): boolean =>
  /include|\.|%2e/i.test(query) || escapesLetters(query);

/** Characters that a URL must escape between `<` and `>` of a Link header. */
const unsafe = /[^\w\-.~!$&'()*+,;=:@/?%[\]]/g;

/** Most characters of a Link header: with the other headers it stays below the 16 KiB that HTTP clients accept. */
const maxLinkHeaderLength = 12_000;

const relations = ['next', 'prev', 'first', 'last'] as const;

/** The paging parameters of linked pages as query strings, by relation to the current page. */
export type Links = { readonly [Relation in (typeof relations)[number]]?: string | undefined };

/** The raw parameters that all pages of a list share, escaped for links, as the beginning of a query string. */
export const sharedQuery = (parameters: readonly string[]): string =>
  parameters.map((raw) => `${raw.replace(unsafe, encodeURIComponent)}&`).join('');

/** The Link header (RFC 8288) of a page, `next` first; for a very long query only as many links as fit. */
export const linkHeader = (path: string, shared: string, links: Links): string => {
  let header = '';
  for (const relation of relations) {
    const page = links[relation];
    if (page === undefined) continue;
    const link = `${header === '' ? '' : ', '}<${path}?${shared}${page}>; rel="${relation}"`;
    if (header.length + link.length > maxLinkHeaderLength) break;
    header += link;
  }
  return header;
};
