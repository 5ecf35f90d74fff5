import { hash, randomBytes } from 'node:crypto';

/** Hex digits of a key that are stored in plain text, for its mask. */
export const keyPrefixLength = 8;

/** A new key: 32 random bytes, 64 lowercase hex digits. */
export const newKey = (): string => randomBytes(32).toString('hex');

/**
 * SHA-256 in lowercase hex, the only form in which a key is stored. A key has 256 random bits, so a slow hash would
 * add no protection, and timing of the index look-up reveals no more than the hash.
 */
export const hashKey = (key: string): string => hash('sha256', key, 'hex');

/** A key, or its stored prefix, in displayable form: the first 8 hex digits, then `****`. */
export const maskKey = (key: string): string => `${key.slice(0, keyPrefixLength)}****`;
