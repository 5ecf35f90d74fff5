import { beforeAll, expect, it } from 'vitest';
import { signHttp } from '../../src/auth/http-signature.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { playScenarios, type Scenario } from '../support/scenario.ts';
import { type Key, type TestUser, useService } from '../support/service.ts';

const create = 'POST /api/v1/api_keys';
const named = (fields: object) => ({ api_key: { name: 'ci', ...fields } });
const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const scenarios: readonly Scenario[] = [
  {
    name: 'no name',
    request: create,
    as: 'user',
    body: { api_key: {} },
    status: 422,
    code: 42200,
    message: '名称不能为空',
  },
  {
    name: 'a blank name',
    request: create,
    as: 'user',
    body: named({ name: ' \t　' }),
    status: 422,
    message: '名称不能为空',
  },
  { name: 'a null name', request: create, as: 'user', body: named({ name: null }), status: 422 },
  {
    name: 'a name of 101 characters',
    request: create,
    as: 'user',
    body: named({ name: 'x'.repeat(101) }),
    status: 422,
  },
  {
    name: 'a name of 100 characters outside the BMP',
    request: create,
    as: 'user',
    body: named({ name: '😀'.repeat(100) }),
    status: 201,
  },
  {
    name: 'a number as name is not made a text',
    request: create,
    as: 'user',
    body: named({ name: 1 }),
    status: 422,
  },
  { name: 'an object as name', request: create, as: 'user', body: named({ name: { $gt: '' } }), status: 422 },
  {
    name: 'a day that does not exist',
    request: create,
    as: 'user',
    body: named({ expires_at: '2027-02-30' }),
    status: 422,
  },
  {
    name: 'a time that is a number',
    request: create,
    as: 'user',
    body: named({ expires_at: 1_900_000_000 }),
    status: 422,
  },
  {
    name: 'a text that is no time',
    request: create,
    as: 'user',
    body: named({ expires_at: 'tomorrow' }),
    status: 422,
  },
  {
    name: 'all messages at once, joined',
    request: create,
    as: 'user',
    body: { api_key: { name: '', expires_at: 'x' } },
    status: 422,
    message: '名称不能为空, 过期时间不是有效的时间',
  },
  {
    name: 'an offset is shown in UTC',
    request: create,
    as: 'user',
    body: named({ expires_at: '2099-01-01T08:00:00+08:00' }),
    status: 201,
    contains: ['"expires_at":"2099-01-01T00:00:00.000Z"'],
  },
  {
    name: 'a bare date is midnight UTC',
    request: create,
    as: 'user',
    body: named({ expires_at: '2099-01-01' }),
    status: 201,
    contains: ['"expires_at":"2099-01-01T00:00:00.000Z"'],
  },
  {
    name: 'null never expires',
    request: create,
    as: 'user',
    body: named({ expires_at: null }),
    status: 201,
    contains: ['"expires_at":null'],
  },
  {
    name: 'nothing never expires',
    request: create,
    as: 'user',
    body: named({}),
    status: 201,
    contains: ['"expires_at":null', '"message":"创建成功，请立即保存密钥，之后无法再次查看"'],
  },
  { name: 'a stranger creates none', request: create, body: named({}), status: 401 },
  { name: 'a stranger lists none', request: 'GET /api/v1/api_keys', status: 401 },
  {
    name: 'an id that is none',
    request: 'DELETE /api/v1/api_keys/x',
    as: 'user',
    status: 404,
    code: 40400,
    message: '记录不存在',
  },
  { name: 'an id of 0', request: 'DELETE /api/v1/api_keys/0', as: 'user', status: 404 },
  {
    name: 'an id beyond integers',
    request: 'DELETE /api/v1/api_keys/9999999999999999',
    as: 'user',
    status: 404,
  },
  { name: 'an id with a sign', request: 'DELETE /api/v1/api_keys/+1', as: 'user', status: 404 },
  { name: 'an id in another spelling', request: 'DELETE /api/v1/api_keys/01', as: 'user', status: 404 },
  { name: 'SQL instead of an id', request: "DELETE /api/v1/api_keys/1'--", as: 'user', status: 404 },
];

