import { credentialHeaders } from '../auth/registry.ts';

/** Headers that a script may read of an answer. */
const exposed = ['X-Total-Count', 'Link', 'ETag', 'Retry-After'];

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'].join(', ');

/** Headers that a script may send. */
const allowed = [
  ...credentialHeaders,
  ...['Idempotency-Key', 'If-Match', 'If-None-Match', 'Last-Event-ID', 'Content-Type'],
];

/** Seconds for which a browser may keep the answer to a preflight. */
const maxAge = '600';

export type CorsHeaders = Readonly<Record<string, string>>;

/**
 * What browsers are told about pages of other origins (Fetch standard, 3.2). An origin is compared as it stands with
 * those of the list: no pattern, no wildcard, and never credentials, as no cookie of ours may work across origins.
 */
export class Cors {
  readonly #origins: ReadonlySet<string>;
  readonly #exposed: string;
  readonly #allowed: string;

  /** @param both headers that a script may read of an answer and send, beside those that it always may */
  constructor(origins: readonly string[], both: readonly string[] = []) {
    this.#origins = new Set(origins);
    this.#exposed = [...exposed, ...both].join(', ');
    this.#allowed = [...allowed, ...both].join(', ');
  }

  /** For every answer; one that differs by origin says so to caches. */
  headers(origin: string | undefined): CorsHeaders {
    if (origin === undefined || !this.#origins.has(origin)) return { vary: 'Origin' };
    return {
      vary: 'Origin',
      'access-control-allow-origin': origin,
      'access-control-expose-headers': this.#exposed,
    };
  }

  /** What is added to them for the question before a request; an origin that is not listed learns nothing. */
  preflight(origin: string | undefined): CorsHeaders {
    if (origin === undefined || !this.#origins.has(origin)) return {};
    return {
      'access-control-allow-methods': methods,
      'access-control-allow-headers': this.#allowed,
      'access-control-max-age': maxAge,
    };
  }
}

/** Whether a request is that question; any other OPTIONS is a method like another. */
export const isPreflight = (request: { readonly method: string; header(name: string): string | undefined }) =>
  request.method === 'OPTIONS' &&
  request.header('origin') !== undefined &&
  request.header('access-control-request-method') !== undefined;
