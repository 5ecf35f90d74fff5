/** Addresses to which the browser returns after a sign-in with a provider, and that may receive its one-time code. */

/** Paths of the API: none is a page, and some redirect. */
const apiPath = '/api/v1';

/** Times that a path is decoded at most: a proxy before the service may decode it once more than the service does. */
const maxDecodings = 5;

/** Returns the readings of a path by servers and proxies, as it is and decoded; undefined where decoding has no end. */
const readings = (pathname: string): readonly string[] | undefined => {
  const found = [pathname];
  for (let path = pathname; found.length <= maxDecodings; ) {
    let decoded: string;
    try {
      decoded = decodeURIComponent(path);
    } catch {
      return undefined;
    }
    if (decoded === path) return found;
    found.push(decoded);
    path = decoded;
  }
  return undefined;
};

const isOfApi = (path: string, basePath: string): boolean => {
  // A later decoder resolves dot segments that were encoded twice.
  const { pathname } = new URL(path.replace(/[\\/]+/g, '/'), 'http://none');
  return [apiPath, `${basePath}${apiPath}`]
    .map((each) => each.toLowerCase())
    .some((each) => `${pathname.toLowerCase()}/`.startsWith(`${each}/`));
};

/**
 * The path of a page to which a sign-in with a provider returns, with resolved dot segments; undefined for an address
 * of another host, a text that a browser reads as such, and a path of the API: an endpoint that redirects would hand on
 * the one-time code.
 * @param baseUrl `BASE_URL`, which may have a path
 */
export const returnPathOf = (text: string, baseUrl: string): string | undefined => {
  const { origin, pathname: base } = new URL(baseUrl);
  if (!/^\/(?!\/)[\x21-\x7e]{0,1999}$/.test(text) || /[\\#]|%5c/i.test(text)) return undefined;
  const url = URL.parse(text, origin);
  if (url === null || url.origin !== origin || url.pathname.startsWith('//')) return undefined;
  const paths = readings(url.pathname);
  const basePath = base.replace(/\/+$/, '');
  if (paths === undefined || paths.some((path) => path.includes('\\') || isOfApi(path, basePath)))
    return undefined;
  return url.pathname + url.search;
};

/**
 * The address of a page that can exchange a one-time code: one of this service's own origin, since the code is bound to
 * a cookie of the service. Undefined for any other.
 * @param home `accounts.home` of the application
 */
export const arrivalOf = (home: string | undefined, baseUrl: string): string | undefined => {
  const { origin } = new URL(baseUrl);
  const url = home === undefined ? null : URL.parse(home);
  return url?.origin === origin ? returnPathOf(url.pathname + url.search, baseUrl) : undefined;
};
