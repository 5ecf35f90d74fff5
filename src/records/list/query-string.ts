import { Problem } from '../../kernel/problem.ts';

/** One `name=value` of a query string, decoded; `raw` is its text as it came. */
export interface QueryParameter {
  readonly name: string;
  readonly value: string;
  readonly raw: string;
}

/** Characters of a whole query string: 1,000 seven-digit ids in one `in`, and links that repeat it stay short enough. */
const maxQueryLength = 8192;

/** How much of a name is repeated in an answer. */
const shownLength = 100;

/** The refusal of one parameter: 400, naming it. */
export const invalidParameter = (name: string): Problem =>
  new Problem('invalid_parameter', { params: { name: name.slice(0, shownLength).toWellFormed() } });

/** The refusal of a field: the same for one that is hidden and for one that does not exist. */
export const unusableField = (name: string): Problem =>
  new Problem('unusable_field', { params: { name: name.slice(0, shownLength).toWellFormed() } });

/** What HTTP allows in a request target; anything else was sent unescaped. */
const printable = /^[!-~]*$/;

const decode = (text: string): string | undefined => {
  try {
    // Refuses stray percent signs, overlong forms, lone surrogates and whatever else is not UTF-8.
    const decoded = decodeURIComponent(text.replaceAll('+', ' '));
    return decoded.includes('\0') ? undefined : decoded;
  } catch {
    return undefined;
  }
};

/** Splits a raw query string (without `?`) strictly: what cannot be decoded is 400, nothing is repaired. */
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

/** Whether letters of a raw query string are escaped, which they need not be: then any name may stand there. */
export const escapesLetters = (query: string): boolean => /%(?:[46][1-9a-f]|[57][0-9a])/i.test(query);

/** Whether a raw query string may name relations: `include=…`, or a field behind a point. */
export const namesRelations = (query: string): boolean =>
  /include|\.|%2e/i.test(query) || escapesLetters(query);

/** What a URL may not hold between `<` and `>` of a Link header, where it would be read as something else. */
const unsafe = /[^\w\-.~!$&'()*+,;=:@/?%[\]]/g;

/** Characters of one Link header: with the other headers it stays below the 16 KiB that HTTP clients take. */
const maxLength = 12_000;

const relations = ['next', 'prev', 'first', 'last'] as const;

/** What sets a page apart from others of its list, as a query string, by relation to the page that is answered. */
export type Links = { readonly [Relation in (typeof relations)[number]]?: string | undefined };

/** The raw parameters that all pages of a list share, as the beginning of a query string that is safe in a link. */
export const sharedQuery = (parameters: readonly string[]): string =>
  parameters.map((raw) => `${raw.replace(unsafe, encodeURIComponent)}&`).join('');

/** The Link header (RFC 8288) of a page, `next` first; of a very long query only as many links as fit. */
export const linkHeader = (path: string, shared: string, links: Links): string => {
  let header = '';
  for (const relation of relations) {
    const page = links[relation];
    if (page === undefined) continue;
    const link = `${header === '' ? '' : ', '}<${path}?${shared}${page}>; rel="${relation}"`;
    if (header.length + link.length > maxLength) break;
    header += link;
  }
  return header;
};
