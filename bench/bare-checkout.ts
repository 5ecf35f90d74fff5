/**
 * The shop's checkout as a good engineer would write it by hand: node:http and a driver, prepared statements, a
 * verified token, and one durable transaction with the same work as that of the service, including its lines of the
 * audit log.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import pg from 'pg';
import { bearerOf, readBody, send, serve } from './bare-http.ts';
import { openSqlite } from './bare-storage.ts';

const database = process.env['DATABASE'] ?? '';

interface Body {
  readonly customer: number;
  readonly lines: readonly { readonly product: number; readonly quantity: number }[];
}

/** Names and texts of the statements; parameters in the numbering of PostgreSQL. */
const statements = {
  user: 'select id, username from users where id = $1 and disabled = false',
  customer: 'select id, name, email, address from customers where id = $1 and user_id = $2',
  product: 'select id, name, price, stock, active from products where id = $1',
  take: 'update products set stock = $1, updated_at = $2, version = version + 1 where id = $3 returning id, stock',
  order: `insert into orders (customer_id, status, total, user_id, created_at, updated_at)
    values ($1, 'pending', $2, $3, $4, $4) returning id, customer_id, status, total, user_id, created_at, updated_at`,
  line: `insert into order_lines (order_id, product_id, quantity, price, created_at, updated_at)
    values ($1, $2, $3, $4, $5, $5) returning id`,
  audit: `insert into audit (created_at, actor_kind, actor_id, actor_name, address, action, target_kind, target_id, detail)
    values ($1, 'user', $2, $3, '127.0.0.1', $4, $5, $6, $7)`,
  version: `insert into gatewright_history (model, record_id, version, action, at, actor_kind, actor_id, actor_name, reason, after)
    values ('Order', $1, 1, 'create', $2, 'user', $3, $4, 'checkout', $5)`,
  event: `insert into ${database.startsWith('postgres') ? 'gatewright_event_inbox' : 'gatewright_events'} (model, record_id, version, action, at, actor_kind, actor_id, actor_name, reason, fields)
    values ('Order', $1, 1, 'create', $2, 'user', $3, $4, 'checkout', $5)`,
} as const;

type Name = keyof typeof statements;
type Row = Readonly<Record<string, never>>;
type Ask = (
  name: Name,
  ...values: readonly (string | number | null)[]
) => Row | undefined | Promise<Row | undefined>;
type Transaction = <T>(work: (ask: Ask) => Promise<T>) => Promise<T>;

const onSqlite = (path: string): { ask: Ask; transaction: Transaction } => {
  const db = openSqlite(path);
  const prepared = Object.fromEntries(
    Object.entries(statements).map(([name, text]) => [name, db.prepare(text.replaceAll(/\$(\d)/g, '?$1'))]),
  );
  const ask: Ask = (name, ...values) => prepared[name]?.get(...values) as Row | undefined;
  return {
    ask,
    transaction: async (work) => {
      // Everything awaited here settles at once, so no other request runs in between.
      db.exec('begin immediate');
      try {
        const result = await work(ask);
        db.exec('commit');
        return result;
      } catch (error) {
        db.exec('rollback');
        throw error;
      }
    },
  };
};

const onPostgres = (url: string): { ask: Ask; transaction: Transaction } => {
  const pool = new pg.Pool({ connectionString: url, max: 10 });
  const through =
    (client: Pick<pg.PoolClient, 'query'>): Ask =>
    async (name, ...values) => {
      const lock = name === 'product' ? ' for update' : '';
      const text = statements[name] + lock;
      return (await client.query({ name, text, values: [...values] })).rows[0] as Row | undefined;
    };
  return {
    ask: through(pool as unknown as pg.PoolClient),
    transaction: async (work) => {
      const client = await pool.connect();
      try {
        await client.query('begin');
        const result = await work(through(client));
        await client.query('commit');
        return result;
      } catch (error) {
        await client.query('rollback');
        throw error;
      } finally {
        client.release();
      }
    },
  };
};

const { ask, transaction } = database.startsWith('postgres') ? onPostgres(database) : onSqlite(database);
/** SQLite runs one transaction at a time, so its promises must not interleave. */
let last: Promise<unknown> = Promise.resolve();
const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
  const result = last.then(work);
  last = result.catch(() => {});
  return result;
};

const checkout = async (user: Row, { customer, lines }: Body): Promise<readonly [number, unknown]> => {
  const run = () =>
    transaction(async (within) => {
      const now = new Date().toISOString();
      const audit = (action: string, kind: string, id: string, detail: string) =>
        within('audit', now, String(user['id']), user['username'] ?? '', action, kind, id, detail);
      const address = await within('customer', customer, user['id'] ?? 0);
      if (address === undefined) return [404, undefined] as const;
      let total = 0;
      const bought: (readonly [number, number, number])[] = [];
      for (const { product, quantity } of lines) {
        const found = await within('product', product);
        if (found === undefined || Number(found['stock']) < quantity) throw new Error('sold out');
        await within('take', Number(found['stock']) - quantity, now, product);
        await audit('record.update', 'Product', String(product), '{"reason":"checkout","fields":["stock"]}');
        bought.push([product, quantity, Number(found['price'])]);
        total += Number(found['price']) * quantity;
      }
      const order = await within('order', customer, total, user['id'] ?? 0, now);
      const id = Number(order?.['id']);
      await audit(
        'record.create',
        'Order',
        String(id),
        '{"reason":"checkout","fields":["customer_id","total"]}',
      );
      const who = [id, now, String(user['id']), user['username'] ?? ''] as const;
      await within('version', ...who, JSON.stringify(order));
      await within('event', ...who, '["customer_id","status","total","user_id"]');
      for (const [product, quantity, price] of bought) {
        const line = await within('line', id, product, quantity, price, now);
        await audit(
          'record.create',
          'OrderLine',
          String(line?.['id']),
          '{"reason":"checkout","fields":["order_id"]}',
        );
      }
      return [201, order] as const;
    });
  return database.startsWith('postgres') ? run() : inTurn(run);
};

const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const id = bearerOf(request);
  const user = id === undefined ? undefined : await ask('user', id);
  if (user === undefined) return send(response, 401);
  const body = await readBody<Body>(request);
  const [status, order] = await checkout(user, body).catch(() => [409, undefined] as const);
  send(response, status, order);
};

serve((request, response) =>
  request.url === '/api/v1/checkout' ? answer(request, response) : void send(response, 200, { status: 'ok' }),
);