describeEachDatabase('API keys', (databases) => {
  const service = useService(databases, { apps: ['shop'] });
  let user: TestUser;
  let other: TestUser;
  beforeAll(async () => {
    user = await service.createUser();
    other = await service.createUser();
  });
  const list = (as: TestUser) =>
    service.ok<Record<string, unknown>[]>('GET', '/api/v1/api_keys', { token: as });

  playScenarios(service, scenarios, () => ({ user }));

  it('a new key is 201 with 64 lowercase hex digits, shown once, masked afterwards', async () => {
    const answer = await service.post<Key>('/api/v1/api_keys', {
      token: user,
      body: named({ name: 'once' }),
    });
    expect(answer.status).toBe(201);
    const { data } = answer;
    expect(Object.keys(data)).toEqual(['id', 'name', 'key', 'expires_at', 'created_at']);
    expect(data).toMatchObject({
      name: 'once',
      expires_at: null,
      key: expect.stringMatching(/^[0-9a-f]{64}$/),
      created_at: expect.stringMatching(timestamp),
    });
    const listed = await service.get<Record<string, unknown>[]>('/api/v1/api_keys', { token: user });
    expect(listed.text).not.toContain(data.key);
    expect(listed.text).not.toContain(data.key.slice(8, 20));
    const item = listed.data.find(({ id }) => id === data.id);
    expect(item).toEqual({
      id: data.id,
      name: 'once',
      scopes: null,
      networks: null,
      limit: null,
      quota: null,
      key: `${data.key.slice(0, 8)}****`,
      status: 'active',
      expires_at: null,
      created_at: data.created_at,
      last_used_at: null,
      rotated_at: null,
      secrets: [{ key: `${data.key.slice(0, 8)}****`, last_used_at: null, ends_at: null }],
      user: { id: user.id, username: user.username, name: expect.any(String) },
    });
    const stored = await service.server.services.database.all<object>({
      sql: 'select * from api_keys',
      parameters: [],
    });
    expect(JSON.stringify(stored)).not.toContain(data.key);
  });

  it('201: whose key it is, the caller does not choose', async () => {
    const { id } = await service.ok<Key>('POST', '/api/v1/api_keys', {
      token: user,
      body: {
        api_key: { name: 'mine', user_id: other.id, id: 1, key: '0'.repeat(64), owner: other.id },
        user_id: other.id,
      },
    });
    expect((await list(user)).map((key) => key['id'])).toContain(id);
    expect(await list(other)).toEqual([]);
    expect((await service.get('/api/v1/users', { key: '0'.repeat(64) })).status).toBe(401);
  });

  it('201: a past expires_at makes an expired key, which opens nothing', async () => {
    const { id, key } = await service.createKey(user, '2020-01-01');
    expect((await list(user)).find((one) => one['id'] === id)).toMatchObject({
      status: 'expired',
      expires_at: '2020-01-01T00:00:00.000Z',
    });
    expect((await service.get('/api/v1/users', { key })).status).toBe(401);
    expect((await service.delete(`/api/v1/api_keys/${id}`, { token: user })).text).toBe(
      '{"code":0,"message":"操作成功"}',
    );
  });

  it('a key is listed as expired from the moment at which it opens nothing, by the service’s clock', async () => {
    const expiresAt = new Date(service.clock.now() + 3_600_000).toISOString();
    const { id, key } = await service.createKey(user, expiresAt);
    const admin = await service.admin();
    const seen = async () => {
      const [own] = (await list(user)).filter((one) => one['id'] === id);
      const isActive = async (path: string, token: TestUser) => {
        const active = `${path}?filter[status]=active&sort=status,name&page=1&per_page=1000`;
        const keys = await service.ok<{ id: number }[]>('GET', active, { token });
        return keys.some((one) => one.id === id);
      };
      return [
        (await service.get('/api/v1/users', { key })).status,
        own?.['status'],
        await isActive('/api/v1/api_keys', user),
        await isActive('/admin/api_keys', admin),
      ];
    };
    expect(await seen()).toEqual([200, 'active', true, true]);
    try {
      service.clock.advance(3_601);
      expect(await seen()).toEqual([401, 'expired', false, false]);
      service.clock.advance(-7_200);
      expect(await seen()).toEqual([200, 'active', true, true]);
    } finally {
      service.clock.reset();
    }
  });

  it('404: another user’s key is neither seen nor deleted, and answered like one that is not there', async () => {
    const { id, key } = await service.createKey(other);
    expect((await list(user)).map((one) => one['id'])).not.toContain(id);
    const foreign = await service.delete(`/api/v1/api_keys/${id}`, { token: user });
    const missing = await service.delete('/api/v1/api_keys/999999', { token: user });
    expect([foreign.status, foreign.text]).toEqual([404, missing.text]);
    expect((await service.get('/api/v1/users', { key })).status).toBe(200);
    // Administrators too have their own only on this route.
    expect((await service.delete(`/api/v1/api_keys/${id}`, { token: await service.admin() })).status).toBe(
      404,
    );
  });

  it('200: a deleted key is dead from the next request on, and its id is not used again', async () => {
    const { id, key } = await service.createKey(user);
    expect((await service.delete(`/api/v1/api_keys/${id}`, { token: user })).status).toBe(200);
    expect((await service.get('/api/v1/users', { key })).status).toBe(401);
    expect((await service.delete(`/api/v1/api_keys/${id}`, { token: user })).status).toBe(404);
    expect((await service.createKey(user)).id).toBeGreaterThan(id);
  });

  it('401: a key, a cookie or a signature makes, lists and deletes no keys', async () => {
    const admin = await service.createUser(['admin']);
    const { id, key } = await service.createKey(admin);
    const cookie = await service.signIn(admin);
    const origin = new URL(service.server.config.baseUrl).origin;
    for (const [method, target, body] of [
      ['GET', '/api/v1/api_keys', ''],
      ['POST', '/api/v1/api_keys', JSON.stringify(named({}))],
      ['DELETE', `/api/v1/api_keys/${id}`, ''],
    ] as const) {
      const secret = service.secrets.get('shop') ?? '';
      const signing = { keyId: 'shop', created: service.clock.unix(), nonce: method };
      for (const sent of [
        { key },
        { cookie, headers: { origin: service.origin } },
        { headers: service.sign('shop', body) },
        { headers: { ...signHttp({ method, origin, target }, body, { secret }, signing).headers } },
      ]) {
        const answer = await service.request(method, target, body === '' ? sent : { ...sent, body });
        expect([method, sent, answer.status, answer.json, answer.headers['www-authenticate']]).toEqual([
          ...[method, sent, 401],
          ...[{ code: 40100, message: '未认证' }, 'Bearer realm="gatewright"'],
        ]);
      }
    }
    expect((await list(admin)).map((one) => one['id'])).toEqual([id]);
  });

  it('last_used_at is there after a while', async () => {
    const { id, key } = await service.createKey(user);
    await service.get('/api/v1/users', { key });
    const used = async () => (await list(user)).find((one) => one['id'] === id)?.['last_used_at'];
    await expect.poll(used, { timeout: 12_000, interval: 300 }).toMatch(timestamp);
  });

  it('the list takes the list parameters', async () => {
    const fresh = await service.createUser();
    for (const _ of [1, 2, 3]) await service.createKey(fresh);
    const page = await service.get<{ id: number }[]>(
      '/api/v1/api_keys?page=2&per_page=2&sort=-id&fields=id',
      { token: fresh },
    );
    expect(page.headers['x-total-count']).toBe('3');
    expect(page.headers['link']).toContain(`<${service.server.config.baseUrl}/api/v1/api_keys?`);
    expect(page.data).toEqual([{ id: expect.any(Number) }]);
    const hidden = await service.get('/api/v1/api_keys?filter[user_id]=1', { token: fresh });
    expect([hidden.status, hidden.json.code]).toEqual([400, 40007]);
    expect(
      (await service.get('/api/v1/api_keys?filter[key_hash][starts_with]=0', { token: fresh })).status,
    ).toBe(400);
  });
});
