import { createHmac, randomBytes } from 'node:crypto';
import type { Clock } from '../kernel/clock.ts';
import { Problem } from '../kernel/problem.ts';
import type { ProblemName } from '../kernel/problem-table.ts';
import { cookieValues } from './cookie.ts';
import { deriveKey } from './derived-key.ts';
import { type AuthMethod, type AuthOutcome, absent } from './method.ts';
import type { IdentityStore } from './ports.ts';
import { sameOrigin } from './same-origin.ts';
import { userPrincipal } from './user-principal.ts';

/** Seconds that a session lives at most. */
export const sessionLifetime = 24 * 60 * 60;

/** Seconds without a request after which a session is over. */
export const sessionIdleTime = 2 * 60 * 60;

/** 32 bytes in canonical base64url: the last character carries four bits and two zeros. */
const idForm = /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/;

const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

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

export const createSessionCookies = (secret: string, baseUrl: string): SessionCookies => {
  const key = deriveKey(secret, 'gatewright session');
  const secure = new URL(baseUrl).protocol === 'https:';
  // The prefix makes browsers refuse the cookie from any other host, path or from plain http.
  const name = secure ? '__Host-gatewright_session' : 'gatewright_session';
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

const rejected = (name: ProblemName): AuthOutcome => ({ kind: 'rejected', problem: new Problem(name) });

export interface SessionDependencies {
  readonly cookies: SessionCookies;
  readonly identities: IdentityStore;
  readonly clock: Clock;
}

/**
 * The session cookie of the administration area. A write needs the browser's word that a page of this service sent it
 * (`cross_site`, 403, otherwise). Two cookies of the name are refused: one of them was planted.
 */
export const createSessionMethod = ({ cookies, identities, clock }: SessionDependencies): AuthMethod => {
  const identify = async (id: string, models: readonly string[]): Promise<AuthOutcome> => {
    const found = await identities.bySession(cookies.hash(id), clock(), models);
    return found === undefined
      ? rejected('invalid_session')
      : { kind: 'principal', principal: userPrincipal(found.identity, 'session', found.sessionId) };
  };
  return {
    name: 'session',
    challenge: 'Session realm="gatewright"',
    schemes: { session: { type: 'apiKey', in: 'cookie', name: cookies.name } },
    authenticate(request) {
      const header = request.header('cookie');
      const [id, ...others] = header === undefined ? [] : cookieValues(header, cookies.name);
      if (id === undefined) return absent;
      if (!safeMethods.has(request.method) && !sameOrigin(request, cookies.baseUrl))
        return rejected('cross_site');
      return others.length === 0 && idForm.test(id)
        ? identify(id, request.models)
        : rejected('invalid_session');
    },
  };
};
