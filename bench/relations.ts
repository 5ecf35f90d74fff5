/**
 * The page of an order, of 20 lines and their products: by `include`, by a join that is written and turned into JSON by
 * hand (`bare-order.ts`), and by a request for each record. In turn, in one run.
 *
 *     npm run bench:relations -- [--database=sqlite|postgres] [--orders=5000] [--rounds=5] [--ms=1000]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { jwtSecret, root, token } from './data.ts';
import { type Measured, measure, median, middle } from './measure.ts';
import { numbers, placeOn } from './place.ts';
import { pinned, type Running, start } from './processes.ts';

const { values: options } = parseArgs({
  options: {
    database: { type: 'string', default: 'sqlite' },
    orders: { type: 'string', default: '5000' },
    rounds: { type: 'string', default: '5' },
    ms: { type: 'string', default: '1000' },
    connections: { type: 'string', default: '8' },
  },
});
const application = join(root, 'examples/shop');
const orders = Number(options.orders);
const reader = 2;
const [customers, products, lines] = [500, 1000, 20];
/** The order that is shown. */
const shown = Math.ceil(orders / 2);

const rows = (now: string): readonly string[] => [
  `insert into customers (name, email, address, user_id, created_at, updated_at)
     ${numbers(customers)} select 'Customer ' || i, i || '@c.example', i || ' Road, Town', ${reader}, ${now}, ${now} from n`,
  `insert into products (sku, name, price, stock, active, created_at, updated_at)
     ${numbers(products)} select 'SKU-' || i, 'Product ' || i, 100 + i, i, ${now === 'now()' ? 'true' : '1'}, ${now}, ${now} from n`,
  `insert into orders (customer_id, status, total, user_id, created_at, updated_at)
     ${numbers(orders)} select 1 + i % ${customers}, 'paid', 1000 + i, ${reader}, ${now}, ${now} from n`,
  `insert into order_lines (order_id, product_id, quantity, price, created_at, updated_at)
     ${numbers(orders * lines)} select 1 + (i - 1) / ${lines}, 1 + (i * 7919) % ${products}, 1 + i % 9, 100 + i % 900, ${now}, ${now} from n`,
];

const request = (path: string): string =>
  `GET /api/v1/${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token(reader)}\r\n\r\n`;

interface Asked {
  readonly data: { readonly customer_id: number } & readonly { readonly product_id: number }[];
}

/** What a client without `include` asks for: the order, its customer, its lines, and each product. */
const singlePaths = async (service: Running): Promise<readonly string[]> => {
  const ask = async (path: string): Promise<Asked['data']> => {
    const headers = { Authorization: `Bearer ${token(reader)}` };
    const answer = await fetch(`http://127.0.0.1:${service.port}/api/v1/${path}`, { headers });
    return ((await answer.json()) as Asked).data;
  };
  const [order, list] = [`orders/${shown}`, `order_lines?filter[order_id]=${shown}`];
  const found = await ask(list);
  const { customer_id } = await ask(order);
  return [
    order,
    `customers/${customer_id}`,
    list,
    ...found.map(({ product_id }) => `products/${product_id}`),
  ];
};

/** Bytes of the answers as they are sent, heads included. */
const bytesOf = async (server: Running, paths: readonly string[]): Promise<number> => {
  let bytes = 0;
  for (const path of paths)
    bytes += await new Promise<number>((resolve, reject) => {
      const headers = { Authorization: `Bearer ${token(reader)}` };
      get({ port: server.port, path: `/api/v1/${path}`, headers, agent: false }, (answer) => {
        const { socket } = answer;
        answer.resume().once('end', () => resolve(socket.bytesRead));
      }).once('error', reject);
    });
  return bytes;
};

const directory = mkdtempSync(join(tmpdir(), 'gatewright-relations-'));
const place = await placeOn(options.database, { directory, application, rows });
try {
  const command = ['--max-semi-space-size=8', join(root, 'bin/gatewright.js'), 'start'];
  const service = await start('gatewright', command, { ...place.env, JOBS: 'off' }, application);
  const bare = await start('bare', ['bench/bare-order.ts'], {
    DATABASE: place.database,
    JWT_SECRET: jwtSecret,
  });
  const page = [`orders/${shown}?include=customer,lines.product`];
  const single = await singlePaths(service);
  const ways = [
    { name: 'by include', server: service, paths: page },
    { name: 'a join by hand', server: bare, paths: page },
    { name: 'a request for each', server: service, paths: single },
  ];
  process.stdout.write(
    `${options.database}, ${orders} orders of ${lines} lines${pinned ? '; servers on one core, load on the other' : ''}; load of the machine ${loadavg()[0]?.toFixed(1)}\n`,
  );
  const load = ({ server, paths }: (typeof ways)[number], connections: number): Promise<Measured> =>
    measure(server, {
      connections,
      milliseconds: Number(options.ms),
      requests: paths.map(request),
      expect: 200,
    });
  for (const connections of [1, Number(options.connections)]) {
    const results = ways.map((): Measured[] => []);
    for (const way of ways) await load(way, connections);
    for (let round = 0; round < Number(options.rounds); round += 1)
      for (const [index, way] of ways.entries()) results[index]?.push(await load(way, connections));
    for (const [index, { name, server, paths }] of ways.entries()) {
      const measured = results[index] ?? [];
      const { perSecond, cpu } = middle(measured);
      // Pages, not requests.
      const pages = perSecond / paths.length;
      const beside = (figure: (each: Measured) => number): number =>
        median(measured.map((each, round) => figure(each) / figure(results[1]?.[round] ?? each)));
      const ratio = beside(({ perSecond: each }) => each) / paths.length;
      const cost = 1 / (beside(({ cpu: each }) => each) * paths.length);
      process.stdout.write(
        `${connections} connections, ${name}: ${paths.length} requests, ${await bytesOf(server, paths)} bytes, ${((1000 / pages) * connections).toFixed(2)} ms, ${Math.round(pages)} pages/s, ${Math.round(cpu * paths.length)} µs CPU a page; beside the join ${ratio.toFixed(2)}, by CPU ${cost.toFixed(2)}\n`,
      );
    }
  }
  await bare.stop();
  await service.stop();
} finally {
  await place.remove();
  rmSync(directory, { recursive: true, force: true });
}
