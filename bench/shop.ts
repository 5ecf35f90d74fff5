/** The page of an order, with its customer, 20 lines and their products: the shop of the examples with data. */
import { join } from 'node:path';
import { callers, spread } from './callers.ts';
import { root, token } from './data.ts';
import { type Pair, startPair } from './pair.ts';
import { moreReaders, numbers } from './place.ts';

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

/** The requested orders, which belong to all owners in turn. */
export const shownOf = (orders: number): readonly number[] => spread(Math.min(orders, 10 * callers), orders);

export const orderPage = (order: number): string => `orders/${order}?include=customer,lines.product`;

/**
 * Starts the shop and the handwritten server on one database. @param checkout folder of the service and of the shop's
 * files
 */
export const startShop = (database: string, orders: number, checkout = root): Promise<Pair> =>
  startPair(database, {
    checkout,
    application: join(checkout, 'examples/shop'),
    rows: rowsOf(orders),
    env: { JOBS: 'off' },
    bare: 'bench/bare-order.ts',
  });
