import type { AuthRequest } from './method.ts';

/** Host header: a name or an address, perhaps a port; nothing with which a URL could be made to mean another host. */
const hostForm = /^[A-Za-z0-9._-]+(?::\d{1,5})?$|^\[[0-9A-Fa-f:.]+\](?::\d{1,5})?$/;

/** A page that came over http is not of the origin of a service that is https; the other way round nothing is lost. */
const schemesOf = (baseUrl: string): readonly string[] =>
  new URL(baseUrl).protocol === 'https:' ? ['https'] : ['http', 'https'];

const originsOfHost = (host: string | undefined, baseUrl: string): readonly (string | undefined)[] =>
  host === undefined || !hostForm.test(host)
    ? []
    : schemesOf(baseUrl).map((scheme) => URL.parse(`${scheme}://${host}`)?.origin);

/**
 * Whether the browser says that the request comes from a page of this service: an `Origin` equal to that of the base
 * URL or of `Host`, or `Sec-Fetch-Site: same-origin`, which no page can set by itself. Silence is a no.
 */
export const sameOrigin = (request: Pick<AuthRequest, 'header'>, baseUrl: string): boolean => {
  if (request.header('sec-fetch-site') === 'same-origin') return true;
  const origin = request.header('origin');
  if (origin === undefined) return false;
  return (
    origin === new URL(baseUrl).origin || originsOfHost(request.header('host'), baseUrl).includes(origin)
  );
};
