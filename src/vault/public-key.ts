import { VaultError } from './vault-error.ts';

/**
 * Public keys of applications: Ed25519, stored as SPKI in base64 (RFC 8410), which is the line between the marks of a
 * PEM file. The first 16 characters are the algorithm, the others 32 bytes.
 */
export const publicKeyPattern = '^MCowBQYDK2VwAyEA[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$';

const publicKeyForm = new RegExp(publicKeyPattern);

/** True if a text is a public key in its stored form. */
export const isPublicKey = (text: string): boolean => publicKeyForm.test(text);

/**
 * The stored form of a public key that somebody gives: a PEM file, or its line.
 * @throws VaultError that shows nothing of the text
 */
export const readPublicKey = (text: string): string => {
  if (text.includes('PRIVATE KEY'))
    throw new VaultError('this is a private key: keep it where requests are signed, and give its public key');
  const key = text
    .replace(/^\s*-----BEGIN PUBLIC KEY-----([^-]*)-----END PUBLIC KEY-----\s*$/, '$1')
    .replaceAll(/\s/g, '');
  if (!isPublicKey(key)) throw new VaultError('this is not an Ed25519 public key in PEM (SPKI)');
  return key;
};
