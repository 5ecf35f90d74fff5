import { expect, it, onTestFinished } from 'vitest';
import { databaseTarget } from '../../src/database/targets.ts';
import { takeWrites } from '../../src/upkeep/backup/move/fence.ts';
import { type Databases, describeDatabase } from '../support/databases.ts';
import { openStream } from '../support/event-stream.ts';
import { moveApplication, moveTo } from '../support/move-application.ts';
import { startReceiver } from '../support/receiver.ts';
import { type Service, startService } from '../support/service.ts';

const controls = Array.from({ length: 31 }, (_, index) => String.fromCharCode(index + 1)).join('');

/** Values that another database could take for others. */
const hard: readonly Readonly<Record<string, unknown>>[] = [
  {},
  { title: '', body: ' ', flag: false, count: 0, data: null },
  {
    title: `😀"'\\ ${controls}`,
    body: '日本語\u2028\u007f\ufeff\u0301e',
    data: { [controls]: [1, 'x', null, { a: [] }] },
  },
  {
    count: Number.MAX_SAFE_INTEGER,
    ratio: 1.7976931348623157e308,
    price: '9999999999999.99',
    whole: '999999999999999',
  },
  { count: Number.MIN_SAFE_INTEGER, ratio: 5e-324, price: '-0.01', fine: '0.00000001', flag: true },
  { ratio: 0.1 + 0.2, day: '0001-01-01', at: '0001-01-01T00:00:00.001Z', opens: '00:00:00' },
  { ratio: -1e21, day: '9999-12-31', at: '9999-12-31T23:59:59.999Z', opens: '23:59:59', state: 'Ä' },
  {
    uid: '00000000-0000-4000-8000-000000000000',
    mail: 'a@例子.公司',
    site: 'https://例子.公司/?b=%00',
    data: 'text',
  },
  { title: 'null', body: '\\x00', data: [0.1, 12345678901234, '\\u0000'] },
];

/** Numbers that no double has, and keys in an order that JavaScript does not keep. */
const exact = '{"b":12345678901234567890,"10":{"2":0.1000000000000000055,"1":[-9007199254740993]},"2":1}';

const now = 1_767_225_600_123;
const still = () => ({
  now: () => now,
  advance: () => {},
  reset: () => {},
  unix: () => Math.floor(now / 1_000),
});

/** Everything that is asked before and after. */
const paths = [
  '/api/v1/samples?sort=id&per_page=100',
  '/api/v1/samples?sort=-ratio&filter[flag]=true',
  '/api/v1/samples?sort=id&q=%E6%97%A5%E6%9C%AC%E8%AA%9E',
  '/api/v1/samples/3',
  '/api/v1/samples/3/history',
  '/api/v1/samples/10',
  '/api/v1/samples/10/history',
  '/api/v1/lefts',
  '/api/v1/rights',
  '/admin/meta',
  '/api/v1/auth/me',
  '/admin/users',
  '/admin/roles',
  '/admin/webhooks',
  '/admin/records/samples',
  '/admin/records/samples?trashed=true',
];

const answers = async (service: Service, token: string): Promise<readonly string[]> => {
  const texts: string[] = [];
  for (const path of paths) {
    const { status, text } = await service.get(path, { token });
    texts.push(`${path} ${status} ${text}`);
  }
  return texts;
};

/** A service with something in every table. */
const fillService = async (databases: Databases) => {
  const service = await startService(databases, {
    application: moveApplication(),
    clock: still(),
    apps: ['shop'],
    env: { WEBHOOK_PRIVATE: '1', JOBS: 'off' },
  });
  onTestFinished(() => service.close());
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  const root = await service.admin();
  const create = (path: string, name: string, values: object) =>
    service.ok<{ id: number }>('POST', `/api/v1/${path}`, { token: root, body: { [name]: values } });
  for (const values of hard) await create('samples', 'sample', values);
  await service.ok('POST', '/api/v1/samples', {
    token: root.token,
    body: `{"sample":{"title":"exact","data":${exact}}}`,
    headers: { 'content-type': 'application/json' },
  });
  await service.ok('PATCH', '/api/v1/samples/1', {
    token: root,
    body: { sample: { parent_id: 9, title: 'child' } },
  });
  await service.ok('PATCH', '/api/v1/samples/3', { token: root, body: { sample: { count: 4 } } });
  await service.ok('DELETE', '/api/v1/samples/2', { token: root });
  const { id: left } = await create('lefts', 'left', { name: 'l' });
  const { id: right } = await create('rights', 'right', { name: 'r', left_id: left });
  await service.ok('PATCH', `/api/v1/lefts/${left}`, { token: root, body: { left: { right_id: right } } });
  const { id: last } = await create('lefts', 'left', { name: 'gone' });
  await service.ok('DELETE', `/api/v1/lefts/${last}`, { token: root });
  const user = await service.createUser(['super_admin']);
  const { key } = await service.createKey(user);
  const gone = await service.createKey(user);
  await service.ok('DELETE', `/api/v1/api_keys/${gone.id}`, { token: user });
  const cookie = await service.signIn(user);
  await service.ok('POST', '/admin/webhooks', {
    token: root,
    body: { webhook: { url: receiver.url, models: ['Sample'], user_id: root.id } },
  });
  const database = await databases.open(service.env['DATABASE_URL']);
  for (const code of ['a', '😀'])
    await database.execute({
      sql: `insert into ledger (code, amount) values ('${code}', 9007199254740993)`,
      parameters: [],
    });
  await database.close();
  return { service, root, user, key, cookie, last };
};

