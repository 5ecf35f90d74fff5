/** What a URL may hold between `<` and `>` of a Link header without being read as something else. */
const unsafe = /[^\w\-.~!$&'()*+,;=:@/?%[\]]/g;

/** Characters of one Link header: with the other headers it stays below the 16 KiB that HTTP clients take. */
const maxLength = 12_000;

export type LinkRelation = 'first' | 'prev' | 'next' | 'last';
export type PagingParameters = Readonly<Record<string, string | number>>;

/**
 * The Link header (RFC 8288) of a page. `shared` are the raw query parameters that all pages have in common. Links
 * are given in order of use, `next` first; of a very long query only as many as fit.
 */
export const linkHeader = (
  path: string,
  shared: readonly string[],
  links: Readonly<Partial<Record<LinkRelation, PagingParameters>>>,
): string => {
  const common = shared.map((part) => part.replace(unsafe, encodeURIComponent));
  let header = '';
  for (const relation of ['next', 'prev', 'first', 'last'] as const) {
    const paging = links[relation];
    if (paging === undefined) continue;
    const query = [...common, ...Object.entries(paging).map(([name, value]) => `${name}=${value}`)];
    const link = `<${path}?${query.join('&')}>; rel="${relation}"`;
    if (header.length + link.length > maxLength) break;
    header += header === '' ? link : `, ${link}`;
  }
  return header;
};
