import { createHmac, randomBytes } from 'node:crypto';
import { deriveKey } from './derived-key.ts';

/** Seconds that a session lives at most. */
export const sessionLifetime = 24 * 60 * 60;

/** Seconds without a request after which a session is over. */
export const sessionIdleTime = 2 * 60 * 60;

/** The cookie of the administration area: its name, its values and how they are stored. */
export interface SessionCookies {
  readonly name: string;
  readonly baseUrl: string;
  /** A new id, for the cookie, and its hash, for the database. */
  create(): { readonly id: string; readonly hash: string };
  /** HMAC-SHA256 of an id, lowercase hex, under a key derived from the JWT secret. */
  hash(id: string): string;
  /** Set-Cookie that hands out a session. */
  set(id: string): string;
  /** Set-Cookie that takes it away. */
  clear(): string;
}

const isSecure = (baseUrl: string): boolean => new URL(baseUrl).protocol === 'https:';

/** The prefix makes browsers refuse the cookie from any other host, path or from plain http. */
export const sessionCookieName = (baseUrl: string): string =>
  isSecure(baseUrl) ? '__Host-gatewright_session' : 'gatewright_session';

export const createSessionCookies = (secret: string, baseUrl: string): SessionCookies => {
  const key = deriveKey(secret, 'gatewright session');
  const secure = isSecure(baseUrl);
  const name = sessionCookieName(baseUrl);
  const hash = (id: string): string => createHmac('sha256', key).update(id).digest('hex');
  const cookie = (value: string, maxAge: number): string =>
    `${name}=${value}; Max-Age=${maxAge}; Path=/; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`;
  return {
    name,
    baseUrl,
    create() {
      const id = randomBytes(32).toString('base64url');
      return { id, hash: hash(id) };
    },
    hash,
    set: (id) => cookie(id, sessionLifetime),
    clear: () => cookie('', 0),
  };
};
