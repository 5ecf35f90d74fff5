import { randomBytes } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeDatabase, postgresAt } from '../support/databases.ts';
import { Network } from '../support/network.ts';
import { createPostgres, type PostgresServer } from '../support/postgres.ts';
import { type Key, Service, type TestUser, useService } from '../support/service.ts';

/** Every kind of request that needs the database, and the credentials with which each would succeed. */
const requests = (service: Service, admin: TestUser, key: Key, cookie: string) => {
  const body = '{"order_no":"while-away"}';
  const headers = { origin: service.origin };
  return {
    'GET /api/v1/health?ready': {},
    'POST /api/v1/auth/login': { body: { account: admin.username, password: admin.password } },
    'GET /api/v1/auth/me': { token: admin },
    'GET /api/v1/users': { key: key.key },
    'GET /api/v1/users?page=1': { token: admin, key: key.key },
    'GET /api/v1/api_keys': { token: admin },
    'POST /api/v1/api_keys': { token: admin, body: { api_key: { name: 'x' } } },
    'POST /api/v1/payment': { body, headers: service.sign('shop', body) },
    'GET /admin/session': { cookie },
    'POST /admin/session': { body: { account: admin.username, password: admin.password } },
    [`DELETE /api/v1/api_keys/${key.id}`]: { token: admin },
    [`DELETE /admin/api_keys/${key.id}`]: { cookie, headers },
    [`DELETE /admin/users/${admin.id}`]: { token: admin },
    [`PATCH /admin/users/${admin.id}`]: { token: admin, body: { user: { disabled: true } } },
    'DELETE /admin/permissions/viewer/Note/create': { token: admin },
    'DELETE /admin/sessions': { cookie, headers },
    'DELETE /admin/session': { cookie, headers },
    'PUT /api/v1/auth/password': {
      token: admin,
      body: { current_password: admin.password, password: 'a new kettle 77' },
    },
  } as const;
};

describe('PostgreSQL goes away under the service', () => {
  let server: PostgresServer;
  let service: Service;
  let admin: TestUser;
  let key: Key;
  let cookie: string;

  beforeAll(async () => {
    server = await createPostgres();
    await server.start();
    service = await new Service(
      postgresAt(() => server.url),
      { apps: ['shop'] },
    ).start();
    admin = await service.createUser(['super_admin']);
    key = await service.createKey(admin);
    cookie = await service.signIn(admin);
  });
  afterAll(async () => {
    await service?.close();
    await server?.remove();
  });

  it('everything that needs it is 503 with Retry-After, never 401 and never a success; then all goes on', {
    timeout: 120_000,
  }, async () => {
    await server.stop();
    for (const [request, options] of Object.entries(requests(service, admin, key, cookie))) {
      const [method = '', path = ''] = request.split(' ');
      const { status, json } = await service.request(method, path, options);
      expect([request, status, json]).toEqual([
        request,
        503,
        { code: 50300, message: '数据库暂不可用，请稍后再试' },
      ]);
    }
    // An endpoint without the database works as ever.
    expect((await service.get('/api/v1/health')).status).toBe(200);
    expect((await service.get('/api/v1/users')).status).toBe(401);
    expect((await service.get('/api/v1/users', { token: 'x' })).status).toBe(401);
    expect((await service.get('/api/v1/nothing')).status).toBe(404);
    expect((await service.get('/api/v1/users', { token: 'x', key: key.key })).status).toBe(503);
    expect(service.lines.join()).toContain('ECONNREFUSED');
    await server.start();
    await expect
      .poll(async () => (await service.get('/api/v1/health?ready')).status, { timeout: 20_000 })
      .toBe(200);
    // Nothing of what was refused has happened.
    expect((await service.get('/api/v1/users', { key: key.key })).status).toBe(200);
    expect((await service.get('/admin/session', { cookie })).status).toBe(200);
    expect((await service.login(admin.username, admin.password)).status).toBe(200);
    expect(await service.ok('GET', '/admin/payments', { token: admin })).toEqual([]);
  });
});

describe('PostgreSQL cannot be reached at the start', () => {
  it('the start fails with a line that names no password', async () => {
    const url = 'postgres://someone:planted-password@127.0.0.1:1/none';
    const service = new Service(postgresAt(() => url));
    const failed = await service.start().catch((error: unknown) => error);
    await service.close();
    expect(failed).toBeInstanceOf(Error);
    expect(String(failed)).not.toContain('planted-password');
    expect(service.lines.join()).not.toContain('planted-password');
  });
});

