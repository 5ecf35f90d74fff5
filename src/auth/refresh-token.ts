/** Refresh tokens of long sign-ins: their form, their signature, and the stored form of their sign-in. */

import { createHmac, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';
import { deriveKey, type Rekeyable } from './derived-key.ts';

/**
 * Milliseconds in which a used refresh token returns the same pair again.
 * @limit Accounts and credentials | a used refresh token that returns the same pair again | ms | 401
 */
export const refreshRepeatTime = 10_000;

/** Bytes of a random sign-in, of a generation, and of an HMAC: 54 in all, which are 72 characters of base64url. */
const bytes = { signIn: 18, generation: 4, mac: 32 } as const;
const signedBytes = bytes.signIn + bytes.generation;
const form = /^[A-Za-z0-9_-]{72}$/;

/** A token that this service has issued. */
export interface RefreshClaims {
  /** The sign-in to which it belongs, as the database keeps it: HMAC-SHA256, lowercase hex. */
  readonly hash: string;
  /** Number of renewals before it. */
  readonly generation: number;
}

/** A sign-in that begins. */
export interface NewFamily {
  readonly hash: string;
  /** Its first token. */
  readonly token: string;
}

/**
 * A token names its sign-in and its generation, and is signed under a key that derives from the JWT secret. The
 * database keeps neither tokens nor the name of a sign-in, but an HMAC of the name. So a copy of the database is no help
 * in making a token, not even with the secret, and a strange token is refused without a look-up.
 */
export interface RefreshTokens {
  begin(): NewFamily;
  /** The claims of a token that was issued under the current secret; undefined for any other text. */
  read(token: string): RefreshClaims | undefined;
  /** The token that follows a valid one, always the same. */
  after(token: string): string;
}

const keysOf = (secret: string) => ({
  signing: deriveKey(secret, 'gatewright refresh token'),
  storing: deriveKey(secret, 'gatewright long sign-in'),
});

const hmac = (key: KeyObject, data: Uint8Array): Buffer => createHmac('sha256', key).update(data).digest();

export const createRefreshTokens = (secret: string): RefreshTokens & Rekeyable => {
  let keys = keysOf(secret);

  const hashOf = (signIn: Uint8Array): string => hmac(keys.storing, signIn).toString('hex');

  const make = (signIn: Uint8Array, generation: number): string => {
    const signed = Buffer.alloc(signedBytes);
    signed.set(signIn);
    signed.writeUInt32BE(generation, bytes.signIn);
    return Buffer.concat([signed, hmac(keys.signing, signed)]).toString('base64url');
  };

  const parts = (token: string) => {
    const all = Buffer.from(token, 'base64url');
    return {
      signIn: all.subarray(0, bytes.signIn),
      generation: all.readUInt32BE(bytes.signIn),
      signed: all.subarray(0, signedBytes),
      mac: all.subarray(signedBytes),
    };
  };

  return {
    begin: () => {
      const signIn = randomBytes(bytes.signIn);
      return { hash: hashOf(signIn), token: make(signIn, 0) };
    },
    read: (token) => {
      if (!form.test(token)) return undefined;
      const { signIn, generation, signed, mac } = parts(token);
      if (!timingSafeEqual(hmac(keys.signing, signed), mac)) return undefined;
      return { hash: hashOf(signIn), generation };
    },
    after: (token) => {
      const { signIn, generation } = parts(token);
      return make(signIn, generation + 1);
    },
    replaceSecret(next) {
      keys = keysOf(next);
    },
  };
};
