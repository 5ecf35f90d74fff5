import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';

/**
 * A 256-bit key of its own for one purpose, derived from the server's secret by HKDF-SHA256 (RFC 5869). Whoever learns
 * one learns nothing of the secret or of another key, and a new secret renews all of them.
 */
export const deriveKey = (secret: string, purpose: string): KeyObject =>
  createSecretKey(new Uint8Array(hkdfSync('sha256', secret, '', purpose, 32)));
