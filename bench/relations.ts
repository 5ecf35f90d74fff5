/**
 * The page of an order with 20 lines and their products: by `include`, by a handwritten join and serialisation
 * (`bare-order.ts`), and by a request for each record. In turn, in one run; each page by the owner of its order.
 *     npm run bench:relations -- [--database=sqlite|postgres] [--orders=5000] [--rounds=5] [--ms=1000]
 */
import { get } from 'node:http';
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { callers } from './callers.ts';
import { token } from './data.ts';
import { type Measured, measure, median, middle } from './measure.ts';
import { isPinned, type Running } from './processes.ts';
import { orderPage, orderRequest, ownerOf, shownOf, startShop } from './shop.ts';

const { values: options } = parseArgs({
  options: {
    database: { type: 'string', default: 'sqlite' },
    orders: { type: 'string', default: '5000' },
    rounds: { type: 'string', default: '5' },
    ms: { type: 'string', default: '1000' },
    connections: { type: 'string', default: '32' },
  },
});
const orders = Number(options.orders);
const shown = shownOf(orders);

interface Asked {
  readonly data: { readonly customer_id: number } & readonly { readonly product_id: number }[];
}

/** A path below /api/v1, requested by the owner of an order. */
interface Asking {
  readonly order: number;
  readonly path: string;
}

/** The requests of a client without `include`: the order, its customer, its lines, and each product. */
const singlePaths = async (service: Running, shown: number): Promise<readonly Asking[]> => {
  const ask = async (path: string): Promise<Asked['data']> => {
    const headers = { Authorization: `Bearer ${token(ownerOf(shown))}` };
    const answer = await fetch(`http://127.0.0.1:${service.port}/api/v1/${path}`, { headers });
    return ((await answer.json()) as Asked).data;
  };
  const order = `orders/${shown}`;
  const list = `order_lines?filter[order_id]=${shown}`;
  const found = await ask(list);
  const { customer_id } = await ask(order);
  const paths = [
    order,
    `customers/${customer_id}`,
    list,
    ...found.map(({ product_id }) => `products/${product_id}`),
  ];
  return paths.map((path) => ({ order: shown, path }));
};

/** Bytes of the responses on the wire for a page, heads included: the mean of some. */
const bytesOf = async (server: Running, paths: readonly Asking[], perPage: number): Promise<number> => {
  let bytes = 0;
  for (const { order, path } of paths.slice(0, callers * perPage))
    bytes += await new Promise<number>((resolve, reject) => {
      const headers = { Authorization: `Bearer ${token(ownerOf(order))}` };
      get({ port: server.port, path: `/api/v1/${path}`, headers, agent: false }, (answer) => {
        const { socket } = answer;
        answer.resume().once('end', () => resolve(socket.bytesRead));
      }).once('error', reject);
    });
  return bytes / callers;
};

const shop = await startShop(options.database, orders);
try {
  const { service, bare } = shop;
  const page = shown.map((order) => ({ order, path: orderPage(order) }));
  const single: Asking[] = [];
  for (const order of shown) single.push(...(await singlePaths(service, order)));
  const ways = [
    { name: 'by include', server: service, paths: page },
    { name: 'a join by hand', server: bare, paths: page },
    { name: 'a request for each', server: service, paths: single },
  ];
  process.stdout.write(
    `${options.database}, ${orders} orders of 20 lines${isPinned ? '; servers on one core, load on the other' : ''}; load of the machine ${loadavg()[0]?.toFixed(1)}\n`,
  );
  const load = ({ server, paths }: (typeof ways)[number], connections: number): Promise<Measured> =>
    measure(server, {
      connections,
      milliseconds: Number(options.ms),
      requests: paths.map(({ order, path }) => orderRequest(order, path)),
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
      const perPage = paths.length / shown.length;
      const pages = perSecond / perPage;
      const beside = (figure: (each: Measured) => number): number =>
        median(measured.map((each, round) => figure(each) / figure(results[1]?.[round] ?? each)));
      const ratio = beside(({ perSecond: each }) => each) / perPage;
      const cost = 1 / (beside(({ cpu: each }) => each) * perPage);
      process.stdout.write(
        `${connections} connections, ${name}: ${perPage} requests, ${Math.round(await bytesOf(server, paths, perPage))} bytes, ${((1000 / pages) * connections).toFixed(2)} ms, ${Math.round(pages)} pages/s, ${Math.round(cpu * perPage)} µs CPU a page; beside the join ${ratio.toFixed(2)}, by CPU ${cost.toFixed(2)}\n`,
      );
    }
  }
} finally {
  await shop.remove();
}
