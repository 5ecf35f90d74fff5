import { describe, expect, it } from 'vitest';
import { base32, newTotpSecret, stepOfCode, totpCode, totpStep, totpUrl } from './totp.ts';

const key = Buffer.from('12345678901234567890');
const secret = base32(key);

describe('codes of an authenticator application', () => {
  // RFC 4226, appendix D.
  it.each(
    ['755224', '287082', '359152', '969429', '338314', '254676', '287922', '162583', '399871', '520489'].map(
      (code, counter) => [counter, code] as const,
    ),
  )('HOTP of %i is %s', (counter, code) => {
    expect(totpCode(key, counter)).toBe(code);
  });

  // RFC 6238, appendix B: the rows of SHA-1.
  it.each([
    [59, '94287082'],
    [1_111_111_109, '07081804'],
    [1_111_111_111, '14050471'],
    [1_234_567_890, '89005924'],
    [2_000_000_000, '69279037'],
    [20_000_000_000, '65353130'],
  ])('TOTP at second %i is %s', (second, code) => {
    expect(totpCode(key, totpStep(second * 1000), 8)).toBe(code);
    expect(stepOfCode(secret, code.slice(2), second * 1000)).toBe(Math.floor(second / 30));
  });

  // RFC 4648, 10.
  it.each([
    ['', ''],
    ['f', 'MY'],
    ['fo', 'MZXQ'],
    ['foo', 'MZXW6'],
    ['foob', 'MZXW6YQ'],
    ['fooba', 'MZXW6YTB'],
    ['foobar', 'MZXW6YTBOI'],
  ])('base32 of %j is %j', (text, expected) => {
    expect(base32(Buffer.from(text))).toBe(expected);
  });

  it('takes the step before and the one after, and says which it was; no other', () => {
    const now = 1_700_000_010_000;
    const present = totpStep(now);
    for (const [offset, expected] of [
      [-2, undefined],
      [-1, present - 1],
      [0, present],
      [1, present + 1],
      [2, undefined],
    ] as const)
      expect([offset, stepOfCode(secret, totpCode(key, present + offset), now)]).toEqual([offset, expected]);
  });

  it('takes digits in groups, and nothing that is no six digits', () => {
    const now = 59_000;
    expect(stepOfCode(secret, ' 287 082 ', now)).toBe(1);
    for (const code of ['', '28708', '2870822', '28708２', '-28708', '0x4617', '28708a', '94287082'])
      expect([code, stepOfCode(secret, code, now)]).toEqual([code, undefined]);
  });

  it('the secret of an authenticator application has 160 bits, and is never the same twice', () => {
    const secrets = new Set(Array.from({ length: 50 }, newTotpSecret));
    expect(secrets.size).toBe(50);
    for (const each of secrets) expect(each).toMatch(/^[A-Z2-7]{32}$/);
  });

  it('goes into a QR code as applications read it', () => {
    const url = new URL(totpUrl(secret, 'Gatewright admin:1', '林 admin&x=1'));
    expect([url.protocol, url.host]).toEqual(['otpauth:', 'totp']);
    expect(decodeURIComponent(url.pathname)).toBe('/Gatewright admin 1:林 admin&x=1');
    expect(Object.fromEntries(url.searchParams)).toEqual({
      secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
      issuer: 'Gatewright admin 1',
      algorithm: 'SHA1',
      digits: '6',
      period: '30',
    });
    expect(url.href).not.toContain('+');
  });
});
