/**
 * The files of `src` that one warm request enters, counted by V8's precise coverage: a create, a list with a filter and an
 * include, and a create with the delivery of its event to a webhook, of applications that are as small as possible.
 *
 *     npm run entered -- [--list]
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { Session } from 'node:inspector/promises';
import type { AddressInfo } from 'node:net';
import { relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createApplication } from '../src/app/application.ts';
import { createTable, defineResource, field } from '../src/index.ts';
import { testApplication } from '../src/testing/testing.ts';

const { values: options } = parseArgs({ options: { list: { type: 'boolean', default: false } } });
const source = fileURLToPath(new URL('../src', import.meta.url));

/** @param events whether each write of an order leaves an event */
const applicationWith = (events: boolean) =>
  createApplication({
    resources: [
      defineResource('Customer', { fields: { name: field.string({ required: true }) } }),
      defineResource('Order', {
        fields: { note: field.string(), customer: field.reference('Customer', { required: true }) },
        events,
      }),
    ],
    migrations: {
      '0001-orders': {
        async up(db, dialect) {
          await createTable(db, dialect, 'customers', { fields: { name: field.string({ required: true }) } });
          await createTable(db, dialect, 'orders', {
            fields: {
              note: field.string(),
              customer: field.reference('Customer', { required: true }),
            },
            references: { customer: 'customers' },
          });
        },
      },
    },
  });

const serve = async (events: boolean, env: Readonly<Record<string, string>> = {}) => {
  const app = await testApplication({ application: applicationWith(events), env });
  const { token, id } = await app.user({ roles: ['super_admin'] });
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const request = async (method: string, path: string, body?: object): Promise<string> => {
    const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) };
    const response = await fetch(`${app.url}/${path}`, init);
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text;
  };
  await request('POST', 'api/v1/customers', { customer: { name: 'Ann' } });
  return { app, id, request };
};

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

/** Returns the files that were entered since the last call. */
const enteredFiles = async (): Promise<readonly string[]> => {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  return (
    result
      .filter(
        ({ url, functions }) => url.startsWith('file:') && functions.some(({ ranges }) => ranges[0]?.count),
      )
      .map(({ url }) => relative(source, fileURLToPath(url)))
      // The clock of the test application is none of a service.
      .filter((file) => !file.startsWith('..') && !file.startsWith('testing/'))
      .sort()
  );
};

/** Milliseconds after which a round is repeated: on a busy machine, the timers of each second would enter every round. */
const longestRoundMs = 500;

const measure = async (name: string, work: () => Promise<unknown>, rounds = 20): Promise<void> => {
  for (let warm = 0; warm < rounds; warm += 1) await work();
  // Timers enter files too: the files that every round enters belong to the request itself.
  let common: readonly string[] | undefined;
  for (let round = 0, counted = 0; counted < rounds; round += 1) {
    await delay(20);
    await enteredFiles();
    const start = performance.now();
    await work();
    const files = await enteredFiles();
    if (performance.now() - start > longestRoundMs && round < 4 * rounds) continue;
    counted += 1;
    common = common === undefined ? files : common.filter((file) => files.includes(file));
  }
  process.stdout.write(`${name}: ${common?.length} files\n`);
  if (options.list) process.stdout.write(`${common?.map((file) => `  ${file}\n`).join('')}`);
};

const order = { order: { note: 'soon', customer_id: 1 } };

const measureRequests = async (): Promise<void> => {
  const { app, request } = await serve(false);
  await using _app = app;
  await measure('create', () => request('POST', 'api/v1/orders', order));
  await measure('list with include', () =>
    request('GET', 'api/v1/orders?filter[note]=soon&include=customer&per_page=20'),
  );
};

/** Milliseconds after the response of a receiver in which the delivery is settled. */
const settlingMs = 200;

const measureDelivery = async (): Promise<void> => {
  const receiver = createServer((message, response) => {
    message.resume().on('end', () => response.end());
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const { app, id, request } = await serve(true, { JOBS: 'on', WEBHOOK_PRIVATE: '1' });
  await using _app = app;
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  const webhook = { url, models: ['Order'], actions: ['create'], user_id: id };
  await request('POST', 'admin/webhooks', { webhook });
  const deliver = async (): Promise<void> => {
    const delivered = once(receiver, 'request');
    await request('POST', 'api/v1/orders', order);
    await delivered;
    await delay(settlingMs);
  };
  await measure('event to webhook', deliver, 8);
  receiver.closeAllConnections();
  receiver.close();
};

await measureRequests();
await measureDelivery();
session.disconnect();
