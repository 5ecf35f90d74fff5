/** TOTP (RFC 6238) with SHA-1, six digits and 30 seconds, which all authenticator applications support. */

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** Seconds for which a code is shown. */
export const totpPeriod = 30;

export const totpDigits = 6;

/** Steps before and after the current one whose codes are accepted: clocks differ, and people type slowly. */
const tolerance = 1;

/** Bytes of a secret: the length of the hash (RFC 4226, 4). */
const secretBytes = 20;

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** RFC 4648, 6, without padding, as authenticator applications expect it. */
export const base32 = (bytes: Uint8Array): string => {
  let text = '';
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    bits += 8;
    for (; bits >= 5; bits -= 5) text += alphabet[(held >>> (bits - 5)) & 31];
    held &= (1 << bits) - 1;
  }
  return bits === 0 ? text : text + alphabet[(held << (5 - bits)) & 31];
};

/** The bytes of a text that `base32` returned. @throws RangeError for any other character */
const fromBase32 = (text: string): Buffer => {
  const bytes: number[] = [];
  let bits = 0;
  let held = 0;
  for (const character of text) {
    const value = alphabet.indexOf(character);
    if (value < 0) throw new RangeError('not base32');
    held = (held << 5) | value;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((held >>> bits) & 255);
    held &= (1 << bits) - 1;
  }
  return Buffer.from(bytes);
};

/** A new secret, in base32. */
export const newTotpSecret = (): string => base32(randomBytes(secretBytes));

/** Number of the period that contains a moment in milliseconds: T of RFC 6238, 4.2. */
export const totpStep = (now: number): number => Math.floor(now / 1000 / totpPeriod);

/** HOTP (RFC 4226, 5.3) of a key and a counter. */
export const totpCode = (key: Uint8Array, step: number, digits: number = totpDigits): string => {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const hash = createHmac('sha1', key).update(counter).digest();
  const offset = hash.readUInt8(hash.length - 1) & 15;
  const number = hash.readUInt32BE(offset) & 0x7fffffff;
  return String(number % 10 ** digits).padStart(digits, '0');
};

/**
 * The step of a code, if it is the current or an adjacent one; undefined otherwise. Blanks are ignored, as
 * applications show the digits in groups. All steps are compared, so that the time reveals nothing.
 * @param secret in base32
 */
export const stepOfCode = (secret: string, code: string, now: number): number | undefined => {
  const digits = code.replaceAll(/\s/g, '');
  if (!/^[0-9]{6}$/.test(digits)) return undefined;
  const key = fromBase32(secret);
  const typed = Buffer.from(digits);
  const present = totpStep(now);
  let found: number | undefined;
  for (let step = present - tolerance; step <= present + tolerance; step += 1)
    if (step >= 0 && timingSafeEqual(typed, Buffer.from(totpCode(key, step)))) found = step;
  return found;
};

/** Content of the QR code for authenticator applications, which display `issuer` and `account`. */
export const totpUrl = (secret: string, issuer: string, account: string): string => {
  // A colon separates the two.
  const label = [issuer, account].map((part) => encodeURIComponent(part.replaceAll(':', ' '))).join(':');
  const values = new URLSearchParams({ secret, issuer: issuer.replaceAll(':', ' '), algorithm: 'SHA1' });
  values.set('digits', String(totpDigits));
  values.set('period', String(totpPeriod));
  // Some applications display a plus unchanged.
  return `otpauth://totp/${label}?${values.toString().replaceAll('+', '%20')}`;
};
