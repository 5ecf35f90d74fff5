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
