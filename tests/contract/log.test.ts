import { beforeAll, describe, expect, it } from 'vitest';
import { defineEndpoint } from '../../src/resources/application/define-endpoint.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { exchange } from '../support/raw-socket.ts';
import { type Key, type TestUser, useService } from '../support/service.ts';

interface Line {
  readonly msg: string;
  readonly [name: string]: unknown;
}

const planted = {
  password: 'planted-password-4417',
  wrong: 'planted-wrong-password-5521',
  body: 'planted-body-text-6632',
  query: 'planted-query-credential-7743',
  path: 'planted-path-credential-8854',
  header: 'planted-header-9965',
  garbage: 'planted-garbage-1176',
} as const;

const application = {
  endpoints: [
    defineEndpoint({
      method: 'POST',
      path: '/fails',
      auth: ['jwt', 'api_key', 'signature'],
      handle: () => {
        throw new Error('a cause without secrets');
      },
    }),
    defineEndpoint({
      method: 'POST',
      path: '/violates',
      auth: [],
      // A refusal of the database repeats the values of the row in its own text.
      handle: async ({ database, body }) => {
        const text = String(body['text']).replaceAll("'", '');
        const insert = () =>
          database.execute({
            sql: `insert into api_keys (user_id, name, key_hash, key_prefix, created_at) values (1, '${text}', '${text}', 'x', '2026-01-01')`,
            parameters: [],
          });
        await insert();
        await insert().catch((cause: unknown) => {
          throw new Error('the second one broke', { cause });
        });
        return undefined;
      },
    }),
  ],
};