/** The database is reachable, and refuses one kind of write. */
const refusals = {
  postgres: async (url: string, table: string): Promise<void> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client
      .query(
        `create function refuse() returns trigger language plpgsql as 'begin raise exception ''planted-refusal''; end'`,
      )
      .catch(() => {});
    await client.query(
      `create trigger refuse_${table} before insert or update or delete on ${table} for each row execute function refuse()`,
    );
    await client.end();
  },
  sqlite: (url: string, table: string): Promise<void> => {
    const database = new DatabaseSync(url.replace('sqlite:', ''));
    for (const event of ['insert', 'update', 'delete'])
      database.exec(
        `create trigger refuse_${table}_${event} before ${event} on ${table} begin select raise(abort, 'planted-refusal'); end`,
      );
    database.close();
    return Promise.resolve();
  },
} as const;

for (const dialect of ['sqlite', 'postgres'] as const)
  describeDatabase(dialect, 'the database refuses to write', (databases) => {
    const service = useService(databases, { apps: ['shop'] });

    it('a revocation that cannot be stored is 5xx, never a success, and nothing of it holds', async () => {
      const root = await service.admin();
      const user = await service.createUser(['admin']);
      const key = await service.createKey(user);
      const cookie = await service.signIn(user);
      const url = service.env['DATABASE_URL'] ?? '';
      const before = service.lines.length;
      // The line of the audit log is part of the change: without it there is none.
      await refusals[dialect](url, 'audit');
      const headers = { origin: service.origin };
      const attempts = [
        await service.delete(`/api/v1/api_keys/${key.id}`, { token: user }),
        await service.delete(`/admin/api_keys/${key.id}`, { token: root }),
        await service.delete(`/admin/users/${user.id}`, { token: root }),
        await service.request('PATCH', `/admin/users/${user.id}`, {
          token: root,
          body: { user: { disabled: true } },
        }),
        await service.request('PATCH', `/admin/users/${user.id}`, {
          token: root,
          body: { user: { roles: ['viewer'] } },
        }),
        await service.delete('/admin/session', { cookie, headers }),
        await service.delete('/admin/sessions', { cookie, headers }),
        await service.request('PUT', '/api/v1/auth/password', {
          token: user,
          body: { current_password: user.password, password: randomBytes(9).toString('hex') },
        }),
        await service.post('/admin/session', { body: { account: user.username, password: user.password } }),
        await service.post('/api/v1/api_keys', { token: user, body: { api_key: { name: 'x' } } }),
      ];
      for (const { status, text, headers: answered } of attempts) {
        expect([status, text.includes('planted-refusal'), answered['set-cookie']]).toEqual([
          500,
          false,
          undefined,
        ]);
      }
      expect(service.lines.slice(before).join()).toContain('planted-refusal');
      expect((await service.get('/api/v1/users', { key: key.key })).status).toBe(200);
      expect((await service.get('/admin/session', { cookie })).status).toBe(200);
      expect((await service.login(user.username, user.password)).status).toBe(200);
    });

    it('a login whose failure cannot be counted is 5xx, not one more guess', async () => {
      const { username, password: right } = await service.admin();
      await refusals[dialect](service.env['DATABASE_URL'] ?? '', 'login_attempts');
      for (const password of ['wrong password', right]) {
        const { status } = await service.login(username, password);
        expect(status).toBe(500);
      }
    });
  });

describeDatabase('postgres', 'a write whose answer from the database is lost', (databases) => {
  let network: Network;
  let service: Service;

  beforeAll(async () => {
    network = await Network.before(await databases.create());
    service = await new Service(databases, { url: network.url, apps: ['shop'] }).start();
  });
  afterAll(async () => {
    await service?.close();
    await network?.close();
  });

  it('a write whose answer is lost is 50302 without Retry-After, and is not doubled by the same signed request', async () => {
    const admin = await service.admin();
    const body = '{"order_no":"once"}';
    const signed = service.sign('shop', body);
    network.arm('commit', 'cut');
    const { status, json, headers } = await service.post('/api/v1/payment', { body, headers: signed });
    network.disarm();
    expect(json).toMatchObject({ code: 50302, message: expect.stringContaining('Idempotency-Key') });
    expect([status, headers['retry-after']]).toEqual([503, undefined]);
    expect((await service.post('/api/v1/payment', { body, headers: signed })).status).toBe(201);
    const payments = await service.ok('GET', '/admin/payments', { token: admin });
    expect(payments).toMatchObject([{ order_no: 'once' }]);
  });
});
