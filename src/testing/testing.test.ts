import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { expect, expectTypeOf, it, onTestFinished, vi } from 'vitest';
import order from '../../examples/newsroom/resources/order.ts';
import { describeDatabase, describeEachDatabase } from '../../tests/support/databases.ts';
import { createApplication } from '../app/application.ts';
import { createTable } from '../database/migrations/application-steps.ts';
import { field } from '../fields/define.ts';
import { defineResource } from '../model/define-resource.ts';
import type { Scope } from '../model/scope.ts';
import type { DetailOf, RecordOf } from '../model/types.ts';
import { answer } from '../resources/application/answer.ts';
import { defineEndpoint } from '../resources/application/define-endpoint.ts';
import { type TestApplication, type TestUser, testApplication } from './testing.ts';

const newsroom = fileURLToPath(new URL('../../examples/newsroom', import.meta.url));

it('runs an application with users of each role', async () => {
  await using app = await testApplication({ application: newsroom });
  const order = { order: { number: 'A1', amount: 5 } };
  expect((await app.anonymous.post('/api/v1/orders', order)).status).toBe(401);
  expect((await app.as('viewer').post('/api/v1/orders', order)).status).toBe(403);
  await app.grant('viewer', 'Order', 'create');
  const created = await app.as('viewer').post('/api/v1/orders', order);
  expect([created.status, created.code, created.data.number]).toEqual([201, 0, 'A1']);
  expect((await app.as('viewer').get('/api/v1/orders')).data).toHaveLength(1);
  const other = await app.user();
  expect((await other.get(`/api/v1/orders/${created.data.id}`)).status).toBe(404);
  expect((await app.as('admin').get('/api/v1/orders')).data.length).toBe(1);
  await app.grant('clerk', 'Order', 'create');
  expect((await app.as('clerk').post('/api/v1/orders', { order: {} })).status).toBe(422);
});

it('lets a user with a password sign in, and none without', async () => {
  await using app = await testApplication({ application: createApplication({}), env: { LOCALE: 'en' } });
  const user = await app.user({ password: 'tulip-anvil-47 kettle' });
  const login = { account: user.username, password: 'tulip-anvil-47 kettle' };
  expect((await app.anonymous.post('/api/v1/auth/login', login)).data.token).toBeTypeOf('string');
  const none = await app.user();
  const wrong = await app.anonymous.post('/api/v1/auth/login', { ...login, account: none.username });
  expect(wrong.status).toBe(401);
  expect((await fetch(`${app.url}/api/v1/health`)).status).toBe(200);
});

it('a test does not start models that the database cannot serve', async () => {
  const note = (fields: Parameters<typeof defineResource>[1]['fields']) => defineResource('Note', { fields });
  const migrations = {
    '0001': {
      up: (db, dialect) => createTable(db, dialect, 'notes', { fields: { title: field.string() } }),
    },
  } satisfies Parameters<typeof createApplication>[0]['migrations'];
  const start = (fields: Parameters<typeof note>[0]) =>
    testApplication({ application: createApplication({ resources: [note(fields)], migrations }) });
  await expect(start({ title: field.integer(), body: field.text() })).rejects.toThrow(
    'notes.title: is not stored as integer\n  notes.body: the database has no such column',
  );
  // An index that is missing makes nothing wrong.
  const slow = await start({ title: field.string({ index: true }) });
  await slow.close();
});

it('sends bytes and forms of files, and reads answers that are no envelope', async () => {
  const endpoint = { method: 'POST', auth: [] } as const;
  const upload = defineEndpoint({
    ...endpoint,
    path: '/upload',
    accepts: 'multipart',
    handle: ({ files }) => files.map(({ filename, size }) => ({ filename, size })),
  });
  const stream = defineEndpoint({
    ...endpoint,
    path: '/stream',
    accepts: 'bytes',
    handle: async ({ stream: body }) => answer({ body: (await body.toArray()).join('') }),
  });
  await using app = await testApplication({
    application: createApplication({ endpoints: [upload, stream] }),
  });
  const form = new FormData();
  form.set('f', new File([Buffer.alloc(300_000, 0xff)], 'a.bin'));
  const written = new Response(form);
  const type = { 'content-type': written.headers.get('content-type') ?? '' };
  const sent = await app.anonymous.post('/api/v1/upload', await written.bytes(), type);
  expect([sent.status, sent.data]).toEqual([200, [{ filename: 'a.bin', size: 300_000 }]]);
  const streamed = await app.anonymous.post('/api/v1/stream', 'as it is', { 'content-type': 'text/plain' });
  expect([streamed.status, streamed.text]).toEqual([200, 'as it is']);
});

