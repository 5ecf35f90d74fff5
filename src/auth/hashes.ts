/** Hashes of passwords from other systems, by their scheme. */

import { argon2 } from './hashes/argon2.ts';
import { bcrypt } from './hashes/bcrypt.ts';
import type { ForeignHash, HashScheme } from './hashes/foreign-hash.ts';
import { pbkdf2 } from './hashes/pbkdf2.ts';
import { scrypt } from './hashes/scrypt.ts';
import { parsePhc } from './phc.ts';

export type { ForeignHash } from './hashes/foreign-hash.ts';

const schemes: readonly HashScheme[] = [argon2, bcrypt, pbkdf2, scrypt];

/** Most characters of a hash. */
const maxLength = 2_048;

/** The hash of a text; undefined for the service's own form, and for a text of no scheme. */
export const foreignHash = (text: string): ForeignHash | undefined => {
  if (text.length > maxLength) return undefined;
  for (const scheme of schemes) {
    const hash = scheme.read(text);
    if (hash !== undefined) return hash;
  }
  return undefined;
};

/** True for a hash that a sign-in can verify. */
export const isKnownHash = (text: string): boolean =>
  parsePhc(text) !== undefined || foreignHash(text) !== undefined;

/** Names of the schemes, for messages. */
export const schemeNames: readonly string[] = schemes.map(({ name }) => name);
