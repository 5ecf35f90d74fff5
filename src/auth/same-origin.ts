import type { AuthRequest } from './method.ts';

/**
 * Host header: a name or an address with an optional port, and no character by which a URL could name another host.
 */
const hostForm = /^[A-Za-z0-9._-]+(?::\d{1,5})?$|^\[[0-9A-Fa-f:.]+\](?::\d{1,5})?$/;

/**
 * Schemes of the service's pages. A page that came over http does not belong to a service on https; the reverse is
 * harmless.
 */
const schemesOf = (baseUrl: string): readonly string[] =>
  new URL(baseUrl).protocol === 'https:' ? ['https'] : ['http', 'https'];

const originsOfHost = (host: string | undefined, baseUrl: string): readonly (string | undefined)[] =>
  host === undefined || !hostForm.test(host)
    ? []
    : schemesOf(baseUrl).map((scheme) => URL.parse(`${scheme}://${host}`)?.origin);

/**
 * True if the browser says that the request comes from a page of this service: an `Origin` equal to that of the base
 * URL or of `Host`, or `Sec-Fetch-Site: same-origin`, which no page can set by itself. Without either the result is
 * false.
 */
export const sameOrigin = (request: Pick<AuthRequest, 'header'>, baseUrl: string): boolean => {
  if (request.header('sec-fetch-site') === 'same-origin') return true;
  const origin = request.header('origin');
  if (origin === undefined) return false;
  return (
    origin === new URL(baseUrl).origin || originsOfHost(request.header('host'), baseUrl).includes(origin)
  );
};
