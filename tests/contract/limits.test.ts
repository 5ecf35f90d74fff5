import { beforeAll, describe, expect, it } from 'vitest';
import { createApplication } from '../../src/app/application.ts';
import { createTable, defineEndpoint, defineResource, field, type RateLimit } from '../../src/index.ts';
import { describeDatabase, describeEachDatabase } from '../support/databases.ts';
import { type Answer, type Service, startService, type TestUser, useService } from '../support/service.ts';

const fields = { title: field.string({ required: true }) };
const auth = ['jwt', 'api_key'] as const;

/** An application with these limits. */
const limited = (limits: Readonly<Record<string, RateLimit>>) => ({
  resources: [defineResource('Note', { fields, auth }), defineResource('Page', { fields, auth })],
  endpoints: [
    defineEndpoint({ method: 'POST', path: '/checkout', auth, handle: () => 'done' }),
    defineEndpoint({ method: 'GET', path: '/open', auth: [], handle: () => 'done' }),
  ],
  migrations: {
    '0001-tables': {
      up: async (db: Parameters<typeof createTable>[0], dialect: Parameters<typeof createTable>[1]) => {
        await createTable(db, dialect, 'notes', { fields });
        await createTable(db, dialect, 'pages', { fields });
      },
    },
  },
  config: { limits },
});

const headersOf = ({ headers }: Answer) => ({
  state: headers['ratelimit'],
  policy: headers['ratelimit-policy'],
  retry: headers['retry-after'],
});

const statusesOf = async (requests: readonly Promise<Answer>[]) =>
  (await Promise.all(requests)).map(({ status }) => status);

const admitted = (statuses: readonly number[]): number => statuses.filter((status) => status < 400).length;

