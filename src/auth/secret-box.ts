/** Encryption of short secrets at rest, with a change of the server's secret. */

import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto';
import { deriveKey } from './derived-key.ts';

/** Seals short secrets that have to be read again by AES-256-GCM, so that the database alone reveals none. */
export interface SecretBox {
  seal(secret: string): string;
  /** Undefined where it was sealed under an unknown or replaced server secret. */
  open(sealed: string): string | undefined;
  /**
   * Seals a secret again that only a former server secret opens; undefined where that is not necessary, or not
   * possible.
   */
  renew(sealed: string): string | undefined;
}

const nonceBytes = 12;
const tagBytes = 16;

const openWith = (key: KeyObject, sealed: string): string | undefined => {
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
};

/** A secret box whose server secrets can be replaced. */
export interface RekeyableBox extends SecretBox {
  replaceSecrets(serverSecret: string, formerSecrets: readonly string[]): void;
}

/**
 * @param purpose of the key: a secret that was sealed for one purpose cannot be opened for another
 * @param formerSecrets replaced server secrets: they open, and seal nothing
 */
export const createSecretBox = (
  serverSecret: string,
  purpose: string,
  formerSecrets: readonly string[] = [],
): RekeyableBox => {
  const keyOf = (secret: string): KeyObject => deriveKey(secret, purpose);
  let key = keyOf(serverSecret);
  let formerKeys = formerSecrets.map(keyOf);
  const seal = (secret: string): string => {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes });
    const sealed = [nonce, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()];
    return Buffer.concat(sealed).toString('base64');
  };
  const openFormer = (sealed: string): string | undefined => {
    for (const each of formerKeys) {
      const opened = openWith(each, sealed);
      if (opened !== undefined) return opened;
    }
    return undefined;
  };
  return {
    seal,
    open: (sealed) => openWith(key, sealed) ?? openFormer(sealed),
    renew: (sealed) => {
      const opened = openWith(key, sealed) === undefined ? openFormer(sealed) : undefined;
      return opened === undefined ? undefined : seal(opened);
    },
    replaceSecrets(nextSecret, nextFormerSecrets) {
      key = keyOf(nextSecret);
      formerKeys = nextFormerSecrets.map(keyOf);
    },
  };
};
