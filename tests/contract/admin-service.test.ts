import { beforeAll, expect, it } from 'vitest';
import { readConfig, settingsOf } from '../../src/app/config.ts';
import { variables } from '../../src/app/variables.ts';
import { createTable } from '../../src/database/migrations/application-steps.ts';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { defineEndpoint } from '../../src/resources/application/define-endpoint.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { type TestUser, useService } from '../support/service.ts';

const fields = { title: field.string({ required: true }) };

it('settings name every variable, and of secrets only whether there is one', () => {
  const secret = 'a secret of at least thirty-two bytes, this one';
  const config = readConfig({
    JWT_SECRET: secret,
    METRICS_PORT: '0',
    METRICS_TOKEN: 'a-token-of-metrics-1234',
    ADMIN_PASSWORD: secret,
    CREDENTIALS_KEY: secret,
    DATABASE_URL: `postgres://shop:p%40ss:w@rd@db.example:5432/shop?password=${secret}`,
    DATABASE_READ_URL: `postgres://shop:other@replica.example/shop`,
  });
  const settings = settingsOf(config);
  expect(settings.map(({ name }) => name)).toEqual(variables.map(({ name }) => name));
  const shown = (of: string) => settings.find(({ name }) => name === of)?.value;
  expect([shown('DATABASE_URL'), shown('DATABASE_READ_URL')]).toEqual([
    'db.example:5432/shop',
    'replica.example/shop',
  ]);
  expect(settings.filter(({ secret: isSecret }) => isSecret).map(({ name, value }) => [name, value])).toEqual(
    [
      ['METRICS_TOKEN', true],
      ['JWT_SECRET', true],
      ['CREDENTIALS_KEY', true],
      ['ADMIN_PASSWORD', true],
    ],
  );
  const text = JSON.stringify(settings);
  for (const hidden of [secret, 'a-token-of', 'p%40ss', 'rd@', 'other']) expect(text).not.toContain(hidden);
  expect(settingsOf(readConfig({})).find(({ name }) => name === 'METRICS_TOKEN')?.value).toBe(false);
});

