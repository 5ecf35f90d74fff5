import { generateKeyPairSync } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createHttpSigner, createSigner } from '../../client/sign.ts';
import { scriptedServer, success } from './scripted-server.ts';

const options = { appId: 'shop', apiSecret: 's'.repeat(64), now: () => 1_767_225_600_999 };

afterEach(() => vi.unstubAllGlobals());

describe('a signer', () => {
  it('refuses to work in a page', () => {
    vi.stubGlobal('document', {});
    expect(() => createSigner(options)).toThrow('a page cannot keep an api_secret');
  });

  it('signs what fetch sends, byte for byte, and leaves other headers alone', async () => {
    const { baseUrl, seen } = await scriptedServer(success(), success());
    const signer = createSigner(options);
    const body = '{"note":"🧾"}\r\n';
    await signer.fetch(`${baseUrl}/a`, { method: 'POST', body, headers: { 'X-Other': '1' } });
    await signer.fetch(new URL(`${baseUrl}/b`));
    const expected = [await signer.headers(body), await signer.headers()];
    for (const [index, { headers }] of seen.entries())
      for (const [name, value] of Object.entries(expected[index] ?? {}))
        expect(headers[name.toLowerCase()]).toBe(value);
    expect(seen.map((each) => [each.body, each.headers['x-other']])).toEqual([
      [body, '1'],
      ['', undefined],
    ]);
    expect(expected[0]?.['X-Timestamp']).toBe('1767225600');
  });

  it('refuses bodies whose bytes it cannot know', async () => {
    const signer = createSigner(options);
    for (const body of [new FormData(), new URLSearchParams('a=1'), new Blob(['x'])])
      await expect(signer.fetch('http://127.0.0.1:9', { method: 'POST', body })).rejects.toThrow(TypeError);
    await expect(signer.fetch(new Request('http://127.0.0.1:9'))).rejects.toThrow(TypeError);
  });
});

describe('an HTTP signer', () => {
  const http = { appId: 'shop', apiSecret: 's'.repeat(64), now: () => 1_767_225_600_999, nonce: () => 'n1' };

  it('takes in a page no key that the page could read', async () => {
    vi.stubGlobal('document', {});
    expect(() => createHttpSigner(http)).toThrow('a page cannot keep an api_secret');
    expect(() => createHttpSigner({ appId: 'shop', privateKey: 'PEM' })).toThrow(
      'createHttpSigner is for servers',
    );
    const privateKey = await crypto.subtle.importKey(
      'pkcs8',
      generateKeyPairSync('ed25519').privateKey.export({ format: 'der', type: 'pkcs8' }),
      'Ed25519',
      false,
      ['sign'],
    );
    const signer = createHttpSigner({ appId: 'shop', privateKey });
    expect(await signer.headers({ url: 'https://a.example/' })).toMatchObject({
      'Signature-Input': expect.stringContaining('alg="ed25519"'),
    });
  });

  it('signs method, address and body, and what fetch sends', async () => {
    const { baseUrl, seen } = await scriptedServer(success(), success());
    const signer = createHttpSigner(http);
    const body = '{"note":"🧾"}\r\n';
    await signer.fetch(`${baseUrl}/a?b=c#d`, { method: 'POST', body, headers: { 'X-Other': '1' } });
    await signer.fetch(new URL(`${baseUrl}/b`));
    const expected = [
      await signer.headers({ method: 'POST', url: `${baseUrl}/a?b=c`, body }),
      await signer.headers({ url: `${baseUrl}/b` }),
    ];
    for (const [index, { headers }] of seen.entries())
      for (const [name, value] of Object.entries(expected[index] ?? {}))
        expect(headers[name.toLowerCase()]).toBe(value);
    expect(seen[0]?.headers['x-other']).toBe('1');
    expect(expected[0]?.['Signature-Input']).toBe(
      'sig=("@method" "@target-uri" "content-digest");created=1767225600;nonce="n1";keyid="shop";alg="hmac-sha256";tag="gatewright"',
    );
  });

  it('an HTTP signer has another nonce for each request', async () => {
    const { nonce: _, ...options } = http;
    const signer = createHttpSigner(options);
    const inputs = [
      await signer.headers({ url: 'https://a.example/' }),
      await signer.headers({ url: 'https://a.example/' }),
    ];
    expect(new Set(inputs.map((headers) => headers['Signature-Input'])).size).toBe(2);
  });

  it('refuses bodies whose bytes it cannot know, and addresses without an origin', async () => {
    const signer = createHttpSigner(http);
    await expect(
      signer.fetch('http://127.0.0.1:9', { method: 'POST', body: new FormData() }),
    ).rejects.toThrow(TypeError);
    await expect(signer.fetch(new Request('http://127.0.0.1:9'))).rejects.toThrow(TypeError);
    await expect(signer.headers({ url: '/a' })).rejects.toThrow(TypeError);
  });
});
