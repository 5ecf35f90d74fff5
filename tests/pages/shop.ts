import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';

export const administrator = { account: 'admin', password: 'tulip-anvil-47 kettle' } as const;

/** A shop with records, people, keys, webhooks and jobs, served by a checkout of any version. */
export interface Shop extends AsyncDisposable {
  readonly origin: string;
}

/** Starts the built service of a checkout with its example, and data of its own. */
const start = async (checkout: string, directory: string): Promise<readonly [ChildProcess, string]> => {
  const child = spawn(process.execPath, [join(checkout, 'bin/gatewright.js'), 'start'], {
    cwd: join(checkout, 'examples/shop'),
    env: {
      PATH: process.env['PATH'],
      PORT: '0',
      LOCALE: 'en',
      DATA_DIR: directory,
      CREDENTIALS_FILE: join(directory, 'credentials.age'),
      CREDENTIALS_KEY_FILE: join(directory, 'credentials.key'),
      ADMIN_PASSWORD: administrator.password,
      WEBHOOK_PRIVATE: '1',
      // No folder: mails fail, as they do where no mail program runs.
      MAIL_DIR: '/dev/null/mail',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface(child.stdout)) {
    const [origin] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? [];
    if (origin === undefined) continue;
    child.stdout.resume();
    return [child, origin];
  }
  throw new Error(`the service of ${checkout} did not start`);
};

const receive = async (): Promise<readonly [Server, string]> => {
  const server = createServer((request, response) => {
    response.statusCode = request.url === '/bad' ? 500 : 200;
    request.resume().on('end', () => response.end('received'));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return [server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`];
};

type Send = <Data = { readonly id: number }>(method: string, path: string, body?: object) => Promise<Data>;

const sender =
  (origin: string, token?: string): Send =>
  async (method, path, body) => {
    const response = await fetch(origin + path, {
      method,
      headers: {
        'Content-Type': 'application/json',
        ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as { readonly data: never };
    if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
    return answer.data;
  };

const teas = ['Green tea', 'Oolong', 'Earl Grey', 'Sencha', 'White peony', 'Darjeeling', 'Pu’er', 'Rooibos'];
const people = ['Mateo Singh', 'Li Wei', 'Ann Carter', 'Zhang Min', 'Tom Becker', 'Maria Silva', 'Sun Li'];

const of = (list: readonly string[], index: number): string => list[index % list.length] ?? '';

const fillRecords = async (send: Send): Promise<void> => {
  const record = (path: string, name: string, values: object) =>
    send('POST', `/admin/records/${path}`, { [name]: values });
  for (let index = 0; index < 120; index += 1)
    await record('products', 'product', {
      sku: `TEA-${1000 + index}`,
      name: `${of(teas, index)}, ${50 * (1 + (index % 5))} g`,
      price: 900 + 35 * index,
      stock: (index * 7) % 90,
      active: index % 9 !== 0,
    });
  for (let index = 0; index < 40; index += 1)
    await record('customers', 'customer', {
      name: of(people, index),
      email: `customer${index}@example.com`,
      address: `${1 + index} Harbour Road`,
    });
  for (let index = 0; index < 60; index += 1) {
    const { id } = await record('orders', 'order', {
      customer_id: 1 + (index % 40),
      total: 1990 + 210 * index,
    });
    for (const place of [1, 2])
      await record('order_lines', 'order_line', {
        order_id: id,
        product_id: 1 + ((index + place * 5) % 120),
        quantity: place,
        price: 990,
      });
    if (index % 2 === 0) await send('PATCH', `/admin/records/orders/${id}`, { order: { status: 'paid' } });
  }
};

const fillPeople = async (send: Send, origin: string): Promise<void> => {
  for (const name of ['sales', 'support', 'accounting', 'warehouse'])
    await send('POST', '/admin/roles', { role: { name } });
  for (const grant of ['sales/Order/create', 'sales/Order/update', 'support/Order/update'])
    await send('PUT', `/admin/permissions/${grant}`);
  for (const [index, name] of people.entries()) {
    const username = name.toLowerCase().replace(' ', '_');
    const roles = ['viewer', of(['sales', 'support', 'accounting', 'warehouse'], index)];
    const email = `${username}@example.com`;
    const { id } = await send('POST', '/admin/users', {
      user: { username, name, email, password: administrator.password, roles },
    });
    const expires_at = index % 3 === 0 ? new Date(Date.now() + (4 + index) * 86_400_000).toISOString() : null;
    await send('POST', '/admin/api_keys', {
      api_key: { name: `${of(['reports', 'CI', 'mobile app'], index)}`, user_id: id, expires_at },
    });
  }
  const { token } = await sender(origin)<{ readonly token: string }>('POST', '/api/v1/auth/login', {
    account: 'ann_carter',
    password: administrator.password,
  });
  const asColleague = sender(origin, token);
  for (let index = 0; index < 40; index += 1) await asColleague('GET', '/api/v1/products?per_page=5');
  // Refused: the start page and the explanations show it.
  for (let index = 0; index < 6; index += 1)
    await asColleague('PATCH', '/api/v1/products/1', { product: { price: 1 } }).catch(() => undefined);
};

/** Starts a checkout's service and fills it, which takes some ten seconds. */
export const openShop = async (checkout: string): Promise<Shop> => {
  const directory = await mkdtemp(join(tmpdir(), 'gatewright-pages-'));
  const [receiver, receiverOrigin] = await receive();
  const [child, origin] = await start(checkout, directory);
  const ended = once(child, 'exit');
  const shop: Shop = {
    origin,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await ended;
      receiver.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
  try {
    const { token } = await sender(origin)<{ readonly token: string }>(
      'POST',
      '/api/v1/auth/login',
      administrator,
    );
    const send = sender(origin, token);
    for (const path of ['/good', '/bad'])
      await send('POST', '/admin/webhooks', {
        webhook: { url: receiverOrigin + path, models: ['Order'], actions: ['create', 'update'], user_id: 1 },
      });
    await fillPeople(send, origin);
    await fillRecords(send);
    // Deliveries, jobs and counts of requests are written a few seconds later.
    await delay(8000);
    return shop;
  } catch (error) {
    await shop[Symbol.asyncDispose]();
    throw error;
  }
};