describeEachDatabase('limits', (databases) => {
  const service = useService(databases, {
    application: limited({
      default: { max: 7, window: '1h' },
      notes: { per: 'caller', max: 60, window: '1h', burst: 3 },
      'POST /checkout': { per: 'network', max: 4, window: '1h' },
      'GET /open': { max: 2, window: '2s' },
    }),
    env: { CORS_ORIGINS: 'https://app.example.com' },
  });
  let other: Service;
  let user: TestUser;
  beforeAll(async () => {
    other = await service.secondInstance();
    user = await service.createUser();
  });

  it('limits count a user, whichever token or key they use and whichever instance they ask', async () => {
    const { key } = await service.createKey(user);
    const first = await service.get('/api/v1/notes', { token: user });
    expect(headersOf(first)).toEqual({
      state: '"default";r=2;t=60',
      policy: '"default";q=60;w=3600',
      retry: undefined,
    });
    expect((await other.get('/api/v1/notes', { key })).status).toBe(200);
    expect((await other.get('/api/v1/notes/1', { token: user })).status).toBe(404);
    const refused = await service.get('/api/v1/notes', { key });
    expect(refused).toMatchObject({ status: 429, json: { code: 42900 } });
    expect(headersOf(refused)).toEqual({
      state: expect.stringMatching(/^"default";r=0;t=1[678]\d$/),
      policy: '"default";q=60;w=3600',
      retry: expect.stringMatching(/^(60|5\d)$/),
    });
    expect((await other.get('/api/v1/notes', { token: user })).status).toBe(429);
    const stranger = await service.createUser();
    expect((await service.get('/api/v1/notes', { token: stranger })).status).toBe(200);
  });

  it('limits count everything without a limit of its own by `default`, but the health check', async () => {
    const caller = await service.createUser();
    for (let left = 6; left >= 0; left -= 1) {
      const { headers, status } = await service.get('/api/v1/auth/me', { token: caller });
      expect([status, String(headers['ratelimit']).split(';t')[0]]).toEqual([200, `"default";r=${left}`]);
    }
    expect((await service.get('/api/v1/users', { token: caller })).status).toBe(429);
    expect((await service.get('/admin/users', { token: await service.admin() })).headers['ratelimit']).toBe(
      undefined,
    );
    expect((await service.get('/api/v1/health')).headers['ratelimit']).toBe(undefined);
  });

  it('limits count a network before they authenticate', async () => {
    const statuses = [];
    for (let count = 0; count < 5; count += 1)
      statuses.push((await service.request('POST', '/api/v1/checkout', { key: 'f'.repeat(64) })).status);
    expect(statuses).toEqual([401, 401, 401, 401, 429]);
    expect((await other.request('POST', '/api/v1/checkout', { token: user })).status).toBe(429);
  });

  it('limits admit again as the bucket refills', async () => {
    expect(admitted(await statusesOf([1, 2, 3].map(() => service.get('/api/v1/open'))))).toBe(2);
    await expect.poll(async () => (await other.get('/api/v1/open')).status, { timeout: 5_000 }).toBe(200);
  });

  it('limits are explained as they stand, without counting', async () => {
    const root = await service.admin();
    const caller = await service.createUser();
    const explain = async (path: string, of: Readonly<Record<string, string>>) => {
      const query = new URLSearchParams({ method: path.startsWith('/checkout') ? 'POST' : 'GET', ...of });
      const { code, steps } = await other.ok<{
        readonly code: number;
        readonly steps: readonly { readonly rule: string; readonly because: string }[];
      }>('GET', `/admin/explain?path=/api/v1${path}&${query}`, { token: root });
      return [code, ...steps.filter(({ rule }) => rule === 'rate_limit').map(({ because }) => because)];
    };
    const me = { user_id: String(caller.id) };
    await service.get('/api/v1/notes', { token: caller });
    await expect.poll(() => explain('/notes', me)).toEqual([0, 'default：剩余 2 / 3']);
    expect(await explain('/notes', me)).toEqual([0, 'default：剩余 2 / 3']);
    for (let count = 0; count < 2; count += 1) await service.get('/api/v1/notes', { token: caller });
    await expect.poll(() => explain('/notes', me)).toEqual([42900, 'default：剩余 0 / 3']);
    expect(await explain('/checkout', me)).toEqual([0]);
    expect(await explain('/checkout', { ...me, address: '192.0.2.7' })).toEqual([0, 'default：剩余 4 / 4']);
    expect(await explain('/health', me)).toEqual([0]);
  });

  it('limits may be read by a page of another origin', async () => {
    const headers = { origin: 'https://app.example.com' };
    const caller = await service.createUser();
    const limited = await service.get('/api/v1/notes', { token: caller, headers });
    expect(limited.headers['access-control-expose-headers']).toMatch(/, RateLimit, RateLimit-Policy$/);
    const free = await service.get('/api/v1/health', { headers });
    expect(free.headers['access-control-expose-headers']).not.toContain('RateLimit');
  });

  it('a request over its limit is refused before its body is read', async () => {
    const caller = await service.createUser();
    const create = () => service.request('POST', '/api/v1/notes', { token: caller, body: { note: {} } });
    for (let count = 0; count < 3; count += 1) expect((await create()).status).toBe(422);
    expect((await create()).status).toBe(429);
  });
});

describeEachDatabase('limits of many requests', (databases) => {
  const service = useService(databases, {
    application: limited({ notes: { max: 100, window: '1h' }, pages: { max: 20, window: '1h' } }),
  });
  let other: Service;
  beforeAll(async () => {
    other = await service.secondInstance();
  });

  it.each([
    ['notes', 100],
    ['pages', 20],
  ] as const)(
    'limits of many requests hold for two instances within five in a hundred: %s',
    async (path, most) => {
      const user = await service.createUser();
      const ask = (count: number) =>
        Array.from({ length: count }, (_, index) =>
          (index % 2 === 0 ? service : other).get(`/api/v1/${path}`, { token: user }),
        );
      // Two thirds at once, the rest one by one, at the one and then at the other.
      let total = admitted(await statusesOf(ask(most / 2)));
      expect(total).toBe(most / 2);
      for (let count = 0; count < most / 4; count += 1) total += admitted(await statusesOf(ask(1)));
      total += admitted(await statusesOf(ask(most)));
      expect(total).toBeGreaterThanOrEqual(most);
      expect(total).toBeLessThanOrEqual(most * 1.05);
      expect(admitted(await statusesOf(ask(most)))).toBe(0);
    },
  );
});