describeEachDatabase('the log', (databases) => {
  const service = useService(databases, { application, apps: ['shop'], env: { LOG_LEVEL: 'trace' } });
  let user: TestUser;
  let key: Key;
  beforeAll(async () => {
    user = await service.createUser(['admin']);
    key = await service.createKey(user);
  });
  const linesOf = async (steps: () => Promise<unknown>): Promise<Line[]> => {
    // The lines of what was answered before are written in the turn of the event loop that answered it.
    await new Promise((resolve) => setImmediate(resolve));
    const before = service.lines.length;
    await steps();
    // The line of the last request is written when its answer is out.
    await expect
      .poll(() => service.lines.slice(before).some((line) => line.includes('"msg":"request"')))
      .toBe(true);
    const lines = service.lines.slice(before).map((line) => JSON.parse(line) as Line);
    // A timer of the service asks once a second whether the database is still the same.
    return lines.filter(({ requestId }) => requestId !== null);
  };
  const requestLine = async (steps: () => Promise<unknown>): Promise<Line | undefined> =>
    (await linesOf(steps)).find(({ msg }) => msg === 'request');

  describe('has one line a request, with id, method, route, status, time, method of authentication and principal', () => {
    it('the log has one line for a request of a stranger', async () => {
      const lines = await linesOf(() => service.get('/api/v1/health?x=1'));
      expect(lines).toEqual([
        expect.objectContaining({
          level: 30,
          requestId: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-z]+$/),
          method: 'GET',
          route: '/api/v1/health',
          status: 200,
          milliseconds: expect.any(Number),
          auth: null,
          principal: null,
        }),
      ]);
    });

    it('the log has one line for a request of a user, by token, key and cookie', async () => {
      const cookie = await service.signIn(user);
      expect(await requestLine(() => service.get('/api/v1/users', { token: user }))).toMatchObject({
        auth: 'jwt',
        principal: user.id,
        status: 200,
      });
      expect(await requestLine(() => service.get('/api/v1/users', { key: key.key }))).toMatchObject({
        auth: 'api_key',
        principal: user.id,
      });
      expect(await requestLine(() => service.get('/admin/users', { cookie }))).toMatchObject({
        auth: 'session',
        principal: user.id,
      });
    });

    it('the log has one line for a request of an application', async () => {
      const body = '{"a":1}';
      const line = await requestLine(() =>
        service.post('/api/v1/payment', { body, headers: service.sign('shop', body) }),
      );
      expect(line).toMatchObject({
        auth: 'signature',
        principal: 'shop',
        route: '/api/v1/payment',
        status: 201,
      });
    });

    it('the log names the route of a refused request and not its path, and the caller as far as known', async () => {
      expect(
        await requestLine(() => service.delete('/api/v1/api_keys/123456', { token: user })),
      ).toMatchObject({ route: '/api/v1/api_keys/:id', status: 404, principal: user.id });
      expect(await requestLine(() => service.get('/api/v1/users', { token: 'x' }))).toMatchObject({
        status: 401,
        principal: null,
      });
      expect(await requestLine(() => service.get(`/api/v1/${planted.path}`))).toMatchObject({
        status: 404,
        route: null,
      });
      expect(await requestLine(() => service.request('PUT', '/api/v1/users'))).toMatchObject({ status: 405 });
    });
  });

  it('holds nothing secret, on the level that tells most', async () => {
    const secret = service.secrets.get('shop') ?? '';
    const cookie = await service.signIn(user);
    const body = JSON.stringify({ order_no: planted.body });
    const signed = service.sign('shop', body);
    const { id } = await service.ok<{ id: number }>('POST', '/admin/users', {
      token: user,
      body: { user: { username: 'planted', email: 'planted@example.com', password: planted.password } },
    });
    const login = await service.login('planted', planted.password);
    await service.login('planted', planted.wrong);
    await service.login(planted.wrong, planted.wrong);
    const { stdout } = await service.command(
      'key',
      'create',
      '--username',
      'planted',
      '--name',
      'x',
      '--json',
    );
    const made = (JSON.parse(stdout) as { key: string }).key;
    const everything = {
      token: login.data.token,
      key: made,
      cookie,
      headers: { ...signed, 'x-planted': planted.header },
    };
    for (const path of [
      '/api/v1/users',
      '/api/v1/fails',
      '/api/v1/payment',
      `/api/v1/${planted.path}`,
      `/admin/${planted.path}`,
      `/api/v1/users?access_token=${planted.query}`,
      `/api/v1/api_keys/${planted.path}?key=${planted.query}`,
      `/admin/users?filter[${planted.query}]=1`,
      `/api/v1/%zz${planted.path}`,
      `/${planted.path}%ff`,
    ])
      for (const method of ['GET', 'POST', 'DELETE', 'PATCH', 'PUT'])
        if (method !== 'DELETE' || !path.endsWith('session'))
          await service.request(method, path, { ...everything, body });
    await service.post('/api/v1/auth/login', {
      body: `{"account":"${planted.body}","password":"${planted.wrong}`,
    });
    expect((await service.post('/api/v1/violates', { body: { text: planted.body } })).status).toBe(500);
    expect(service.lines.some((line) => line.includes('constraint violated'))).toBe(true);
    await service.post('/api/v1/payment', { body: Buffer.alloc(1_048_577, planted.body), headers: signed });
    await service.request('PUT', '/api/v1/auth/password', {
      token: login.data.token,
      body: { current_password: planted.wrong, password: planted.password },
    });
    for (const text of [
      `GET /${planted.garbage} HTTP/9\r\n\r\n`,
      `${planted.garbage}\r\n\r\n`,
      `GET / HTTP/1.1\r\nHost: x\r\nAuthorization ${planted.garbage}\r\n\r\n`,
      `GET / HTTP/1.1\r\nHost: x\r\nX: ${planted.garbage.repeat(2000)}\r\n\r\n`,
      `POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz${planted.garbage}\r\n\r\n`,
    ])
      await exchange(service.port, text);
    await service.ok('DELETE', `/admin/users/${id}`, { token: user });
    const log = service.lines.join('');
    expect(log).toContain('a cause without secrets');
    const secrets = {
      ...planted,
      token: login.data.token,
      user: user.token,
      key: made,
      prefix: made.slice(8, 24),
      other: key.key,
      cookie: cookie.split('=')[1] ?? '',
      secret,
      signature: signed['x-signature'],
      jwt: service.env['JWT_SECRET'] ?? '',
      hash: '$argon2',
      admin: service.env['ADMIN_PASSWORD'] ?? '',
    };
    const found = Object.entries(secrets)
      .filter(([, text]) => text === '' || log.includes(text))
      .map(([name]) => name);
    expect(found).toEqual([]);
  });
});

describeEachDatabase('the log at other levels', (databases) => {
  // On a busy machine any statement may be slow.
  const service = useService(databases, { env: { LOG_LEVEL: 'warn', SLOW_QUERY: 'off' } });
  it('a request leaves no line at warn', async () => {
    const before = service.lines.length;
    await service.get('/api/v1/health');
    await service.get('/api/v1/users');
    expect(service.lines.slice(before)).toEqual([]);
  });
});
