/**
 * The page of an order as a good engineer would write it by hand in an hour: node:http, a verified token and a
 * look-up of the user, one prepared join over order, customer, lines and products, its rows assembled and serialised
 * to JSON in code. The yardstick of `bench:relations`, with the same drivers as the service.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import pg from 'pg';
import { bearerOf, send, serve } from './bare-http.ts';
import { openPostgres, openSqlite } from './bare-storage.ts';

type Row = Readonly<Record<string, unknown>>;

const database = process.env['DATABASE'] ?? '';

/** The join includes the permissions: an order belongs to its owner, a product is for sale. */
const joinSql = (first: string, second: string, active: string): string => `
  select o.id, o.customer_id, o.status, o.total, o.user_id, o.created_at, o.updated_at,
    c.id as c_id, c.name as c_name, c.email as c_email, c.address as c_address, c.user_id as c_user_id,
    c.created_at as c_created_at, c.updated_at as c_updated_at,
    l.id as l_id, l.order_id as l_order_id, l.product_id as l_product_id, l.quantity as l_quantity,
    l.price as l_price, l.created_at as l_created_at, l.updated_at as l_updated_at,
    p.id as p_id, p.sku as p_sku, p.name as p_name, p.price as p_price, p.stock as p_stock, p.active as p_active,
    p.image as p_image, p.created_at as p_created_at, p.updated_at as p_updated_at
  from orders o
    left join customers c on c.id = o.customer_id and c.user_id = ${first}
    left join order_lines l on l.order_id = o.id
    left join products p on p.id = l.product_id and p.active = ${active}
  where o.id = ${second} and o.user_id = ${first} order by l.id`;
const users = 'select id, username, email, name from users where id';

interface Storage {
  user(id: number): Promise<Row | undefined> | Row | undefined;
  rows(user: number, id: number): Promise<Row[]> | Row[];
}

const onSqlite = (): Storage => {
  const db = openSqlite(database);
  const user = db.prepare(`${users} = ? and disabled = 0`);
  const order = db.prepare(joinSql('?1', '?2', '1'));
  return { user: (id) => user.get(id), rows: (by, id) => order.all(by, id) };
};

const onPostgres = (): Storage => {
  pg.types.setTypeParser(20, Number);
  const { rows, first } = openPostgres(database);
  return {
    user: (id) => first('user', `${users} = $1 and not disabled`, [id]),
    rows: (by, id) => rows('order', joinSql('$1', '$2', 'true'), [by, id]),
  };
};

const storage = database.includes('://') ? onPostgres() : onSqlite();

const orderOf = (rows: readonly Row[]) => {
  const [first] = rows;
  if (first === undefined) return undefined;
  const { id, customer_id, status, total, user_id, created_at, updated_at } = first;
  const customer = {
    ...{ id: first['c_id'], name: first['c_name'], email: first['c_email'], address: first['c_address'] },
    ...{ user_id: first['c_user_id'], created_at: first['c_created_at'], updated_at: first['c_updated_at'] },
  };
  const lines = rows.flatMap((row) => {
    if (row['l_id'] === null) return [];
    const product = {
      id: row['p_id'],
      sku: row['p_sku'],
      name: row['p_name'],
      price: row['p_price'],
      stock: row['p_stock'],
      active: Boolean(row['p_active']),
      image: row['p_image'],
      created_at: row['p_created_at'],
      updated_at: row['p_updated_at'],
    };
    return [
      {
        id: row['l_id'],
        order_id: row['l_order_id'],
        product_id: row['l_product_id'],
        quantity: row['l_quantity'],
        price: row['l_price'],
        created_at: row['l_created_at'],
        updated_at: row['l_updated_at'],
        product: product.id === null ? null : product,
      },
    ];
  });
  const order = { id, customer_id, status, total, user_id, created_at, updated_at };
  return { ...order, customer: customer.id === null ? null : customer, lines };
};

const answer = async (request: IncomingMessage, response: ServerResponse, id: number): Promise<void> => {
  const by = bearerOf(request);
  if (by === undefined || (await storage.user(by)) === undefined) return send(response, 401);
  const order = orderOf(await storage.rows(by, id));
  send(response, order === undefined ? 404 : 200, order);
};

serve((request, response) => {
  const [, id] = /^\/api\/v1\/orders\/(\d+)/.exec(request.url ?? '') ?? [];
  if (id === undefined) return void send(response, 200, { status: 'ok' });
  return answer(request, response, Number(id));
});
