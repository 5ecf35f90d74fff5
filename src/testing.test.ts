import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { createApplication } from './application.ts';
import { answer } from './endpoints/answer.ts';
import { defineEndpoint } from './endpoints/define-endpoint.ts';
import { field } from './fields/define.ts';
import { defineResource } from './model/define-resource.ts';
import { createTable } from './store/migrations/schema.ts';
import { testApplication } from './testing.ts';

const newsroom = fileURLToPath(new URL('../examples/newsroom', import.meta.url));

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

it('lets a user with a password sign in, and nobody without one', async () => {
  await using app = await testApplication({ application: createApplication({}), env: { LOCALE: 'en' } });
  const user = await app.user({ password: 'tulip-anvil-47 kettle' });
  const login = { account: user.username, password: 'tulip-anvil-47 kettle' };
  expect((await app.anonymous.post('/api/v1/auth/login', login)).data.token).toBeTypeOf('string');
  const none = await app.user();
  const wrong = await app.anonymous.post('/api/v1/auth/login', { ...login, account: none.username });
  expect(wrong.status).toBe(401);
  expect((await fetch(`${app.url}/api/v1/health`)).status).toBe(200);
});

it('does not start models that the database cannot serve', async () => {
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
