/** The page of an order, with its customer, 20 lines and their products: the shop of the examples with data. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { callers } from './callers.ts';
import { jwtSecret, root, token } from './data.ts';
import { moreReaders, numbers, type Place, placeOn } from './place.ts';
import { type Running, start } from './processes.ts';

const application = join(root, 'examples/shop');
/** The owner of an order: the callers are users 2 to 33, and each has 1 of 32 orders and customers. */
export const ownerOf = (order: number): number => 2 + (order % callers);
const customers = 500;
const products = 1000;
const lines = 20;

const rowsOf =
  (orders: number) =>
  (now: string): readonly string[] => [
    ...moreReaders(now),
    `insert into customers (name, email, address, user_id, created_at, updated_at)
     ${numbers(customers)} select 'Customer ' || i, i || '@c.example', i || ' Road, Town', 2 + (i - 1) % ${callers}, ${now}, ${now} from n`,
    `insert into products (sku, name, price, stock, active, created_at, updated_at)
     ${numbers(products)} select 'SKU-' || i, 'Product ' || i, 100 + i, i, ${now === 'now()' ? 'true' : '1'}, ${now}, ${now} from n`,
    `insert into orders (customer_id, status, total, user_id, created_at, updated_at)
     ${numbers(orders)} select 1 + i % ${callers} + ${callers} * (i / ${callers} % 15), 'paid', 1000 + i, 2 + i % ${callers}, ${now}, ${now} from n`,
    `insert into order_lines (order_id, product_id, quantity, price, created_at, updated_at)
     ${numbers(orders * lines)} select 1 + (i - 1) / ${lines}, 1 + (i * 7919) % ${products}, 1 + i % 9, 100 + i % 900, ${now}, ${now} from n`,
  ];

/** A request by the owner of an order. */
export const orderRequest = (order: number, path: string): string =>
  `GET /api/v1/${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token(ownerOf(order))}\r\n\r\n`;

/** The requested orders, one of each owner. */
export const shownOf = (orders: number): readonly number[] =>
  Array.from({ length: callers }, (_, index) => Math.ceil(orders / 2) + index);

export const orderPage = (order: number): string => `orders/${order}?include=customer,lines.product`;

export interface Shop {
  readonly service: Running;
  /** The same page as a handwritten join and serialisation. */
  readonly bare: Running;
  readonly place: Place;
  remove(): Promise<void>;
}

/** Starts the shop and the handwritten server on one database. */
export const startShop = async (database: string, orders: number): Promise<Shop> => {
  const directory = mkdtempSync(join(tmpdir(), 'gatewright-relations-'));
  const place = await placeOn(database, { directory, application, rows: rowsOf(orders) });
  const command = ['--max-semi-space-size=8', join(root, 'bin/gatewright.js'), 'start'];
  const service = await start('gatewright', command, { ...place.env, JOBS: 'off' }, application);
  const env = { DATABASE: place.database, JWT_SECRET: jwtSecret };
  const bare = await start('bare', ['bench/bare-order.ts'], env);
  return {
    service,
    bare,
    place,
    remove: async () => {
      await Promise.all([service.stop(), bare.stop()]);
      await place.remove();
      rmSync(directory, { recursive: true, force: true });
    },
  };
};