describeEachDatabase('limits of keys', (databases) => {
  const service = useService(databases, { application: limited({}) });
  let root: TestUser;
  beforeAll(async () => {
    root = await service.admin();
  });
  const keyWith = (restrictions: object) =>
    service.ok<{ id: number; key: string }>('POST', '/api/v1/api_keys', {
      token: root,
      body: { api_key: { name: 'job', ...restrictions } },
    });

  it('limits of keys count a key, and no other key or token of its user', async () => {
    const limit = { max: 30, window: '1m', burst: 2 };
    const { id, key } = await keyWith({ limit });
    const statuses = [];
    for (let count = 0; count < 3; count += 1)
      statuses.push((await service.get('/api/v1/notes', { key })).status);
    expect(statuses).toEqual([200, 200, 429]);
    const { headers } = await service.get('/api/v1/users', { key });
    expect(headers['ratelimit-policy']).toBe('"key";q=30;w=60');
    expect((await service.get('/api/v1/notes', { token: root })).headers['ratelimit']).toBe(undefined);
    const query = new URLSearchParams({ api_key_id: String(id), method: 'GET', path: '/api/v1/notes' });
    await expect
      .poll(() => service.ok('GET', `/admin/explain?${query}`, { token: root }))
      .toMatchObject({ code: 42900, decided_by: 'rate_limit' });
    const list = await service.ok<{ id: number; limit: unknown; quota: unknown }[]>(
      'GET',
      '/api/v1/api_keys',
      {
        token: root,
      },
    );
    expect(list.find((each) => each.id === id)).toMatchObject({ limit, quota: null });
  });

  it('a quota ends with the month', async () => {
    const { key } = await keyWith({ quota: 3 });
    const now = new Date(service.clock.now());
    const [begins = 0, ends = 0] = [0, 1].map((more) =>
      Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + more),
    );
    const [seconds, left] = [(ends - begins) / 1000, Math.ceil((ends - now.getTime()) / 1000)];
    service.clock.advance(left - 10);
    try {
      const first = await service.get('/api/v1/notes', { key });
      expect(headersOf(first)).toMatchObject({
        state: expect.stringMatching(/^"quota";r=2;t=(9|10)$/),
        policy: `"quota";q=3;w=${seconds}`,
      });
      const rest = await statusesOf([1, 2, 3].map(() => service.get('/api/v1/notes', { key })));
      expect(rest.sort()).toEqual([200, 200, 429]);
      const { headers } = await service.get('/api/v1/notes', { key });
      expect(Number(headers['retry-after'])).toBeLessThanOrEqual(10);
      service.clock.advance(11);
      expect((await service.get('/api/v1/notes', { key })).status).toBe(200);
    } finally {
      service.clock.reset();
    }
  });

  it('a quota outlives the process that counted, to the last request', async () => {
    using _first = service.askFirstWorker();
    const { key } = await keyWith({ quota: 100 });
    const other = await service.secondInstance();
    await statusesOf(Array.from({ length: 41 }, () => other.get('/api/v1/notes', { key })));
    await other.close();
    for (const left of [58, 57, 56]) {
      const { headers } = await service.get('/api/v1/notes', { key });
      expect(String(headers['ratelimit']).split(';t')[0]).toBe(`"quota";r=${left}`);
    }
  });

  it.each<{ what: string; restrict: (most: number) => object }>([
    { what: 'quota', restrict: (quota) => ({ quota }) },
    { what: 'limit', restrict: (max) => ({ limit: { max, window: '30d' } }) },
  ])('a changed $what holds from the next request on, on both instances', async ({ what, restrict }) => {
    const { id, key } = await keyWith(restrict(1));
    const other = await service.secondInstance();
    const instances = [service, other];
    const change = (most: number) =>
      service.ok('PATCH', `/admin/api_keys/${id}`, { token: root, body: { api_key: restrict(most) } });
    const ask = async () => {
      const found: unknown[] = [];
      for (const instance of instances) {
        const { status, headers } = await instance.get('/api/v1/notes', { key });
        found.push(status, Number(/;r=(\d+)/.exec(String(headers['ratelimit']))?.[1]));
      }
      return found;
    };
    expect(await ask()).toEqual([200, 0, 429, 0]);
    await change(1_000);
    expect(await ask()).toEqual([200, 998, 200, 997]);
    await change(5);
    expect(await ask()).toEqual([200, 1, 200, 0]);
    // Lower than half of what was used.
    await change(2);
    expect(await ask()).toEqual([429, 0, 429, 0]);
    await change(8);
    await other.close();
    const started = await service.secondInstance();
    const { headers } = await started.get('/api/v1/notes', { key });
    // A limit that was lowered forgets what is beyond it.
    expect(String(headers['ratelimit'])).toContain(what === 'quota' ? ';r=2;' : ';r=5;');
  });

  it('limits of keys are changed by administrators, with a line of the audit log', async () => {
    const { id, key } = await keyWith({ limit: { max: 1, window: '1h' }, quota: 5 });
    await service.ok('PATCH', `/admin/api_keys/${id}`, {
      token: root,
      body: { api_key: { limit: null, quota: 9 } },
    });
    const { headers } = await service.get('/api/v1/notes', { key });
    expect(headers['ratelimit-policy']).toMatch(/^"quota";q=9;/);
    const [line] = await service.ok<{ action: string; detail: object }[]>(
      'GET',
      '/admin/audit?filter[action]=key.update&sort=-id&page=1&per_page=1',
      { token: root },
    );
    expect(line?.detail).toMatchObject({
      limit: null,
      quota: 9,
      before: { limit: { max: 1, window: '1h' }, quota: 5 },
    });
  });

  it.each([
    [{ limit: 5 }],
    [{ limit: { max: 5 } }],
    [{ limit: { max: 0, window: '1m' } }],
    [{ limit: { max: 5, window: '1 month' } }],
    [{ limit: { max: 5, window: '0s' } }],
    [{ limit: { max: 100_000, window: '1s' } }],
    [{ limit: { max: 1, window: '31d', burst: 100 } }],
    [{ limit: { max: 5, window: '1m', per: 'network' } }],
    [{ quota: 0 }],
    [{ quota: 1.5 }],
  ])('no key has %j', async (restrictions) => {
    const answer = await service.request('POST', '/api/v1/api_keys', {
      token: root,
      body: { api_key: { name: 'job', ...restrictions } },
    });
    expect(answer).toMatchObject({
      status: 422,
      data: { errors: [{ field: Object.keys(restrictions)[0] }] },
    });
  });
});

