/**
 * HttpArena's `crud` profile as a good engineer would write it by hand in an hour: node:http, a driver, prepared
 * statements, a verified token and a look-up of the user, JSON.stringify, a durable commit for every write.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { bearerOf, readBody, send, serve } from './bare-http.ts';
import { type CountedRows, openPostgres, openSqlite } from './bare-storage.ts';

type Row = Readonly<Record<string, unknown>>;
type Maybe<T> = T | Promise<T>;

interface Item {
  readonly name: string;
  readonly category: string;
  readonly price: number;
  readonly quantity: number;
}

interface Storage {
  user(id: number): Maybe<Row | undefined>;
  item(id: number): Maybe<Row | undefined>;
  page(category: string, limit: number, offset: number): Maybe<readonly Row[]>;
  countedPage(category: string, limit: number, offset: number): Maybe<CountedRows>;
  insert(item: Item, now: string): Maybe<Row | undefined>;
  change(id: number, item: Omit<Item, 'category'>, now: string): Maybe<Row | undefined>;
}

const database = process.env['DATABASE'] ?? '';
const columns =
  'id, name, category, price, quantity, active, tags, rating_score, rating_count, created_at, updated_at';

/** Statements with the parameters of PostgreSQL. @param yes, no SQL of the truth values @param tags SQL of the default tags */
const statementsOf = (yes: string, no: string, tags: string) => ({
  user: `select id, username, email, name from users where id = $1 and disabled = ${no}`,
  item: `select ${columns} from items where id = $1`,
  page: `select ${columns} from items where category = $1 order by id limit $2 offset $3`,
  total: 'select count(*) as total from items where category = $1',
  insert: `insert into items
    (name, category, price, quantity, active, tags, rating_score, rating_count, created_at, updated_at)
    values ($1, $2, $3, $4, ${yes}, ${tags}, 0, 0, $5, $5) returning ${columns}`,
  change: `update items set name = $1, price = $2, quantity = $3, updated_at = $4 where id = $5 returning ${columns}`,
});

const onSqlite = (): Storage => {
  const db = openSqlite(database);
  const sql = statementsOf('1', '0', `'["bench"]'`);
  const prepare = (text: string) => db.prepare(text.replaceAll(/\$(\d)/g, '?$1'));
  const [user, item, page] = [prepare(sql.user), prepare(sql.item), prepare(sql.page)];
  const [total, insert, change] = [prepare(sql.total), prepare(sql.insert), prepare(sql.change)];
  /** SQLite has neither booleans nor JSON. */
  const shown = (row: Row): Row => ({
    ...row,
    active: row['active'] === 1,
    tags: JSON.parse(String(row['tags'])) as unknown,
  });
  const ifAny = (row: Row | undefined): Row | undefined => (row === undefined ? undefined : shown(row));
  const rows = (category: string, limit: number, offset: number): readonly Row[] =>
    page.all(category, limit, offset).map(shown);
  return {
    user: (id) => user.get(id),
    item: (id) => ifAny(item.get(id)),
    page: rows,
    countedPage: (category, limit, offset) => ({
      rows: rows(category, limit, offset),
      total: Number(total.get(category)?.['total']),
    }),
    insert: ({ name, category, price, quantity }, now) =>
      ifAny(insert.get(name, category, price, quantity, now)),
    change: (id, { name, price, quantity }, now) => ifAny(change.get(name, price, quantity, now, id)),
  };
};

const onPostgres = (): Storage => {
  const { rows, first } = openPostgres(database);
  const sql = statementsOf('true', 'false', `'["bench"]'`);
  const page = (category: string, limit: number, offset: number) =>
    rows('page', sql.page, [category, limit, offset]);
  return {
    user: (id) => first('user', sql.user, [id]),
    item: (id) => first('item', sql.item, [id]),
    page,
    countedPage: async (category, limit, offset) => {
      const [found, count] = await Promise.all([
        page(category, limit, offset),
        first('total', sql.total, [category]),
      ]);
      return { rows: found, total: Number(count?.['total']) };
    },
    insert: ({ name, category, price, quantity }, now) =>
      first('insert', sql.insert, [name, category, price, quantity, now]),
    change: (id, { name, price, quantity }, now) =>
      first('change', sql.change, [name, price, quantity, now, id]),
  };
};

const storage = database.includes('://') ? onPostgres() : onSqlite();

const list = async (response: ServerResponse, query: URLSearchParams): Promise<void> => {
  const category = query.get('filter[category]') ?? 'electronics';
  const limit = Number(query.get('per_page') ?? 10);
  const offset = (Number(query.get('page') ?? 1) - 1) * limit;
  if (query.get('total') === 'none') return send(response, 200, await storage.page(category, limit, offset));
  const { rows, total } = await storage.countedPage(category, limit, offset);
  send(response, 200, rows, { 'x-total-count': String(total) });
};

const write = async (request: IncomingMessage, response: ServerResponse, id?: number): Promise<void> => {
  const { item } = await readBody<{ item: Item }>(request);
  if (typeof item.name !== 'string' || item.name === '') return send(response, 422);
  const now = new Date().toISOString();
  const row = await (id === undefined ? storage.insert(item, now) : storage.change(id, item, now));
  send(response, row === undefined ? 404 : id === undefined ? 201 : 200, row);
};

const items = async (
  request: IncomingMessage,
  response: ServerResponse,
  id: number | undefined,
  query: string,
): Promise<void> => {
  const user = bearerOf(request);
  if (user === undefined || (await storage.user(user)) === undefined) return send(response, 401);
  if (request.method !== 'GET') return write(request, response, id);
  if (id === undefined) return list(response, new URLSearchParams(query));
  const row = await storage.item(id);
  send(response, row === undefined ? 404 : 200, row);
};

serve((request, response) => {
  const [path = '', query = ''] = (request.url ?? '').split('?');
  const match = /^\/api\/v1\/items(?:\/(\d+))?$/.exec(path);
  if (match === null) return void send(response, 200, { status: 'ok' });
  return items(request, response, match[1] === undefined ? undefined : Number(match[1]), query);
});
