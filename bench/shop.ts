/** The page of an order, with its customer, 20 lines and their products: the shop of the examples, filled. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jwtSecret, root, token } from './data.ts';
import { numbers, type Place, placeOn } from './place.ts';
import { type Running, start } from './processes.ts';

const application = join(root, 'examples/shop');
/** Whose the orders are. */
export const reader = 2;
const [customers, products, lines] = [500, 1000, 20];

const rowsOf =
  (orders: number) =>
  (now: string): readonly string[] => [
    `insert into customers (name, email, address, user_id, created_at, updated_at)
     ${numbers(customers)} select 'Customer ' || i, i || '@c.example', i || ' Road, Town', ${reader}, ${now}, ${now} from n`,
    `insert into products (sku, name, price, stock, active, created_at, updated_at)
     ${numbers(products)} select 'SKU-' || i, 'Product ' || i, 100 + i, i, ${now === 'now()' ? 'true' : '1'}, ${now}, ${now} from n`,
    `insert into orders (customer_id, status, total, user_id, created_at, updated_at)
     ${numbers(orders)} select 1 + i % ${customers}, 'paid', 1000 + i, ${reader}, ${now}, ${now} from n`,
    `insert into order_lines (order_id, product_id, quantity, price, created_at, updated_at)
     ${numbers(orders * lines)} select 1 + (i - 1) / ${lines}, 1 + (i * 7919) % ${products}, 1 + i % 9, 100 + i % 900, ${now}, ${now} from n`,
  ];

export const orderRequest = (path: string): string =>
  `GET /api/v1/${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token(reader)}\r\n\r\n`;

/** The order that is shown. */
export const shownOf = (orders: number): number => Math.ceil(orders / 2);

export const orderPage = (order: number): string => `orders/${order}?include=customer,lines.product`;

export interface Shop {
  readonly service: Running;
  /** The same page as a join that is written, and turned into JSON, by hand. */
  readonly bare: Running;
  readonly place: Place;
  remove(): Promise<void>;
}

/** The shop and the server by hand, both running on one database. */
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
