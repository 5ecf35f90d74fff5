import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createClient, GatewrightError } from '../../client/index.ts';
import { resources } from './applications.ts';
import { failure, type Reply, scriptedServer, success } from './scripted-server.ts';

const start = async (...replies: readonly Reply[]) => {
  const { baseUrl, seen } = await scriptedServer(...replies);
  const client = createClient({
    baseUrl,
    auth: { key: 'k' },
    resources,
    retry: { delay: 1, maxDelay: 1_000 },
  });
  return { client, seen, baseUrl };
};

type Started = Awaited<ReturnType<typeof start>>;

const busy = failure(50301, { 'retry-after': '0' });

describe('what is tried again', () => {
  it('reads, after no answer and after 503 and 429 that say when', async () => {
    const { client, seen } = await start('hang up', busy, success([{ id: 1 }]));
    expect((await client.notes.list()).items).toEqual([{ id: 1 }]);
    const limited = await start(failure(42900, { 'retry-after': '0' }), success({ id: 1 }));
    expect(await limited.client.notes.get(1)).toEqual({ id: 1 });
    expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual(Array(3).fill('GET /api/v1/notes'));
  });

  it('a bounded number of times', async () => {
    const { client, seen } = await start(busy, busy, busy, success([]));
    await expect(client.notes.list()).rejects.toMatchObject({ status: 503, code: 50301, retryAfter: 0 });
    expect(seen).toHaveLength(3);
  });

  it('creations, under one Idempotency-Key and with the same bytes', async () => {
    const { client, seen } = await start('hang up', busy, success({ id: 1 }));
    await client.notes.create({ title: 'x' });
    const keys = new Set(seen.map(({ headers, body }) => `${headers['idempotency-key']} ${body}`));
    expect([seen.length, keys.size]).toEqual([3, 1]);
    expect([...keys][0]).toMatch(/^[0-9a-f]{32} \{"note":\{"title":"x"\}\}$/);
    const other = await start(success({ id: 2 }));
    await other.client.notes.create({ title: 'x' });
    expect(other.seen[0]?.headers['idempotency-key']).not.toBe(seen[0]?.headers['idempotency-key']);
  });

  it('deletions and payments', async () => {
    const { client, seen } = await start(busy, success(), busy, success({ id: 1 }));
    await client.notes.delete(1);
    await client.payment({ amount: 1 });
    expect(seen.map(({ method }) => method)).toEqual(['DELETE', 'DELETE', 'POST', 'POST']);
    expect(seen[3]?.headers['idempotency-key']).toBe(seen[2]?.headers['idempotency-key']);
    expect(seen[2]?.headers['x-api-key']).toBeUndefined();
  });

  const unsafe: readonly [string, (client: Started['client']) => Promise<unknown>][] = [
    ['an update', ({ notes }) => notes.update(1, { title: 'x' })],
    ['a change of password', ({ auth }) => auth.password({ current_password: 'a', password: 'b' })],
    ['a new API key', ({ apiKeys }) => apiKeys.create({ name: 'k' })],
    ['a request of its own', ({ sendRequest }) => sendRequest('POST', '/api/v1/x', { body: {} })],
  ];
  it.each(unsafe)('a call is not tried again after %s', async (_name, call) => {
    for (const reply of [busy, 'hang up'] as const) {
      const { client, seen } = await start(reply, success({}));
      await expect(call(client)).rejects.toBeInstanceOf(GatewrightError);
      expect(seen).toHaveLength(1);
    }
  });

  it('a call is not tried again that was refused for good, or for longer than a caller waits', async () => {
    const refusals = [failure(40400), failure(50000), failure(50300), failure(42900, { 'retry-after': '2' })];
    for (const reply of refusals) {
      const { client, seen } = await start(reply, success([]));
      await expect(client.notes.list()).rejects.toBeInstanceOf(GatewrightError);
      expect(seen).toHaveLength(1);
    }
  });
});

describe('errors', () => {
  it('errors tell an answer that is none of the service from one that is', async () => {
    const { client } = await start(
      { status: 502, headers: { 'content-type': 'text/html' }, body: '<h1>Bad gateway</h1>' },
      { status: 200, body: '<!doctype html>' },
      { status: 200, body: '{"code":40000,"message":"no"}' },
    );
    await expect(client.notes.get(1)).rejects.toMatchObject({ status: 502, code: 0, errors: [] });
    await expect(client.notes.get(1)).rejects.toMatchObject({ status: 200, code: 0 });
    await expect(client.notes.get(1)).rejects.toMatchObject({ status: 200, code: 40000, message: 'no' });
  });

  it('errors tell that no answer came, and why', async () => {
    const { client } = await start();
    const error = await client.notes.list().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(GatewrightError);
    expect(error).toMatchObject({ status: 0, code: 0, cause: expect.any(TypeError) });
  });
});

