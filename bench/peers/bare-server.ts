/**
 * The products as a good engineer would write them by hand in an hour, as in `bench/bare.ts`: node:http and node:sqlite,
 * prepared statements, a token checked and a user looked up for every request, rows turned into JSON by JSON.stringify,
 * a durable commit for every write. It has no roles and no validation to speak of, and logs nothing.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import { userIdOf } from '../bare-token.ts';
import type { Product } from './product.ts';

const secret = process.env['JWT_SECRET'] ?? '';
const db = new DatabaseSync(process.env['DATABASE'] ?? '');
db.exec('pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on');

const columns =
  'id, name, description, stock, price, rating, active, category, released_at, created_at, updated_at';
const user = db.prepare('select id, email from users where id = ? and disabled = 0');
const one = db.prepare(`select ${columns} from products where id = ?`);
const page = db.prepare(`select ${columns} from products order by id limit ? offset ?`);
const total = db.prepare('select count(*) as total from products');
const insert = db.prepare(
  `insert into products (name, description, stock, price, rating, active, category, released_at, created_at, updated_at)
   values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) returning ${columns}`,
);

type Row = Readonly<Record<string, unknown>>;

/** SQLite has no booleans. */
const shown = (row: Row): Row => ({ ...row, active: row['active'] === 1 });

const send = (response: ServerResponse, status: number, data?: unknown, headers = {}): void => {
  const body = JSON.stringify({ data });
  const length = { 'content-length': Buffer.byteLength(body) };
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...length, ...headers });
  response.end(body);
};

const known = ({ headers: { authorization = '' } }: IncomingMessage): boolean => {
  const id = authorization.startsWith('Bearer ') ? userIdOf(secret, authorization.slice(7)) : undefined;
  return id !== undefined && user.get(id) !== undefined;
};

const list = (response: ServerResponse, query: URLSearchParams): void => {
  const size = Number(query.get('per_page') ?? 20);
  const rows = page.all(size, (Number(query.get('page') ?? 1) - 1) * size).map(shown);
  const counted = query.get('total') === 'none' ? {} : { 'x-total-count': String(total.get()?.['total']) };
  send(response, 200, rows, counted);
};

const create = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { product } = JSON.parse(Buffer.concat(chunks).toString()) as { product: Product };
  if (typeof product.name !== 'string' || product.name === '') return send(response, 422);
  const { name, description, stock, price, rating, active, category, released_at } = product;
  const now = new Date().toISOString();
  const values = [name, description, stock, price, rating, Number(active), category, released_at, now, now];
  const row = insert.get(...values);
  send(response, 201, row === undefined ? undefined : shown(row));
};

const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const [path = '', query = ''] = (request.url ?? '').split('?');
  const match = /^\/products(?:\/(\d+))?$/.exec(path);
  if (match === null) return send(response, 404);
  if (!known(request)) return send(response, 401);
  if (request.method === 'POST') return create(request, response);
  if (match[1] === undefined) return list(response, new URLSearchParams(query));
  const row = one.get(Number(match[1]));
  return row === undefined ? send(response, 404) : send(response, 200, shown(row));
};

const server = createServer((request, response) => {
  answer(request, response).catch(() => send(response, 500));
});
server.keepAliveTimeout = 72_000;
server.listen(Number(process.env['PORT']), '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
