import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { isPublicKey, readPublicKey } from './public-key.ts';

const start = Buffer.from('302a300506032b6570032100', 'hex');
const stored = (point: string) => Buffer.concat([start, Buffer.from(point, 'hex')]).toString('base64');
const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const line = publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
const pem = String(publicKey.export({ format: 'pem', type: 'spki' }));

describe('a public key', () => {
  it('a public key is read from PEM, whatever its line ends, and from its line', () => {
    for (const text of [pem, `\n ${pem}\n`, pem.replaceAll('\n', '\r\n'), line, ` ${line}\n`])
      expect(readPublicKey(text)).toBe(line);
    expect(createPublicKey(pem).asymmetricKeyType).toBe('ed25519');
  });

  it('a private key is refused as a public one, and not shown', () => {
    const text = String(privateKey.export({ format: 'pem', type: 'pkcs8' }));
    expect(() => readPublicKey(text)).toThrow('this is a private key: keep it where requests are signed');
  });

  it.each([
    ['nothing', ''],
    ['another kind', String(generateKeyPairSync('x25519').publicKey.export({ format: 'pem', type: 'spki' }))],
    [
      'RSA',
      String(
        generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'pem', type: 'spki' }),
      ),
    ],
    ['the raw bytes', Buffer.from(line, 'base64').subarray(12).toString('base64')],
    ['two keys', pem + pem],
    ['a certificate', pem.replaceAll('PUBLIC KEY', 'CERTIFICATE')],
    ['a byte more', stored('01'.repeat(33))],
    [
      'another spelling of the last character',
      line.replace(/.=$/, (end) => `${end === 'A=' ? 'B' : 'A'}B=`.slice(-2)),
    ],
  ])('a public key is not %s', (_, text) => {
    expect(() => readPublicKey(text)).toThrow('this is not an Ed25519 public key in PEM (SPKI)');
    expect(isPublicKey(text)).toBe(false);
  });
});
