/** Response headers that a script may read. */
const exposed = [
  'X-Total-Count',
  'X-Total-Count-Relation',
  'Link',
  'ETag',
  'Retry-After',
  'Preference-Applied',
];

/** Headers of rate-limited responses only. */
const exposedOfLimits = ['RateLimit', 'RateLimit-Policy'];

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'].join(', ');

/** Request headers that a script may send beside those of the methods of authentication. */
const allowed = ['Idempotency-Key', 'If-Match', 'If-None-Match', 'Last-Event-ID', 'Prefer', 'Content-Type'];

/** Time for which a browser may cache the response to a preflight. */
const preflightMaxAgeSeconds = '600';

export type CorsHeaders = Readonly<Record<string, string>>;

/**
 * The CORS headers (Fetch standard, 3.2). An origin is compared literally with those of the list: no pattern, no
 * wildcard, and never credentials, as no cookie of this service may work across origins.
 */
export class Cors {
  readonly #origins: ReadonlySet<string>;
  readonly #exposed: string;
  readonly #exposedLimited: string;
  readonly #allowed: string;

  /**
   * @param credentials headers of the methods of authentication
   * @param moreHeaders further headers that a script may both send and read
   */
  constructor(
    origins: readonly string[],
    credentials: readonly string[],
    moreHeaders: readonly string[] = [],
  ) {
    this.#origins = new Set(origins);
    this.#exposed = [...exposed, ...moreHeaders].join(', ');
    this.#exposedLimited = [this.#exposed, ...exposedOfLimits].join(', ');
    this.#allowed = [...credentials, ...allowed, ...moreHeaders].join(', ');
  }

  /** Returns the headers of every response to this origin; `Vary` keeps caches from mixing up origins. */
  headers(origin: string | undefined, isLimited: boolean): CorsHeaders {
    if (origin === undefined || !this.#origins.has(origin)) return { vary: 'Origin' };
    return {
      vary: 'Origin',
      'access-control-allow-origin': origin,
      'access-control-expose-headers': isLimited ? this.#exposedLimited : this.#exposed,
    };
  }

  /** Returns the further headers of a response to a preflight; none for an origin that is not listed. */
  preflight(origin: string | undefined): CorsHeaders {
    if (origin === undefined || !this.#origins.has(origin)) return {};
    return {
      'access-control-allow-methods': methods,
      'access-control-allow-headers': this.#allowed,
      'access-control-max-age': preflightMaxAgeSeconds,
    };
  }
}

/** Tells whether a request is a preflight; any other OPTIONS is a method like any other. */
export const isPreflight = (request: { readonly method: string; header(name: string): string | undefined }) =>
  request.method === 'OPTIONS' &&
  request.header('origin') !== undefined &&
  request.header('access-control-request-method') !== undefined;
