/** Sessions of the administration area: their lifetimes, and their cookie with its stored form. */

import { createHmac, randomBytes } from 'node:crypto';
import { toTimestamp } from '../kernel/clock.ts';
import { deriveKey, type Rekeyable } from './derived-key.ts';

/**
 * Maximum lifetime of a session in seconds.
 * @limit Accounts and credentials | a session of the administration area | s | 401
 */
export const sessionLifetime = 24 * 60 * 60;

/**
 * Seconds without a request after which a session ends.
 * @limit Accounts and credentials | a session of the administration area without a request | s | 401
 */
export const sessionIdleTime = 2 * 60 * 60;

/** Timestamps after which a valid session was begun and last used. */
export const sessionLimitsAt = (now: number) => ({
  born: toTimestamp(now - sessionLifetime * 1000),
  idle: toTimestamp(now - sessionIdleTime * 1000),
});

/** The cookie of the administration area: its name, its values and their stored form. */
export interface SessionCookies {
  readonly name: string;
  readonly baseUrl: string;
  /** A new id, for the cookie, and its hash, for the database. */
  create(): { readonly id: string; readonly hash: string };
  /** HMAC-SHA256 of an id, lowercase hex, under a key derived from the JWT secret. */
  hash(id: string): string;
  /** Set-Cookie that starts a session. */
  set(id: string): string;
  /** Set-Cookie that removes it. */
  clear(): string;
}

const isSecure = (baseUrl: string): boolean => new URL(baseUrl).protocol === 'https:';

/** The prefix makes browsers refuse the cookie from any other host or path, and over plain http. */
export const sessionCookieName = (baseUrl: string): string =>
  isSecure(baseUrl) ? '__Host-gatewright_session' : 'gatewright_session';

const keyOf = (secret: string) => deriveKey(secret, 'gatewright session');

export const createSessionCookies = (secret: string, baseUrl: string): SessionCookies & Rekeyable => {
  let key = keyOf(secret);
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
    replaceSecret(next) {
      key = keyOf(next);
    },
  };
};

/** Trims space and tab around a pair. Wider trimming would accept a foreign name as ours. */
const trim = (text: string): string => text.replace(/^[ \t]+|[ \t]+$/g, '');

/** All values of the cookies of exactly this name in a Cookie header, as they were sent (RFC 6265, 4.2). */
export const cookieValues = (header: string, name: string): readonly string[] => {
  const values: string[] = [];
  for (const pair of header.split(';')) {
    const equals = pair.indexOf('=');
    if (equals >= 0 && trim(pair.slice(0, equals)) === name) values.push(trim(pair.slice(equals + 1)));
  }
  return values;
};