describeDatabase('sqlite', 'limits in the configuration', (databases) => {
  it.each([
    [
      { note: { max: 1, window: '1m' } },
      'limits: there is no model or endpoint "note": the nearest is "notes"',
    ],
    [{ 'PUT /checkout': { max: 1, window: '1m' } }, 'no model or endpoint "PUT /checkout"'],
  ])('%j does not start', async (limits, message) => {
    await expect(startService(databases, { application: limited(limits) })).rejects.toThrow(message);
  });
});

describe('the options of a limit', () => {
  it.each([
    [{ max: 1 }, 'limits.notes must have `max` and `window`'],
    [{ max: 1, window: '1y' }, 'limits.notes.window must be a duration from 1s to 31d, such as "1m"'],
    [{ max: 1.5, window: '1m' }, 'limits.notes.max must be a whole number'],
    [
      { max: 1, window: '1m', per: 'user' },
      'limits.notes.per must be "caller" or "network", not "user": no row',
    ],
    [{ max: 20_000, window: '1s' }, 'limits.notes: at most 10000 requests in a second'],
    [{ max: 1, windows: '1m' }, 'there is no option "limits.notes.windows": the nearest is "window"'],
  ])('%j is refused', (limit, message) => {
    expect(() => createApplication(limited({ notes: limit as unknown as RateLimit }))).toThrow(message);
  });
});
