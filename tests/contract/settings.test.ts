import { beforeAll, describe, expect, it } from 'vitest';
import { defineEndpoint } from '../../src/resources/application/define-endpoint.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { exchange, rawSocket } from '../support/raw-socket.ts';
import { startService, type TestUser, useService } from '../support/service.ts';

const allowedOrigin = 'https://app.example.com';
const exposed = 'X-Total-Count, X-Total-Count-Relation, Link, ETag, Retry-After, Preference-Applied';

describeEachDatabase('CORS', (databases) => {
  const service = useService(databases, { env: { CORS_ORIGINS: `${allowedOrigin},http://localhost:5173` } });
  const preflight = (origin: string, method = 'POST', path = '/api/v1/api_keys') =>
    service.request('OPTIONS', path, {
      headers: {
        origin,
        'access-control-request-method': method,
        'access-control-request-headers': 'authorization,content-type',
      },
    });

  it('204: a preflight of an origin that is listed', async () => {
    for (const origin of [allowedOrigin, 'http://localhost:5173']) {
      const { status, headers, text } = await preflight(origin);
      expect([status, text]).toEqual([204, '']);
      expect(headers).toMatchObject({
        'access-control-allow-origin': origin,
        'access-control-allow-headers':
          'Authorization, X-Api-Key, X-App-Id, X-Timestamp, X-Signature, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Prefer, Content-Type',
        'access-control-allow-methods': expect.stringContaining('PATCH'),
        vary: expect.stringContaining('Origin'),
      });
      expect(headers).not.toHaveProperty('access-control-allow-credentials');
    }
  });

  it('an origin that is not listed gets no headers', async () => {
    for (const origin of [
      `${allowedOrigin}.evil.example`,
      'https://evil.example',
      'null',
      'http://app.example.com',
      `${allowedOrigin}:8443`,
      'https://app.example.co',
      'HTTPS://APP.EXAMPLE.COM',
    ]) {
      for (const answer of [
        await preflight(origin),
        await service.get('/api/v1/health', { headers: { origin } }),
      ])
        expect([origin, answer.headers['access-control-allow-origin']]).toEqual([origin, undefined]);
    }
  });

  it('answers, errors among them, may be read by the page', async () => {
    const token = await service.admin();
    const headers = { origin: allowedOrigin };
    for (const answer of [
      await service.get('/api/v1/users', { token, headers }),
      await service.get('/api/v1/users?page=1', { token, headers }),
      await service.get('/api/v1/users', { headers }),
      await service.get('/api/v1/nothing', { headers }),
      await service.request('PUT', '/api/v1/users', { headers }),
      await service.post('/api/v1/auth/login', { headers, body: '{' }),
      await service.post('/api/v1/auth/login', { headers, body: Buffer.alloc(1_048_577) }),
    ])
      expect([
        answer.status,
        answer.headers['access-control-allow-origin'],
        answer.headers['access-control-expose-headers'],
      ]).toEqual([answer.status, allowedOrigin, exposed]);
  });
});