describe('abortion', () => {
  it('ends a request, a wait between two, and a login', async () => {
    const { client } = await start(failure(50300, { 'retry-after': '1' }));
    const controller = new AbortController();
    const reason = new Error('enough');
    const waiting = client.notes.list({}, { signal: controller.signal });
    setImmediate(() => controller.abort(reason));
    await expect(waiting).rejects.toBe(reason);
    const { signal } = controller;
    await expect(client.notes.create({ title: 'x' }, { signal })).rejects.toBe(reason);
    await expect(client.auth.login({ account: 'a', password: 'b' }, { signal })).rejects.toBe(reason);
    await expect(client.notes.pages({}, { signal }).next()).rejects.toBe(reason);
  });

  it('abortion of one caller leaves the login to the others', async () => {
    const { baseUrl, seen } = await scriptedServer(success({ token: 't', user: {} }), success([]));
    const client = createClient({ baseUrl, auth: { account: 'a', password: 'b' }, resources });
    const controller = new AbortController();
    const left = client.notes.list({}, { signal: controller.signal });
    const stays = client.notes.list();
    controller.abort(new Error('left'));
    await expect(left).rejects.toThrow('left');
    expect((await stays).items).toEqual([]);
    expect(seen.map(({ url }) => url)).toEqual(['/api/v1/auth/login', '/api/v1/notes']);
  });
});

describe('tokens', () => {
  it('tokens are renewed once for calls that were refused at the same time, and once only for each', async () => {
    const login = (token: string) => success({ token, user: {} });
    const expired = failure(40101);
    const { baseUrl, seen } = await scriptedServer(
      login('one'),
      expired,
      expired,
      login('two'),
      success({ id: 1 }),
      success({ id: 2 }),
      expired,
      login('three'),
      expired,
    );
    const client = createClient({ baseUrl, auth: { account: 'a', password: 'b' }, resources });
    await Promise.all([client.notes.update(1, { title: 'x' }), client.notes.update(2, { title: 'x' })]);
    expect(seen.map(({ method, headers }) => `${method} ${headers.authorization}`)).toEqual([
      'POST undefined',
      'PATCH Bearer one',
      'PATCH Bearer one',
      'POST undefined',
      'PATCH Bearer two',
      'PATCH Bearer two',
    ]);
    await expect(client.notes.get(1)).rejects.toMatchObject({ code: 40101 });
    expect(seen).toHaveLength(9);
  });

  it('tokens come by another login where the one before met an outage', async () => {
    const { baseUrl, seen } = await scriptedServer(
      failure(50000),
      success({ token: 't', user: {} }),
      success([]),
    );
    const client = createClient({ baseUrl, auth: { account: 'a', password: 'b' }, resources });
    await expect(client.notes.list()).rejects.toMatchObject({ status: 500 });
    expect((await client.notes.list()).items).toEqual([]);
    expect(seen[2]?.headers.authorization).toBe('Bearer t');
  });
});

describe('queries', () => {
  it('queries refuse what has no meaning instead of asking for everything', async () => {
    const { client, seen } = await start();
    const wrong: object[] = [{ title: null }, { title: ['a', 'b'] }];
    for (const filter of wrong) await expect(client.notes.list({ filter })).rejects.toThrow(TypeError);
    expect(seen).toEqual([]);
  });

  it('queries leave out what is undefined', async () => {
    const { client, seen } = await start(success([]), success([]));
    // A form passes on what may be empty.
    const form: { readonly filter: object; readonly q: string | undefined } = {
      filter: { title: undefined, body: { like: undefined } },
      q: undefined,
    };
    await client.notes.list({ ...form, sort: [], fields: [] });
    await client.notes.list({
      filter: { title: { in: ['a,b', '\\'], null: false } },
      sort: ['-id', 'title'],
    });
    expect(seen.map(({ url }) => decodeURIComponent(url))).toEqual([
      '/api/v1/notes',
      '/api/v1/notes?filter[title][in]=a\\,b,\\\\&filter[title][null]=false&sort=-id,title',
    ]);
  });
});

describe('positions of a service that reads from a replica', () => {
  const at = (position: string): Reply => ({
    status: 200,
    headers: { 'x-commit-position': position },
    body: JSON.stringify({ code: 0, message: 'ok', data: { id: 1 } }),
  });

  it('positions of a service that reads from a replica go back with reads, the last of them, for two seconds; and nothing where there are none', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const record = success({ id: 1 });
    const { client, seen } = await start(record, at('recent'), record, at('other'), record, record);
    await client.notes.get(1);
    for (let write = 0; write < 2; write += 1) {
      await client.notes.update(1, { title: 'x' });
      await client.notes.get(1);
    }
    vi.setSystemTime(Date.now() + 2_001);
    await client.notes.get(1);
    const sent = seen.map(({ method, headers }) => [method, headers['x-commit-position']]);
    expect(sent).toEqual([
      ['GET', undefined],
      ['PATCH', undefined],
      ['GET', 'recent'],
      ['PATCH', undefined],
      ['GET', 'other'],
      ['GET', undefined],
    ]);
  });
});
