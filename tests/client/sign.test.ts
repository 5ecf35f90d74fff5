import { afterEach, describe, expect, it, vi } from 'vitest';
import { createSigner } from '../../client/sign.ts';
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
