import { isUtf8 } from 'node:buffer';
import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import { BoundedCache } from '../kernel/bounded-cache.ts';
import type { Clock } from '../kernel/clock.ts';
import { isJsonObject, type JsonObject, own } from '../kernel/json.ts';

/**
 * HS256 tokens (RFC 7515, 7518, 7519), and nothing else: docs/decisions/0003-own-hs256.md says why they are our own.
 * The signature is checked before anything is decoded, so that no JSON of a stranger is ever parsed.
 */

/** Seconds that a token lives. */
export const tokenLifetime = 24 * 60 * 60;

/** Seconds that a token of a session lives: a page asks for another one as long as the session goes on. */
export const sessionTokenLifetime = 15 * 60;

/** UTF-8 bytes that a secret needs: as many as the hash has (RFC 7518, 3.2). */
export const minSecretBytes = 32;

/** Our tokens have some 120 characters; a signer beside us may add claims. Longer ones are refused unread. */
const maxTokenLength = 2048;

/** Three parts of the base64url alphabet, the last one the 43 characters that 32 bytes make. */
const compactForm = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{43}$/;
const signatureLength = 43;

export interface TokenClaims {
  readonly userId: number;
  /** Unix time in seconds. */
  readonly exp: number;
  /** Id of the session that the token was made of: it is good no longer than that goes on. */
  readonly sessionId?: number;
}

/** A session of the administration area, for a token that ends with it. */
export interface TokenSession {
  readonly id: number;
  /** How its user proved who they are (RFC 8176), where the session knows; goes into the token as `amr`. */
  readonly amr?: readonly string[] | undefined;
}

export interface Tokens {
  /** A token for this user, good for 24 hours from now. Throws a RangeError unless the id is a positive integer. */
  issue(userId: number): string;
  /** A token for the user of this session, good for 15 minutes and only while the session is. */
  issueFor(userId: number, session: TokenSession): { readonly token: string; readonly exp: number };
  /** The claims of a good token, undefined for any other text. Never throws. */
  verify(token: string): TokenClaims | undefined;
  /** The user of a token that was verified a moment ago and is over; undefined unless its signature is good. */
  holderOf(token: string): number | undefined;
}

const encode = (claims: object): string => Buffer.from(JSON.stringify(claims)).toString('base64url');

const ownHeader = encode({ alg: 'HS256', typ: 'JWT' });

const sign = (input: string, key: KeyObject | Uint8Array): string =>
  createHmac('sha256', key).update(input).digest('base64url');

/**
 * Last characters whose unused bits are zero, by the length of the last group of four. A single character left over
 * is no byte at all.
 */
const lastCharacters = [undefined, '', 'AQgw', 'AEIMQUYcgkosw048'] as const;

/**
 * The bytes of a part that is known to be of the alphabet; undefined unless it is their one canonical encoding
 * (RFC 4648, 3.5), which Buffer's forgiving decoder does not ask for.
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

/** Of the header only `alg` is obeyed. `crit` names what must be understood, and we understand no extension. */
const acceptsHeader = (part: string): boolean => {
  if (part === ownHeader) return true;
  const header = parseObject(decode(part));
  return header !== undefined && own(header, 'alg') === 'HS256' && own(header, 'crit') === undefined;
};

/**
 * The payload of a JWS in compact form whose HS256 signature is good under this key; undefined for any other text.
 * The signature is compared as text with the one canonical encoding of what it must be, so no other spelling passes.
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

/** `nbf` is none of ours, but who signs one means it: before that time, or not a number, the token is not good. */
const isBefore = (nbf: unknown, now: number): boolean =>
  nbf !== undefined && !(typeof nbf === 'number' && nbf * 1000 <= now);

/** What a token with a good signature says; whether it holds at a moment is asked of the clock every time. */
interface SignedClaims {
  readonly claims: TokenClaims;
  readonly nbf: unknown;
}

/** Of a token that hangs on a session. A name of our own, so that no claim of another signer is taken for it. */
const sessionClaim = 'gatewright_session';

/** `iat` and every other claim say nothing about whether a token is good, and are not looked at. */
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

/** Issues and verifies the service's tokens. Throws where the secret is shorter than 32 bytes of UTF-8. */
export const createTokens = (secret: string, clock: Clock): Tokens => {
  const bytes = Buffer.from(secret, 'utf8');
  if (bytes.length < minSecretBytes) {
    throw new Error(`The JWT secret has ${bytes.length} bytes; it needs at least ${minSecretBytes}`);
  }
  const key = createSecretKey(bytes);
  // A signature that was good once stays good under this secret; another secret makes another cache. Nothing else is
  // remembered: the time is asked every time here, and the user of the database.
  const verified = new BoundedCache<SignedClaims>(1_000);
  const read = (token: string): SignedClaims | undefined => {
    const payload = parseObject(verifyJws(token, key));
    const signed = payload === undefined ? undefined : claimsOf(payload);
    if (signed !== undefined) verified.set(token, signed);
    return signed;
  };
  const make = (userId: number, seconds: number, more: object = {}) => {
    if (!isUserId(userId)) throw new RangeError('A token needs a positive integer as user id');
    const exp = Math.floor(clock() / 1000) + seconds;
    const input = `${ownHeader}.${encode({ user_id: userId, exp, ...more })}`;
    return { token: `${input}.${sign(input, key)}`, exp };
  };
  return {
    issue: (userId) => make(userId, tokenLifetime).token,
    issueFor: (userId, { id, amr }) =>
      make(userId, sessionTokenLifetime, { [sessionClaim]: id, ...(amr === undefined ? {} : { amr }) }),
    verify(token) {
      const signed = verified.get(token) ?? read(token);
      return signed !== undefined && holds(signed, clock()) ? signed.claims : undefined;
    },
    // Only signatures that were found good are remembered: a stranger's token costs no second look.
    holderOf: (token) => verified.get(token)?.claims.userId,
  };
};
