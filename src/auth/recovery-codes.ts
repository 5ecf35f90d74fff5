import { createHash, randomBytes } from 'node:crypto';
import { base32 } from './totp.ts';

/** Codes that a user gets at a time; each can be used once. */
export const recoveryCodeCount = 10;

/** 80 random bits: sixteen characters of base32. */
const codeBytes = 10;

const normalize = (code: string): string => code.replaceAll(/[\s-]/g, '').toLowerCase();

/**
 * SHA-256, lowercase hex, of a code without its blanks, hyphens and capitals; undefined for a text that cannot be a
 * code. 80 random bits need no slow hash, and no key: the codes stay valid when the server secret changes.
 */
export const hashRecoveryCode = (code: string): string | undefined => {
  const text = normalize(code);
  return /^[a-z2-7]{16}$/.test(text) ? createHash('sha256').update(text).digest('hex') : undefined;
};

/** New codes in the form in which they are shown once: `abcd-efgh-ijkl-mnop`. */
export const newRecoveryCodes = (): readonly string[] =>
  Array.from({ length: recoveryCodeCount }, () =>
    base32(randomBytes(codeBytes))
      .toLowerCase()
      .replaceAll(/(.{4})(?!$)/g, '$1-'),
  );

/** Hashes of new codes. */
export const recoveryHashes = (codes: readonly string[]): readonly string[] =>
  codes.map((code) => {
    const hash = hashRecoveryCode(code);
    if (hash === undefined) throw new Error('a new recovery code is none');
    return hash;
  });