describeEachDatabase('what an administrator sees of the service itself', (databases) => {
  const go = Promise.withResolvers<void>();
  const entered = Promise.withResolvers<void>();
  const service = useService(databases, {
    env: { LOCALE: 'en' },
    application: {
      resources: [defineResource('Note', { fields, permissions: 'writes', auth: ['jwt', 'api_key'] })],
      endpoints: [
        defineEndpoint({
          method: 'GET',
          path: '/slow',
          auth: [],
          handle: async () => {
            entered.resolve();
            await go.promise;
            return 'at last';
          },
        }),
      ],
      migrations: {
        '0001_notes': { up: (db, dialect) => createTable(db, dialect, 'notes', { fields }) },
      },
    },
  });
  let root: TestUser;
  beforeAll(async () => {
    root = await service.admin();
  });

  interface Route {
    readonly name: string;
    readonly requests: number;
    readonly refused: number;
    readonly failed: number;
    readonly p50: number;
    readonly p95: number;
  }
  const routes = (query = '') => service.ok<Route[]>('GET', `/admin/routes${query}`, { token: root });

  it('tells version, database and settings to administrators only', async () => {
    const viewer = await service.createUser();
    expect((await service.get('/admin/service')).status).toBe(401);
    expect((await service.get('/admin/service', { token: viewer })).status).toBe(403);
    const about = await service.ok<{ settings: { name: string; value: unknown }[] }>(
      'GET',
      '/admin/service',
      {
        token: root,
      },
    );
    expect(about).toMatchObject({
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      node: process.version,
      database: service.dialect,
    });
    expect(about.settings.find(({ name }) => name === 'LOCALE')?.value).toBe('en');
    expect(JSON.stringify(about)).not.toContain(service.env['JWT_SECRET']);
  });

  it('measures routes by their times, refusals and failures, on every instance, without its own requests', async () => {
    const second = await service.secondInstance();
    await service.ok('POST', '/api/v1/notes', { token: root, body: { note: { title: 'one' } } });
    const viewer = await service.createUser();
    for (let time = 0; time < 18; time += 1) await service.get(`/api/v1/notes/${time + 1}`, { token: root });
    await second.get('/api/v1/notes/1', { token: root });
    await second.get('/api/v1/notes/1', { token: root });
    await service.post('/api/v1/notes', { token: viewer, body: { note: { title: 'two' } } });
    const asked = service.get('/api/v1/slow');
    await entered.promise;
    const began = performance.now();
    await expect.poll(() => performance.now() - began, { interval: 10 }).toBeGreaterThan(120);
    go.resolve();
    await asked;
    await second.server.services.routeTimes.flush();
    const all = await routes();
    // The slowest comes first.
    expect(all[0]).toMatchObject({ name: 'GET /api/v1/slow', requests: 1 });
    expect(all[0]?.p95).toBeGreaterThanOrEqual(150);
    const named = (of: string) => all.find(({ name }) => name === of);
    expect(named('GET /api/v1/notes/:id')).toMatchObject({ requests: 20, refused: 17, failed: 0 });
    expect(named('POST /api/v1/notes')).toMatchObject({ requests: 2, refused: 1, failed: 0 });
    const detail = named('GET /api/v1/notes/:id');
    expect(detail?.p50).toBeGreaterThan(0);
    expect(detail?.p95).toBeGreaterThanOrEqual(detail?.p50 ?? Infinity);
    expect(all.filter(({ name }) => name.includes('/admin'))).toEqual([]);
    expect((await routes('?filter[refused][gt]=0&sort=-refused')).map(({ name }) => name)).toEqual([
      'GET /api/v1/notes/:id',
      'POST /api/v1/notes',
    ]);
  });

  it('computes p95 over the steps of all hours, and forgets them after a day', async () => {
    const { database, routeTimes } = service.server.services;
    const hour = new Date(service.clock.now()).toISOString().slice(0, 13);
    const add = (at: string, bound: number, requests: number) =>
      database.execute({
        sql: `insert into gatewright_route_times (hour, method, route, bound, requests, refused, failed)
          values ('${at}', 'GET', '/api/v1/known', ${bound}, ${requests}, 0, ${bound === 500 ? 1 : 0})`,
        parameters: [],
      });
    await add(hour, 1, 40);
    await add('2020-01-01T00', 1, 20);
    await add(hour, 5, 35);
    await add(hour, 500, 5);
    const known = async () => (await routes('?filter[route]=/api/v1/known'))[0];
    expect(await known()).toMatchObject({ requests: 100, failed: 1, p50: 1, p95: 5 });
    await routeTimes.sweep(service.clock.now());
    expect(await known()).toMatchObject({ requests: 80, p50: 1, p95: 500 });
    // Over all routes, so many that the requests of these tests do not matter.
    await add(hour, 30, 600_000);
    await add(hour, 300, 400_000);
    const { response_times: times } = await service.ok<{ response_times: object }>('GET', '/admin/stats', {
      token: root,
    });
    expect(times).toEqual({ p50: 30, p95: 300 });
    await routeTimes.sweep(service.clock.now() + 26 * 3_600_000);
    expect(await known()).toBe(undefined);
  });

  it('tells which routes a key has called last, and with which status', async () => {
    const person = await service.createUser();
    const { id, key } = await service.createKey(person);
    for (let time = 0; time < 3; time += 1) await service.get('/api/v1/notes?q=secret', { key });
    await service.get('/api/v1/notes/999', { key });
    await service.post('/api/v1/notes', { key, body: { note: { title: 'x' } } });
    interface Usage {
      readonly calls: readonly { readonly route: string; readonly last_at: string }[];
    }
    const calls = async () =>
      (await service.ok<Usage>('GET', `/admin/api_keys/${id}/usage`, { token: root })).calls;
    const last_at = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/);
    expect((await calls()).toSorted((one, other) => (one.route < other.route ? -1 : 1))).toEqual(
      expect.arrayContaining([
        { method: 'GET', route: '/api/v1/notes', status: 200, requests: 3, last_at },
        { method: 'POST', route: '/api/v1/notes', status: 403, requests: 1, last_at },
        { method: 'GET', route: '/api/v1/notes/:id', status: 404, requests: 1, last_at },
      ]),
    );
    // No value of a request is kept.
    expect(JSON.stringify(await calls())).not.toContain('secret');

    const { database, keyCalls } = service.server.services;
    for (let place = 0; place < 60; place += 1)
      await database.execute({
        sql: `insert into gatewright_key_calls (key_id, method, route, status, requests, last_at)
          values (${id}, 'GET', '/api/v1/r${place}', 200, 1, '2099-01-01T00:00:${String(place).padStart(2, '0')}.000Z')`,
        parameters: [],
      });
    const count = async () =>
      Number(
        (
          await database.get<{ count: number }>({
            sql: `select count(*) as count from gatewright_key_calls where key_id = ${id}`,
            parameters: [],
          })
        )?.count,
      );
    expect(await count()).toBe(63);
    await keyCalls.sweep();
    expect(await count()).toBe(50);
    expect((await calls())[0]?.route).toBe('/api/v1/r59');
    await service.delete(`/admin/api_keys/${id}`, { token: root });
    expect(await count()).toBe(0);
  });
});
