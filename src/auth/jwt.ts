/**
 * HS256 tokens (RFC 7515, 7518, 7519) only; docs/decisions/0003-own-hs256.md gives the reasons for our own
 * implementation. The signature is checked before anything is decoded, so that no JSON of a stranger is parsed.
 */

import { isUtf8 } from 'node:buffer';
import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import { BoundedCache } from '../kernel/bounded-cache.ts';
import type { Clock } from '../kernel/clock.ts';
import { isJsonObject, type JsonObject, own } from '../kernel/json.ts';
import type { Rekeyable } from './derived-key.ts';

/**
 * Lifetime of a token in seconds.
 * @limit Accounts and credentials | a token | s | 401
 */
export const tokenLifetime = 24 * 60 * 60;

/**
 * Lifetime in seconds of a session's token: a page requests another one while the session lasts.
 * @limit Accounts and credentials | a token for the documentation page | s | 401
 */
export const sessionTokenLifetime = 15 * 60;

/**
 * Minimum UTF-8 bytes of a secret: the length of the hash (RFC 7518, 3.2).
 * @limit Accounts and credentials | the signing secret, at least | bytes | no start
 */
export const minSecretBytes = 32;

/** Our tokens have some 120 characters; another signer may add claims. Longer ones are refused without being read. */
const maxTokenLength = 2048;

/** Three parts of the base64url alphabet, the last one of 43 characters, which encode 32 bytes. */
const compactForm = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{43}$/;
const signatureLength = 43;

export interface TokenClaims {
  readonly userId: number;
  /** Unix time in seconds. */
  readonly exp: number;
  /** Id of the session that the token was issued for; the token is valid only while the session lasts. */
  readonly sessionId?: number;
}

/** A session of the administration area that a token is bound to. */
export interface TokenSession {
  readonly id: number;
  /** Methods by which the user authenticated (RFC 8176), if the session has them; they go into the token as `amr`. */
  readonly amr?: readonly string[] | undefined;
}

export interface Tokens {
  /**
   * A token for this user, valid until `expiry` (Unix seconds) or for 24 hours from now. Throws a RangeError unless the
   * id is a positive integer.
   */
  issue(userId: number, expiry?: number): string;
  /** A token for the user of this session, valid for 15 minutes at most and only while the session lasts. */
  issueFor(userId: number, session: TokenSession): { readonly token: string; readonly exp: number };
  /** The claims of a valid token, undefined for any other text. Never throws. */
  verify(token: string): TokenClaims | undefined;
  /** The user of an expired token that was verified recently; undefined unless its signature is valid. */
  holderOf(token: string): number | undefined;
}

const encode = (claims: object): string => Buffer.from(JSON.stringify(claims)).toString('base64url');

const ownHeader = encode({ alg: 'HS256', typ: 'JWT' });

const sign = (input: string, key: KeyObject | Uint8Array): string =>
  createHmac('sha256', key).update(input).digest('base64url');

/**
 * Last characters whose unused bits are zero, by the length of the last group of four. A single remaining character
 * is not a byte.
 */
const lastCharacters = [undefined, '', 'AQgw', 'AEIMQUYcgkosw048'] as const;

/**
 * The bytes of a part in the base64url alphabet; undefined unless it is their canonical encoding (RFC 4648, 3.5),
 * which Buffer's lenient decoder does not check.
 */
const decode = (part: string): Buffer | undefined => {
  const last = lastCharacters[part.length % 4];
  return last === undefined || last.includes(part.slice(-1)) ? Buffer.from(part, 'base64url') : undefined;
};

