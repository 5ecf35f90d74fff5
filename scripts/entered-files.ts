/**
 * The files of `src` that one warm request enters, counted by V8's precise coverage: a create, and a list with a filter
 * and an include, of an application that is as small as possible.
 *
 *     npm run entered -- [--list]
 */
import { Session } from 'node:inspector/promises';
import { relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createApplication } from '../src/app/application.ts';
import { createTable, defineResource, field } from '../src/index.ts';
import { testApplication } from '../src/testing/testing.ts';

const { values: options } = parseArgs({ options: { list: { type: 'boolean', default: false } } });
const source = fileURLToPath(new URL('../src', import.meta.url));

const application = createApplication({
  resources: [
    defineResource('Customer', { fields: { name: field.string({ required: true }) } }),
    defineResource('Order', {
      fields: { note: field.string(), customer: field.reference('Customer', { required: true }) },
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

await using app = await testApplication({ application });
const user = await app.user();
const headers = { Authorization: `Bearer ${user.token}`, 'Content-Type': 'application/json' };

const request = async (method: string, path: string, body?: object): Promise<void> => {
  const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) };
  const response = await fetch(`${app.url}/api/v1/${path}`, init);
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
};

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

/** Returns the files that were entered since the last call. */
const enteredFiles = async (): Promise<readonly string[]> => {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  return result
    .filter(
      ({ url, functions }) => url.startsWith('file:') && functions.some(({ ranges }) => ranges[0]?.count),
    )
    .map(({ url }) => relative(source, fileURLToPath(url)))
    .filter((file) => !file.startsWith('..'))
    .sort();
};

const measure = async (name: string, work: () => Promise<void>): Promise<void> => {
  for (let warm = 0; warm < 20; warm += 1) await work();
  // Timers enter files too: the minimum over several requests belongs to the request itself.
  let least: readonly string[] | undefined;
  for (let round = 0; round < 20; round += 1) {
    await delay(20);
    await enteredFiles();
    await work();
    const files = await enteredFiles();
    if (least === undefined || files.length < least.length) least = files;
  }
  process.stdout.write(`${name}: ${least?.length} files\n`);
  if (options.list) process.stdout.write(`${least?.map((file) => `  ${file}\n`).join('')}`);
};

await request('POST', 'customers', { customer: { name: 'Ann' } });
await measure('create', () => request('POST', 'orders', { order: { note: 'soon', customer_id: 1 } }));
await measure('list with include', () =>
  request('GET', 'orders?filter[note]=soon&include=customer&per_page=20'),
);
session.disconnect();
