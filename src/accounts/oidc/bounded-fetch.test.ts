import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBoundedFetch } from './bounded-fetch.ts';
import { createFetched } from './fetched.ts';

const asked: (string | undefined)[] = [];
const server = createServer((request, response) => {
  asked.push(String(request.headers['accept-encoding']));
  const text = JSON.stringify({ path: request.url });
  if (request.url === '/br') response.setHeader('content-encoding', 'br').end(brotliCompressSync(text));
  else if (request.url === '/gzip') response.setHeader('content-encoding', 'gzip').end(gzipSync(text));
  else if (request.url === '/large') response.end('x'.repeat(10_000_000));
  else response.end(text);
});

describe('requests to a provider', () => {
  let origin = '';
  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => server.close());
  const fetchBounded = createBoundedFetch();

  it('requests to a provider ask for no encoding, and read an unencoded response', async () => {
    expect(await (await fetchBounded(`${origin}/a`, {})).json()).toEqual({ path: '/a' });
    expect(asked.at(-1)).toBe('identity');
  });

  it.each([
    ['br', 'is encoded'],
    ['gzip', 'is encoded'],
    ['large', 'more than'],
  ])('requests to a provider refuse %s', async (path, message) => {
    await expect(fetchBounded(`${origin}/${path}`, {})).rejects.toThrow(message);
  });

  it('requests to a provider are one for concurrent callers, and none for a while after a failure', async () => {
    let [now, fetches] = [0, 0];
    const failing = createFetched(
      async () => {
        fetches += 1;
        throw new Error('away');
      },
      1_000,
      () => now,
    );
    await Promise.allSettled(Array.from({ length: 150 }, () => failing.get()));
    now += 29_000;
    await expect(failing.renew(0)).rejects.toThrow('away');
    expect(fetches).toBe(1);
    now += 2_000;
    await expect(failing.get()).rejects.toThrow('away');
    expect(fetches).toBe(2);
  });
});
