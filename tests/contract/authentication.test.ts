import { createHmac } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { defineEndpoint } from '../../src/resources/application/define-endpoint.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { type Key, type TestUser, useService } from '../support/service.ts';

const encode = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

/** A token as anyone with the secret could make it. */
const tokenOf = (secret: string, claims: unknown, header: object = { alg: 'HS256', typ: 'JWT' }): string => {
  const input = `${encode(header)}.${encode(claims)}`;
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
};

const decoded = (token: string, part: 0 | 1): unknown =>
  JSON.parse(Buffer.from(token.split('.')[part] ?? '', 'base64url').toString());

const application = {
  endpoints: [
    defineEndpoint({
      method: 'GET',
      path: '/any',
      auth: ['jwt', 'api_key', 'signature'],
      handle: ({ principal }) => (principal.kind === 'nobody' ? 'nobody' : principal.method),
    }),
    defineEndpoint({ method: 'GET', path: '/default', handle: ({ principal }) => principal.kind }),
    defineEndpoint({
      method: 'POST',
      path: '/roles',
      roles: ['admin'],
      auth: ['jwt', 'signature'],
      handle: () => 'in',
    }),
  ],
};

describeEachDatabase('authentication', (databases) => {
  const service = useService(databases, { application, apps: ['shop'] });
  let user: TestUser;
  let key: Key;
  const secret = () => service.env['JWT_SECRET'] ?? '';
  const later = () => service.clock.unix() + 60;
  const me = (token: string) => service.get('/api/v1/auth/me', { token });
  beforeAll(async () => {
    user = await service.createUser(['viewer'], { name: '陆 Emília' });
    key = await service.createKey(user);
  });

  describe('tokens', () => {
    it('tokens hold user_id and exp and nothing else, signed by HS256, good for 24 hours', async () => {
      const before = service.clock.unix();
      const { data } = await service.login(user.username, user.password);
      expect(decoded(data.token, 0)).toEqual({ alg: 'HS256', typ: 'JWT' });
      const claims = decoded(data.token, 1) as { exp: number };
      expect(claims).toEqual({ user_id: user.id, exp: expect.any(Number) });
      expect(claims.exp - before - 86_400).toBeGreaterThanOrEqual(0);
      expect(claims.exp - before - 86_400).toBeLessThanOrEqual(3);
    });

    it('tokens can be made by anyone who holds the secret', async () => {
      expect((await me(tokenOf(secret(), { user_id: user.id, exp: later() }))).status).toBe(200);
    });

    it('tokens end after 24 hours, to the second', async () => {
      const token = await service.tokenOf(user.id);
      const { exp } = decoded(token, 1) as { exp: number };
      try {
        service.clock.advance(exp - service.clock.unix() - 2);
        expect((await me(token)).status).toBe(200);
        service.clock.advance(2);
        const { status, json } = await me(token);
        expect([status, json]).toEqual([401, { code: 40101, message: '令牌无效或已过期' }]);
      } finally {
        service.clock.reset();
      }
    });

    it('401 for every other text, and always the same answer', async () => {
      const good = await service.tokenOf(user.id);
      const [head = '', payload = '', signature = ''] = good.split('.');
      const claims = { user_id: user.id, exp: later() };
      const forged: Readonly<Record<string, string>> = {
        nothing: '',
        'a word': 'token',
        'two parts': `${head}.${payload}`,
        'four parts': `${good}.x`,
        'no signature': `${head}.${payload}.`,
        'another signature': `${head}.${payload}.${'A'.repeat(43)}`,
        'a longer signature': `${good}A`,
        padding: `${good}=`,
        'other spelling of the signature':
          `${head}.${payload}.${signature.slice(0, -1)}${signature.endsWith('A') ? 'B' : `${signature.slice(-1)}`}`.replace(
            /.$/,
            '_',
          ),
        'alg none': `${encode({ alg: 'none' })}.${payload}.`,
        'alg None': tokenOf(secret(), claims, { alg: 'None' }),
        'alg HS512': tokenOf(secret(), claims, { alg: 'HS512' }),
        'alg RS256': tokenOf(secret(), claims, { alg: 'RS256' }),
        'alg hs256': tokenOf(secret(), claims, { alg: 'hs256' }),
        'alg as a list': tokenOf(secret(), claims, { alg: ['HS256'] }),
        'no alg': tokenOf(secret(), claims, {}),
        'an unknown crit': tokenOf(secret(), claims, { alg: 'HS256', crit: ['x'], x: 1 }),
        'an empty key': tokenOf('', claims),
        'another secret': tokenOf(`${secret()}x`, claims),
        'a text as user_id': tokenOf(secret(), { ...claims, user_id: String(user.id) }),
        'no user_id': tokenOf(secret(), { exp: later() }),
        'a list as user_id': tokenOf(secret(), { ...claims, user_id: [user.id] }),
        'user_id 0': tokenOf(secret(), { ...claims, user_id: 0 }),
        'user_id below 0': tokenOf(secret(), { ...claims, user_id: -user.id }),
        'half a user_id': tokenOf(secret(), { ...claims, user_id: user.id + 0.5 }),
        'a user_id beyond integers': tokenOf(secret(), `{"user_id":1e300,"exp":${later()}}`),
        'a user_id beyond the column': tokenOf(secret(), { ...claims, user_id: Number.MAX_SAFE_INTEGER }),
        'nobody’s user_id': tokenOf(secret(), { ...claims, user_id: 999_999 }),
        'no exp': tokenOf(secret(), { user_id: user.id }),
        'exp as a text': tokenOf(secret(), { ...claims, exp: String(later()) }),
        'exp null': tokenOf(secret(), { ...claims, exp: null }),
        'half an exp': tokenOf(secret(), { ...claims, exp: later() + 0.5 }),
        'an endless exp': tokenOf(secret(), `{"user_id":${user.id},"exp":1e999}`),
        'exp now': tokenOf(secret(), { ...claims, exp: service.clock.unix() }),
        'a list as claims': tokenOf(secret(), [user.id]),
        'no JSON': tokenOf(secret(), 'x'),
        'a megabyte less a little': `${'A'.repeat(8000)}.${payload}.${signature}`,
      };
      for (const [name, token] of Object.entries(forged)) {
        const { status, text } = await me(token);
        expect([name, status, text]).toEqual([name, 401, '{"code":40101,"message":"令牌无效或已过期"}']);
      }
    });

    it('the scheme is case-insensitive, with one space or more behind it (RFC 9110, 11.1)', async () => {
      const { token } = user;
      for (const authorization of [`bearer ${token}`, `BEARER ${token}`, `Bearer  ${token}`])
        expect((await service.get('/api/v1/auth/me', { headers: { authorization } })).status).toBe(200);
    });

    it('every other spelling of the header is 401', async () => {
      const { token } = user;
      for (const authorization of [
        token,
        `Bearer${token}`,
        `JWT ${token}`,
        `Basic ${Buffer.from(`${user.username}:${user.password}`).toString('base64')}`,
        'Bearer',
        'Bearer ',
        `Bearer ${token}, Bearer ${token}`,
        `Bearer ${token} x`,
        '',
      ]) {
        const { status, json } = await service.get('/api/v1/auth/me', { headers: { authorization } });
        expect([authorization, status, json.code]).toEqual([authorization, 401, 40101]);
      }
    });

    it('a new secret ends all of them, and sessions too', async () => {
      const admin = await service.admin();
      const cookie = await service.signIn(admin);
      const second = await service.secondInstance({
        env: { JWT_SECRET: 'another secret of at least 32 bytes' },
      });
      expect((await second.get('/api/v1/auth/me', { token: user })).status).toBe(401);
      expect((await second.get('/admin/session', { cookie })).status).toBe(401);
      expect((await second.get('/api/v1/users', { key: key.key })).status).toBe(200);
      expect((await service.get('/admin/session', { cookie })).status).toBe(200);
    });
  });

  describe('GET /api/v1/auth/me', () => {
    it('GET /api/v1/auth/me returns the user, and nothing else', async () => {
      const { json } = await service.get('/api/v1/auth/me', { token: user });
      const { id, username, email } = user;
      const data = { id, username, email, name: '陆 Emília', roles: ['viewer'] };
      expect(json).toEqual({ code: 0, message: '操作成功', data });
    });

    it('401: takes no key, signature or cookie', async () => {
      const cookie = await service.signIn(await service.admin());
      for (const sent of [{ key: key.key }, { headers: service.sign('shop', '') }, { cookie }])
        expect((await service.get('/api/v1/auth/me', sent)).json.code).toBe(40100);
    });
  });

  describe('keys', () => {
    it('200: its holder acts as its owner', async () => {
      const { data } = await service.get<unknown[]>('/api/v1/users', { key: key.key });
      expect(data).toEqual([expect.objectContaining({ id: user.id, username: user.username })]);
    });

    it('401 for every other text, and always the same answer', async () => {
      const { key: good } = key;
      const hash = createHmac('sha256', '').update(good).digest('hex');
      for (const sent of [
        '',
        good.toUpperCase(),
        good.slice(1),
        `${good}0`,
        `${good.slice(0, -1)}g`,
        `0x${good.slice(2)}`,
        `${good}, ${good}`,
        `${good} x`,
        hash,
        `${good.slice(0, 8)}****`,
        good.slice(0, 8),
        "' or 1=1 --",
        '0'.repeat(64),
      ]) {
        const { status, text } = await service.get('/api/v1/users', { key: sent });
        expect([sent, status, text]).toEqual([sent, 401, '{"code":40102,"message":"API 密钥无效或已过期"}']);
      }
    });

    it('keys do not pass in the query string or the body', async () => {
      for (const name of ['api_key', 'x-api-key', 'token', 'access_token'])
        expect((await service.get(`/api/v1/users?${name}=${key.key}`)).status).toBe(401);
    });

    it('keys hold until they expire, to the millisecond', async () => {
      const expires = new Date(service.clock.now() + 60_000).toISOString();
      const { key: short } = await service.createKey(user, expires);
      try {
        expect((await service.get('/api/v1/users', { key: short })).status).toBe(200);
        service.clock.advance((Date.parse(expires) - service.clock.now()) / 1000);
        expect((await service.get('/api/v1/users', { key: short })).json.code).toBe(40102);
      } finally {
        service.clock.reset();
      }
    });
  });

  describe('an endpoint that takes several methods', () => {
    const bad = { token: 'x', key: 'y' };
    it('200: any one is enough, whatever the others are', async () => {
      for (const sent of [
        { token: user },
        { key: key.key },
        { token: user, key: 'y' },
        { token: 'x', key: key.key },
        { token: user, key: key.key },
      ])
        expect((await service.get('/api/v1/users', sent)).status).toBe(200);
      const headers = service.sign('shop', '');
      expect((await service.get('/api/v1/any', { ...bad, headers })).data).toBe('signature');
      expect(
        (await service.get('/api/v1/any', { headers: { ...headers, 'x-signature': 'no' }, key: key.key }))
          .data,
      ).toBe('api_key');
    });

    it('401: all of them are asked for, each once', async () => {
      const { headers, json } = await service.get('/api/v1/users');
      expect(headers['www-authenticate']).toBe(
        'ApiKey realm="gatewright", header="X-Api-Key", Bearer realm="gatewright"',
      );
      expect(json).toEqual({ code: 40100, message: '未认证' });
      expect((await service.get('/api/v1/users', bad)).status).toBe(401);
    });

    it('an endpoint of the application’s own takes tokens where it names nothing', async () => {
      expect((await service.get('/api/v1/default', { token: user })).data).toBe('user');
      expect((await service.get('/api/v1/default', { key: key.key })).status).toBe(401);
      expect((await service.get('/api/v1/default')).status).toBe(401);
    });

    it('403: an application has no role; who has the role is in, and super_admin always', async () => {
      const body = '{}';
      const path = '/api/v1/roles';
      expect((await service.post(path, { body, headers: service.sign('shop', body) })).status).toBe(403);
      expect((await service.post(path, { body, token: user })).status).toBe(403);
      expect((await service.post(path, { body, token: await service.createUser(['admin']) })).status).toBe(
        200,
      );
      expect((await service.post(path, { body, token: await service.admin() })).status).toBe(200);
    });
  });

  describe('GET /api/v1/users', () => {
    it('200: others see themselves, administrators everybody, and never a hash', async () => {
      const admin = await service.createUser(['admin', 'viewer']);
      const own = await service.get<unknown[]>('/api/v1/users', { token: user });
      expect(own.data).toHaveLength(1);
      const all = await service.get<Record<string, unknown>[]>('/api/v1/users', { token: admin });
      expect(all.data.length).toBeGreaterThan(2);
      for (const row of all.data)
        expect(Object.keys(row)).toEqual(['id', 'username', 'email', 'name', 'roles']);
      expect(all.data.find(({ id }) => id === admin.id)?.['roles']).toEqual(['admin', 'viewer']);
    });

    it('200: a filter that names others finds no user', async () => {
      const admin = await service.admin();
      for (const query of [
        `filter[id]=${admin.id}`,
        `filter[username]=${admin.username}`,
        'q=root',
        'filter[id][gt]=0&q=root',
      ])
        expect((await service.get(`/api/v1/users?${query}`, { token: user })).text).toBe(
          '{"code":0,"message":"操作成功","data":[]}',
        );
    });

    it('400: hidden fields and such that do not exist are answered alike', async () => {
      const answers = new Set<string>();
      for (const field of ['password_hash', 'username_canonical', 'nothing', 'disabled'])
        for (const query of [
          `filter[${field}]=x`,
          `filter[${field}][like]=x`,
          `sort=${field}`,
          `fields=${field}`,
        ]) {
          const { status, text } = await service.get(`/api/v1/users?${query}`, { token: user });
          expect([query, status]).toEqual([query, 400]);
          answers.add(text.replaceAll(field, '?'));
        }
      expect([...answers]).toEqual(['{"code":40007,"message":"字段 ? 不可用"}']);
    });
  });
});
