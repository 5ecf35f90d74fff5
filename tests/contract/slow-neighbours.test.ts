import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterAll, expect, it } from 'vitest';
import { createTable, defineEndpoint, defineJob, defineResource, field, own } from '../../src/index.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { startReceiver } from '../support/receiver.ts';
import { type TestUser, useService } from '../support/service.ts';

/** Servers outside that do not respond, or respond a byte at a time: they hold up only what depends on them. */

const sockets = new Set<Socket>();
const keep = (socket: Socket): void => {
  sockets.add(socket);
  socket.on('error', () => {});
};
const silent = createServer(keep);
const dripping = createHttpServer((_, response) => {
  response.writeHead(200);
  const drip = setInterval(() => response.write('x'), 500);
  response.on('close', () => clearInterval(drip));
}).on('connection', keep);

const listen = async (server: typeof silent): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
};
const [smtpPort, dripPort] = [await listen(silent), await listen(dripping)];

const fields = { text: field.string({ required: true, max: 20 }), user_id: field.owner() };
const ticks: number[] = [];
const stuck = defineJob({
  handle: ({ signal }) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
});

const application = {
  resources: [defineResource('Note', { fields, isolation: own(), events: true, trash: true, manage: own() })],
  jobs: {
    tick: defineJob({ every: '* * * * * *', handle: () => void ticks.push(performance.now()) }),
    stuck,
    'stuck-as-well': stuck,
  },
  endpoints: [
    defineEndpoint({
      method: 'POST',
      path: '/stuck',
      auth: [],
      handle: async ({ jobs }) => {
        for (let count = 0; count < 12; count += 1)
          for (const name of ['stuck', 'stuck-as-well']) await jobs.add(name);
        return 'added';
      },
    }),
  ],
  migrations: {
    '0001-notes': {
      up: async (db: Parameters<typeof createTable>[0], dialect: Parameters<typeof createTable>[1]) =>
        createTable(db, dialect, 'notes', { fields }),
    },
  },
  config: {
    mail: { smtp: `smtp://127.0.0.1:${smtpPort}`, from: 'Service <service@example.com>' },
    registration: {},
  },
};

describeEachDatabase('servers outside that do not respond', (databases) => {
  const service = useService(databases, { application, env: { WEBHOOK_PRIVATE: '1', LOCALE: 'en' } });
  afterAll(() => {
    for (const socket of sockets) socket.destroy();
  });

  const write = async ({ id }: TestUser, text: string) =>
    service.ok('POST', '/admin/records/notes', {
      token: await service.admin(),
      body: { note: { text, user_id: id } },
    });
  const subscribe = (token: TestUser, url: string) =>
    service.ok('POST', '/api/v1/webhooks', { token, body: { webhook: { url, models: ['Note'] } } });
  const count = async (sql: string): Promise<number> => {
    const rows = await service.server.services.database.all<{ n: number }>({ sql, parameters: [] });
    return Number(rows[0]?.n);
  };
  const sending = () =>
    count('select count(*) as n from gatewright_webhooks where lane is not null and disabled = false');
  const mailing = () =>
    count(`select count(*) as n from gatewright_jobs where name = 'account-mail' and state = 'running'`);

  it('servers outside that do not respond hold up neither jobs of the application nor webhooks of others', {
    timeout: 90_000,
  }, async () => {
    const receiver = await startReceiver(() => 200);
    const [ann, ben] = [await service.createUser(), await service.createUser()];
    for (let number = 0; number < 10; number += 1)
      await subscribe(ann, `http://127.0.0.1:${dripPort}/${number}`);
    await subscribe(ben, receiver.url);
    await service.ok('POST', '/api/v1/stuck', { body: {} });
    for (let number = 0; number < 60; number += 1)
      await service.post('/api/v1/auth/register', { body: { email: `guest${number}@example.com` } });
    for (let number = 0; number < 12; number += 1) await write(ann, `note ${number}`);
    await expect.poll(sending, { timeout: 10_000 }).toBeGreaterThan(0);
    await expect.poll(mailing, { timeout: 10_000 }).toBeGreaterThan(0);

    ticks.length = 0;
    const begun = performance.now();
    await write(ben, 'from ben');
    await expect.poll(() => receiver.received.length, { timeout: 5_000 }).toBe(1);
    await expect.poll(() => ticks.length, { timeout: 20_000 }).toBeGreaterThanOrEqual(8);
    expect(performance.now() - begun).toBeLessThan(14_000);
    // Ten webhooks of one user take half of the five places at most.
    expect(await sending()).toBeLessThanOrEqual(2);
    // The server of mails is known by now not to greet: one message at a time finds out whether it does.
    await expect.poll(mailing, { timeout: 15_000 }).toBe(1);
    await receiver.close();
  });
});