it('prints the error behind a 500, and nothing of what is refused', async () => {
  const broken = defineEndpoint({
    method: 'GET',
    path: '/broken',
    auth: [],
    handle: () => {
      throw new TypeError('the printer is on fire');
    },
  });
  const printed = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  onTestFinished(() => printed.mockRestore());
  await using app = await testApplication({ application: createApplication({ endpoints: [broken] }) });
  expect((await app.anonymous.get('/api/v1/missing')).status).toBe(404);
  expect(printed).not.toHaveBeenCalled();
  expect((await app.anonymous.get('/api/v1/broken')).status).toBe(500);
  const text = printed.mock.calls.map(([chunk]) => String(chunk)).join('');
  expect(text).toMatch(/TypeError: the printer is on fire\n +at .*testing\.test\.ts:\d+/);
});

describeEachDatabase('the database of a test application', (databases) => {
  const start = async (url: string) => testApplication({ application: newsroom, env: { DATABASE_URL: url } });
  const users = async ({ server: { services } }: TestApplication) =>
    (await services.database.all({ sql: 'select id from users', parameters: [] })).length;

  it('the database of a test application is one of its own, for two at once and for the next', async () => {
    const url = await databases.create();
    const both = await Promise.all([start(url), start(url)]);
    await both[0].as('super_admin').post('/api/v1/orders', { order: { number: 'A1', amount: 1 } });
    expect((await both[1].as('super_admin').get('/api/v1/orders')).data).toEqual([]);
    for (const app of both) await app.close();
    await using again = await start(url);
    expect((await again.as('super_admin').get('/api/v1/orders')).data).toEqual([]);
    expect(await users(again)).toBe(2);
    // Nothing of it stands in the database that the URL names.
    const database = await databases.open(url);
    await expect(database.all({ sql: 'select 1 from users', parameters: [] })).rejects.toThrow('users');
  });
});

describeDatabase('postgres', 'the server of test applications', (databases) => {
  /** A role of its own, whose databases are those of this test alone. */
  const role = async (rights: string) => {
    const url = await databases.create();
    const name = `${new URL(url).pathname.slice(1)}_role`;
    const admin = new pg.Client({ connectionString: url });
    await admin.connect();
    await admin.query(`create role ${name} login ${rights} password 'test'`);
    onTestFinished(async () => {
      await admin.query(`drop role ${name}`);
      await admin.end();
    });
    const owned = async (): Promise<readonly string[]> => {
      const sql = 'select datname from pg_database where datdba = $1::regrole';
      return (await admin.query<{ datname: string }>(sql, [name])).rows.map(({ datname }) => datname);
    };
    const own = Object.assign(new URL(url), { username: name, password: 'test' }).href;
    return { admin, name, owned, env: { DATABASE_URL: own } };
  };

  it('keeps no database of one that is closed, fails to start, or was killed', async () => {
    const { admin, name, owned, env } = await role('createdb');
    await admin.query(`create database gatewright_test_${'0'.repeat(16)} owner ${name}`);
    const app = await testApplication({ application: newsroom, env });
    expect(await owned()).toEqual([new URL(app.server.config.databaseUrl).pathname.slice(1)]);
    await app.close();
    expect(await owned()).toEqual([]);
    const note = defineResource('Note', { fields: { title: field.string() } });
    const failing = testApplication({ application: createApplication({ resources: [note] }), env });
    await expect(failing).rejects.toThrow('the database has no table notes');
    expect(await owned()).toEqual([]);
  });

  it('the server of test applications is named where the role may not create one', async () => {
    const { env } = await role('nocreatedb');
    await expect(testApplication({ application: newsroom, env })).rejects.toThrow(
      'the role may not create the temporary database: alter role … createdb, or have DATABASE_URL name',
    );
  });

  it('the database of a test application has no schema that the URL names', async () => {
    const { env } = await role('createdb');
    const elsewhere = { DATABASE_URL: `${env.DATABASE_URL}?options=-c%20search_path%3Delsewhere` };
    await using app = await testApplication({ application: newsroom, env: elsewhere });
    expect((await app.as('super_admin').get('/api/v1/orders')).status).toBe(200);
  });
});