const startOn = async (databases: Databases, url: string, first: Service): Promise<Service> => {
  const service = await startService(databases, {
    application: moveApplication(),
    clock: still(),
    url,
    env: { ...first.env, DATABASE_URL: url },
  });
  onTestFinished(() => service.close());
  for (const [app, secret] of first.secrets) service.secrets.set(app, secret);
  return service;
};

const directions = (['sqlite', 'postgres'] as const).flatMap((from) =>
  (['sqlite', 'postgres'] as const).map((to) => ({ from, to })),
);

for (const { from, to } of directions)
  describeDatabase(from, `move to ${to}`, (sources) =>
    describeDatabase(to, '', (destinations) => {
      // Between two of a kind, the other test shows as much.
      it.runIf(from !== to)(
        'a moved service has everything, answers the same bytes, and counts on',
        async () => {
          const { service: first, root, user, key, cookie, last } = await fillService(sources);
          const [source, destination] = [first.env['DATABASE_URL'] ?? '', await destinations.create()];
          const before = await answers(first, root.token);
          expect(before.filter((text) => !/ 200 /.test(text))).toEqual([]);
          expect(before.filter((text) => text.includes(`"data":${exact}`)).length).toBe(4);
          const listen = (service: Service, after: number) =>
            openStream(`${service.origin}/api/v1/changes?models=Sample`, {
              authorization: `Bearer ${root.token}`,
              'last-event-id': String(after),
            });
          const stream = await listen(first, 0);
          await stream.settled(() => stream.place() === 13);
          const numbers = stream.events.map(({ number }) => number);
          stream.close();
          const half = numbers[5] ?? 0;

          const moved = await moveTo(source, destination, first.env['DATA_DIR'] ?? '');
          expect(moved.rows).toBeGreaterThan(60);
          expect(moved.checksums).toMatchObject({
            samples: { rows: 9 },
            ledger: { rows: 2 },
            ledger_log: { rows: 2 },
            gatewright_revoked_keys: { rows: 1 },
            gatewright_counts: { rows: 1 },
          });

          // The old one responds, and accepts no writes any more.
          expect((await first.get('/api/v1/samples/3', { token: root })).status).toBe(200);
          const refused = await first.post('/api/v1/samples', {
            token: root,
            body: { sample: { title: 'late' } },
          });
          expect(refused.status).toBe(503);
          await first.server.close();
          await expect(startOn(sources, source, first)).rejects.toThrow('was moved to there');

          const second = await startOn(destinations, destination, first);
          expect(await answers(second, root.token)).toEqual(before);
          expect((await second.login(user.username, user.password)).status).toBe(200);
          expect((await second.get('/api/v1/samples/3', { headers: { 'x-api-key': key } })).status).toBe(200);
          expect((await second.get('/admin/session', { headers: { cookie } })).status).toBe(200);
          const body = JSON.stringify({ order_no: '1', amount: 1, currency: 'CNY' });
          const paid = await second.post('/api/v1/payment', { body, headers: second.sign('shop', body) });
          expect(paid.status).toBeLessThan(300);
          const made = await second.ok<{ id: number }>('POST', '/api/v1/lefts', {
            token: root,
            body: { left: { name: 'next' } },
          });
          expect(made.id).toBe(last + 1);
          const counted = await second.ok<{ ticket: string }>('POST', '/api/v1/samples', {
            token: root,
            body: { sample: { title: 'next' } },
          });
          expect(counted.ticket).toBe('2026/011');
          const gone = await second.createKey(user);
          await second.ok('DELETE', `/api/v1/api_keys/${gone.id}`, { token: user });
          const resumed = await listen(second, half);
          await resumed.settled(() => resumed.place() === 14);
          resumed.close();
          expect(resumed.events.map(({ number }) => number)).toEqual([
            ...numbers.filter((number) => number > half),
            14,
          ]);
          const database = await destinations.open(destination);
          await database.execute({ sql: `insert into ledger (code) values ('trigger')`, parameters: [] });
          const kept = 'select username from gatewright_revoked_keys order by key_id';
          expect(await database.all({ sql: kept, parameters: [] })).toEqual([
            { username: user.username },
            { username: user.username },
          ]);
          const [log] = await database.all<{ count: number }>({
            sql: 'select count(*) as count from ledger_log',
            parameters: [],
          });
          expect(Number(log?.count)).toBe(3);
          await expect(
            database.execute({ sql: `insert into ledger_log (code) values ('nobody')`, parameters: [] }),
          ).rejects.toThrow('foreign_key');
        },
        60_000,
      );

      it('there and back again is the same, and what is refused changes nothing', async () => {
        const { service, root } = await fillService(sources);
        const data = service.env['DATA_DIR'] ?? '';
        const source = service.env['DATABASE_URL'] ?? '';
        const there = await destinations.create();
        await expect(moveTo(source, source, data)).rejects.toThrow('not empty');
        expect(
          (await service.post('/api/v1/lefts', { token: root, body: { left: { name: 'x' } } })).status,
        ).toBe(201);
        const moved = await moveTo(source, there, data);
        const back = await sources.create();
        const again = await moveTo(there, back, data);
        expect(again.checksums).toEqual(moved.checksums);
        await expect(moveTo(source, await destinations.create(), data)).rejects.toThrow('was moved to there');
        expect(await takeWrites(databaseTarget(source))).toMatchObject({ state: 'moved' });
        expect(
          (await service.post('/api/v1/lefts', { token: root, body: { left: { name: 'y' } } })).status,
        ).toBe(201);
      }, 60_000);
    }),
  );
