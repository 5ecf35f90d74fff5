import { createHash, randomBytes } from 'node:crypto';
import { base32 } from './totp.ts';

/** Codes that a user is given at once; each lets in once. */
export const recoveryCodeCount = 10;

/** 80 random bits: sixteen characters of base32. */
const codeBytes = 10;

const normalised = (code: string): string => code.replaceAll(/[\s-]/g, '').toLowerCase();

/**
 * SHA-256, lowercase hex, of a code as it is shown or with other blanks, hyphens and capitals; undefined for a text that
 * never was one. 80 random bits need no slow hash, and no key: a new server secret leaves people their codes.
 */
export const hashRecoveryCode = (code: string): string | undefined => {
  const text = normalised(code);
  return /^[a-z2-7]{16}$/.test(text) ? createHash('sha256').update(text).digest('hex') : undefined;
};

/** New codes, as they are shown once: `abcd-efgh-ijkl-mnop`. */
export const newRecoveryCodes = (): readonly string[] =>
  Array.from({ length: recoveryCodeCount }, () =>
    base32(randomBytes(codeBytes))
      .toLowerCase()
      .replaceAll(/(.{4})(?!$)/g, '$1-'),
  );

/** Hashes of codes that were just made. */
export const recoveryHashes = (codes: readonly string[]): readonly string[] =>
  codes.map((code) => {
    const hash = hashRecoveryCode(code);
    if (hash === undefined) throw new Error('a new recovery code is none');
    return hash;
  });