describeEachDatabase('a scope of a test', (databases) => {
  const start = async () =>
    testApplication({ application: newsroom, env: { DATABASE_URL: await databases.create() } });
  const values = { number: 'A1', amount: 5, internal_note: 'late' };

  it('acts for a user by what they may do now', async () => {
    await using app = await start();
    const user = await app.user();
    const before = await app.scope(user);
    await expect(before.records(order).create(values)).rejects.toMatchObject({ problem: 'forbidden' });
    await app.grant('viewer', 'Order', 'create');
    const { records, principal } = await app.scope(user);
    expect(principal).toEqual({ kind: 'user', id: user.id, username: user.username, roles: ['viewer'] });
    const other = await app.scope(await app.user({ roles: [] }));
    expect(other.principal).toMatchObject({ roles: ['viewer'] });
    const made = await records(order).create(values);
    expect(made).toMatchObject({ number: 'A1', user_id: user.id, internal_note: null });
    const stranger = await app.scope(await app.user());
    expect(await stranger.records(order).find(made.id)).toBeUndefined();
    expect((await user.get(`/api/v1/orders/${made.id}`)).data).toEqual(made);
  });

  it('acts for the system without one, and leaves its trace', async () => {
    await using app = await start();
    const { records, principal } = app.scope();
    expect(principal).toEqual({ kind: 'system', reason: 'test' });
    const made = await records(order).create(values);
    expect(made).toMatchObject({ internal_note: 'late', user_id: null });
    await expect(records(order).create(values)).rejects.toMatchObject({ problem: 'invalid_record' });
    const { data } = await app.as('super_admin').get('/admin/audit');
    expect(data).toContainEqual(
      expect.objectContaining({
        actor_kind: 'application',
        detail: expect.objectContaining({ reason: 'test' }),
      }),
    );
    const user = await app.user();
    const whole = (await app.scope(user)).asSystem('by hand').records(order);
    expect(await whole.get(made.id)).toMatchObject({ internal_note: 'late' });
  });

  it('rolls back what a test throws', async () => {
    await using app = await start();
    const scope = await app.scope(await app.user({ roles: ['super_admin'] }));
    const work = scope.transaction(async ({ records }) => {
      await records(order).create(values);
      throw new Error('enough');
    });
    await expect(work).rejects.toThrow('enough');
    expect(await app.scope().records(order).count()).toBe(0);
  });

  it('a scope of a test does not act for a deleted user', async () => {
    await using app = await start();
    const user = await app.user();
    expect((await app.as('super_admin').delete(`/admin/users/${user.id}`)).status).toBe(200);
    await expect(app.scope(user)).rejects.toThrow(`there is no enabled user with the id ${user.id}`);
  });

  it('a scope of a test has the types of the model', () => {
    type App = Awaited<ReturnType<typeof testApplication>>;
    const uses = async (app: App, user: TestUser) => {
      const all = await app.scope().records(order).get(1);
      const seen = await (await app.scope(user)).records(order).list({ filter: { amount: { gte: 5 } } });
      // @ts-expect-error: no such field
      await app.scope().records(order).update(1, { amuont: 5 });
      return { all, seen };
    };
    type Used = Awaited<ReturnType<typeof uses>>;
    expectTypeOf<Used['all']>().toEqualTypeOf<RecordOf<typeof order>>();
    expectTypeOf<Used['seen'][number]>().toEqualTypeOf<DetailOf<typeof order>>();
    expectTypeOf<ReturnType<App['scope']>>().toEqualTypeOf<Promise<Scope>>();
  });
});