describeEachDatabase('settings', (databases) => {
  describe('without CORS_ORIGINS', () => {
    const service = useService(databases);
    it('no header of CORS is sent without CORS_ORIGINS', async () => {
      const headers = { origin: allowedOrigin };
      const answers = [
        await service.get('/api/v1/health', { headers }),
        await service.request('OPTIONS', '/api/v1/users', {
          headers: { ...headers, 'access-control-request-method': 'GET' },
        }),
      ];
      for (const answer of answers)
        expect(Object.keys(answer.headers).join()).not.toContain('access-control');
    });
  });

  describe('TRUST_PROXY', () => {
    const service = useService(databases);
    it.each([
      ['::/0', false],
      ['loopback', true],
      ['127.0.0.1', true],
      ['::ffff:127.0.0.0/104', true],
      ['0.0.0.0/0', true],
      ['uniquelocal', false],
    ])('%s, and a proxy with an address of IPv4: %s', async (trusted, believed) => {
      const root = await service.admin();
      const { key } = await service.ok<{ key: string }>('POST', '/api/v1/api_keys', {
        token: root,
        body: { api_key: { name: 'k', networks: ['203.0.113.0/24'] } },
      });
      await using instance = await service.secondInstance({ env: { TRUST_PROXY: trusted } });
      const headers = { 'x-forwarded-for': '203.0.113.7' };
      expect((await instance.get('/api/v1/users', { key, headers })).status).toBe(believed ? 200 : 401);
    });
  });

  describe('BASE_URL with a path', () => {
    const service = useService(databases, { env: { BASE_URL: 'https://api.example.com/gate/' } });
    let user: TestUser;
    beforeAll(async () => {
      user = await service.createUser(['admin']);
    });
    it('the routes answer under it, and nowhere else', async () => {
      expect((await service.get('/gate/api/v1/health')).status).toBe(200);
      expect((await service.get('/gate/admin/users', { token: user })).status).toBe(200);
      for (const path of [
        '/api/v1/health',
        '/admin/users',
        '/gate',
        '/gateapi/v1/health',
        '/x/gate/api/v1/health',
        '/GATE/api/v1/health',
      ])
        expect([path, (await service.get(path, { token: user })).json.code]).toEqual([path, 40401]);
    });
    it('links begin with it, whatever Host says', async () => {
      for (const host of ['api.example.com', 'evil.example']) {
        const { headers } = await service.get('/gate/api/v1/users?page=1&per_page=1', {
          token: user,
          headers: { host, 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'ftp' },
        });
        expect(headers['link']).toMatch(/^<https:\/\/api\.example\.com\/gate\/api\/v1\/users\?/);
        expect(headers['link']).not.toContain('evil');
      }
    });
  });

  describe('LOCALE=en', () => {
    const service = useService(databases, { env: { LOCALE: 'en' } });
    it('every message is English', async () => {
      const token = await service.admin();
      const texts = [
        await service.get('/api/v1/health'),
        await service.get('/api/v1/nothing'),
        await service.get('/api/v1/users'),
        await service.get('/api/v1/users', { token: 'x' }),
        await service.get('/admin/users', { token: await service.createUser() }),
        await service.request('PUT', '/api/v1/health'),
        await service.post('/api/v1/auth/login', { body: '{' }),
        await service.post('/api/v1/auth/login', { body: {} }),
        await service.login('root', 'wrong password'),
        await service.delete('/api/v1/api_keys/9', { token }),
        await service.post('/api/v1/api_keys', { token, body: { api_key: { name: 'x' } } }),
        await service.post('/admin/users', {
          token,
          body: { user: { username: 'a@b', email: 'x', password: 'x', roles: ['x'], name: 1 } },
        }),
        await service.delete('/admin/users/1', { token }),
      ].map(({ json }) => json.message);
      for (const text of texts) expect(text).toMatch(/^[ -~]+$/);
      expect(texts[0]).not.toBe(texts[1]);
    });
  });

  describe('BODY_LIMIT', () => {
    const service = useService(databases, { env: { BODY_LIMIT: '2048' } });
    it('a body above BODY_LIMIT is 413', async () => {
      const login = (bytes: number) =>
        service.post('/api/v1/auth/login', {
          body: `{"account":"a","password":"${'x'.repeat(bytes - 31)}"}`.padEnd(bytes),
        });
      expect((await login(2048)).status).toBe(401);
      const over = await login(2049);
      expect([over.status, over.json.message, over.headers['connection']]).toEqual([
        413,
        '请求体过大，上限为 2048 字节',
        'close',
      ]);
    });
  });

  describe('MIGRATE=off', () => {
    it('refuses to start on an empty database, and starts on one that is up to date', async () => {
      const url = await databases.create();
      await expect(startService(databases, { url, env: { MIGRATE: 'off' } })).rejects.toThrow(
        /MIGRATE=off.*0001_baseline/,
      );
      await (await startService(databases, { url })).close();
      await using service = await startService(databases, { url, env: { MIGRATE: 'off' } });
      expect((await service.get('/api/v1/health?ready')).status).toBe(200);
    });
  });

  describe('ADMIN_USERNAME, ADMIN_EMAIL, ADMIN_PASSWORD', () => {
    it.each([
      ['zh-CN', /^ADMIN_PASSWORD: 密码不能以服务名或账号名称为主/],
      ['en', /^ADMIN_PASSWORD: Password must not be based on the name of the service or of the account/],
    ])('a password that is a name prevents the start, and the message is in %s', async (LOCALE, message) => {
      for (const env of [
        { ADMIN_USERNAME: 'headgardener', ADMIN_PASSWORD: 'HeadGardener1' },
        { ADMIN_EMAIL: 'headgardener@example.com', ADMIN_PASSWORD: 'HeadGardener1' },
        { ADMIN_PASSWORD: 'GateWright1' },
      ])
        await expect(startService(databases, { env: { LOCALE, ...env } })).rejects.toThrow(message);
    });

    it('every mistake of the first administrator is reported at once', async () => {
      const env = { LOCALE: 'en', ADMIN_USERNAME: 'a@b', ADMIN_EMAIL: 'x', ADMIN_PASSWORD: 'short' };
      await expect(startService(databases, { env })).rejects.toThrow(
        /^ADMIN_USERNAME: .*\nADMIN_EMAIL: .*\nADMIN_PASSWORD: Password must have at least 8 characters, and must not be very long \(over 1024 bytes\)$/,
      );
    });
  });

  describe('NODE_ENV=production', () => {
    it('refuses to start without a JWT secret', async () => {
      const env = { NODE_ENV: 'production', JWT_SECRET: '' };
      await expect(startService(databases, { env })).rejects.toThrow(/no JWT secret/);
    });
  });

  describe('close', () => {
    it('lets what is in flight end, and takes nothing new', async () => {
      let release = (): void => {};
      const arrived = Promise.withResolvers<void>();
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      const slow = defineEndpoint({
        method: 'GET',
        path: '/slow',
        auth: [],
        handle: async ({ database }) => {
          arrived.resolve();
          await held;
          await database.ping();
          return 'done';
        },
      });
      const more = Promise.withResolvers<void>();
      const second = defineEndpoint({
        method: 'GET',
        path: '/second',
        auth: [],
        handle: () => {
          more.resolve();
          return { status: 'ok' };
        },
      });
      const service = await startService(databases, { application: { endpoints: [slow, second] } });
      const { port } = service;
      const socket = rawSocket(port);
      socket.write('GET /api/v1/slow HTTP/1.1\r\nHost: x\r\n\r\n');
      await arrived.promise;
      const start = performance.now();
      const closed = service.close();
      const health = 'GET /api/v1/health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
      await expect.poll(() => exchange(port, health)).toBe('');
      // One more on a connection that is there is answered as well, by an envelope.
      socket.write('GET /api/v1/second HTTP/1.1\r\nHost: x\r\n\r\n');
      await more.promise;
      release();
      const text = await socket.closed();
      expect(text.match(/HTTP\/1\.1 \d+|"data":.*?\}/g)).toEqual([
        'HTTP/1.1 200',
        '"data":"done"}',
        'HTTP/1.1 200',
        '"data":{"status":"ok"}',
      ]);
      await closed;
      // The connection asked to be kept: the stop does not wait for its timeout.
      expect(performance.now() - start).toBeLessThan(5000);
    });
  });
});
