import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { deriveKey } from './derived-key.ts';

/** Keeps short secrets that have to be read again: sealed by AES-256-GCM, so that a database alone tells none. */
export interface SecretBox {
  seal(secret: string): string;
  /** Undefined where it was sealed under another server secret, or was changed. */
  open(sealed: string): string | undefined;
}

const nonceBytes = 12;
const tagBytes = 16;

/** @param purpose what the key is for: what was sealed for one purpose is not opened for another */
export const createSecretBox = (serverSecret: string, purpose: string): SecretBox => {
  const key = deriveKey(serverSecret, purpose);
  return {
    seal: (secret) => {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes });
      const sealed = [nonce, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()];
      return Buffer.concat(sealed).toString('base64');
    },
    open: (sealed) => {
      const bytes = Buffer.from(sealed, 'base64');
      if (bytes.length < nonceBytes + tagBytes) return undefined;
      try {
        const nonce = bytes.subarray(0, nonceBytes);
        const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes });
        decipher.setAuthTag(bytes.subarray(-tagBytes));
        const text = bytes.subarray(nonceBytes, -tagBytes);
        return Buffer.concat([decipher.update(text), decipher.final()]).toString();
      } catch {
        return undefined;
      }
    },
  };
};