const parseObject = (bytes: Buffer | undefined): JsonObject | undefined => {
  if (bytes === undefined || !isUtf8(bytes)) return undefined;
  try {
    const value: unknown = JSON.parse(bytes.toString());
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

/** Only `alg` of the header matters. `crit` names extensions that must be understood, and we support none. */
const acceptsHeader = (part: string): boolean => {
  if (part === ownHeader) return true;
  const header = parseObject(decode(part));
  return header !== undefined && own(header, 'alg') === 'HS256' && own(header, 'crit') === undefined;
};

/**
 * The payload of a JWS in compact form whose HS256 signature is valid under this key; undefined for any other text.
 * The signature is compared as text with its canonical encoding, so no other spelling is accepted.
 */
export const verifyJws = (token: string, key: KeyObject | Uint8Array): Buffer | undefined => {
  if (token.length > maxTokenLength || !compactForm.test(token)) return undefined;
  const end = token.length - signatureLength - 1;
  const expected = Buffer.from(sign(token.slice(0, end), key), 'latin1');
  if (!timingSafeEqual(expected, Buffer.from(token.slice(end + 1), 'latin1'))) return undefined;
  const dot = token.indexOf('.');
  return acceptsHeader(token.slice(0, dot)) ? decode(token.slice(dot + 1, end)) : undefined;
};

const isUserId = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0;

/**
 * We never set `nbf`, but a signer who does means it: before that time, or if it is not a number, the token is
 * invalid.
 */
const isBefore = (nbf: unknown, now: number): boolean =>
  nbf !== undefined && !(typeof nbf === 'number' && nbf * 1000 <= now);

/** The claims of a token with a valid signature; its times are checked against the clock at every use. */
interface SignedClaims {
  readonly claims: TokenClaims;
  readonly nbf: unknown;
}

/** Claim of a token that is bound to a session. The name is private, so that no claim of another signer collides. */
const sessionClaim = 'gatewright_session';

/** `iat` and all other claims do not affect validity and are ignored. */
const claimsOf = (payload: JsonObject): SignedClaims | undefined => {
  const userId = own(payload, 'user_id');
  const exp = own(payload, 'exp');
  if (!isUserId(userId) || typeof exp !== 'number' || !Number.isSafeInteger(exp)) return undefined;
  const sessionId = own(payload, sessionClaim);
  const nbf = own(payload, 'nbf');
  if (sessionId === undefined) return { claims: { userId, exp }, nbf };
  return isUserId(sessionId) ? { claims: { userId, exp, sessionId }, nbf } : undefined;
};

const holds = ({ claims, nbf }: SignedClaims, now: number): boolean =>
  claims.exp * 1000 > now && !isBefore(nbf, now);

const keyOf = (secret: string): KeyObject => {
  const bytes = Buffer.from(secret, 'utf8');
  if (bytes.length < minSecretBytes) {
    throw new Error(`The JWT secret has ${bytes.length} bytes; it needs at least ${minSecretBytes}`);
  }
  return createSecretKey(bytes);
};

/** Issues and verifies the service's tokens. Throws if a secret is shorter than 32 bytes of UTF-8. */
export const createTokens = (secret: string, clock: Clock): Tokens & Rekeyable => {
  let key = keyOf(secret);
  // A valid signature stays valid under its secret; another secret clears the cache. Only signatures are cached: the
  // time is checked at every use here, and the user in the database.
  const verified = new BoundedCache<SignedClaims>(1_000);
  const read = (token: string): SignedClaims | undefined => {
    const payload = parseObject(verifyJws(token, key));
    const signed = payload === undefined ? undefined : claimsOf(payload);
    if (signed !== undefined) verified.set(token, signed);
    return signed;
  };
  const expiryIn = (seconds: number): number => Math.floor(clock() / 1000) + seconds;
  const make = (userId: number, exp: number, more: object = {}) => {
    if (!isUserId(userId)) throw new RangeError('A token needs a positive integer as user id');
    const input = `${ownHeader}.${encode({ user_id: userId, exp, ...more })}`;
    return { token: `${input}.${sign(input, key)}`, exp };
  };
  return {
    issue: (userId, expiry = expiryIn(tokenLifetime)) => make(userId, expiry).token,
    issueFor: (userId, { id, amr }) =>
      make(userId, expiryIn(sessionTokenLifetime), { [sessionClaim]: id, amr }),
    verify(token) {
      const signed = verified.get(token) ?? read(token);
      return signed !== undefined && holds(signed, clock()) ? signed.claims : undefined;
    },
    // Only valid signatures are cached: for a stranger's token this costs nothing.
    holderOf: (token) => verified.get(token)?.claims.userId,
    replaceSecret(next) {
      key = keyOf(next);
      verified.clear();
    },
  };
};
