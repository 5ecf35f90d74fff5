import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';

/**
 * Derives a 256-bit key for one purpose from the server's secret by HKDF-SHA256 (RFC 5869). A leaked key reveals
 * neither the secret nor another key, and a new secret replaces all of them.
 */
export const deriveKey = (secret: string, purpose: string): KeyObject =>
  createSecretKey(new Uint8Array(hkdfSync('sha256', secret, '', purpose, 32)));

/** A component whose keys derive from the server secret. */
export interface Rekeyable {
  /** Derives the keys from another secret. Values made under the former one become invalid. */
  replaceSecret(secret: string): void;
}
