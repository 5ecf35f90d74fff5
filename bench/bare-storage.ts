import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';

type Row = Readonly<Record<string, unknown>>;
type Maybe<T> = T | Promise<T>;

/** The bare server's access to its database: prepared statements, rows as objects, a durable commit per write. */
export interface Storage {
  user(id: number): Maybe<Row | undefined>;
  keyOwner(hash: string): Maybe<Row | undefined>;
  note(id: number): Maybe<Row | undefined>;
  page(limit: number, offset: number): Maybe<readonly Row[]>;
  all(): Maybe<readonly Row[]>;
  total(): Maybe<number>;
  filtered(from: string, limit: number, offset: number): Maybe<readonly Row[]>;
  filteredTotal(from: string): Maybe<number>;
  insert(title: string, body: string, now: string): Maybe<Row | undefined>;
  change(id: number, title: string, now: string): Maybe<Row | undefined>;
  remove(id: number): Maybe<unknown>;
}

const note = 'id, title, body, created_at, updated_at';
const users = 'id, username, email, name';

export const sqliteStorage = (path: string): Storage => {
  const db = new DatabaseSync(path);
  db.exec('pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on');
  const user = db.prepare(`select ${users} from users where id = ? and disabled = 0`);
  const keyOwner = db.prepare(
    `select u.id, u.username, u.email, u.name from api_keys k join users u on u.id = k.user_id
     where k.key_hash = ? and u.disabled = 0`,
  );
  const one = db.prepare(`select ${note} from notes where id = ?`);
  const page = db.prepare(`select ${note} from notes order by id limit ? offset ?`);
  const all = db.prepare(`select ${note} from notes order by id`);
  const total = db.prepare('select count(*) as total from notes');
  const filtered = db.prepare(
    `select ${note} from notes where title >= ? order by title, id limit ? offset ?`,
  );
  const filteredTotal = db.prepare('select count(*) as total from notes where title >= ?');
  const insert = db.prepare(
    `insert into notes (title, body, created_at, updated_at) values (?, ?, ?, ?) returning ${note}`,
  );
  const change = db.prepare(`update notes set title = ?, updated_at = ? where id = ? returning ${note}`);
  const remove = db.prepare('delete from notes where id = ?');
  return {
    user: (id) => user.get(id),
    keyOwner: (hash) => keyOwner.get(hash),
    note: (id) => one.get(id),
    page: (limit, offset) => page.all(limit, offset),
    all: () => all.all(),
    total: () => Number(total.get()?.['total']),
    filtered: (from, limit, offset) => filtered.all(from, limit, offset),
    filteredTotal: (from) => Number(filteredTotal.get(from)?.['total']),
    insert: (title, body, now) => insert.get(title, body, now, now),
    change: (id, title, now) => change.get(title, now, id),
    remove: (id) => remove.run(id),
  };
};

export const postgresStorage = (url: string): Storage => {
  const pool = new pg.Pool({ connectionString: url, max: 10 });
  const rows = async (name: string, text: string, values: unknown[]): Promise<Row[]> =>
    (await pool.query({ name, text, values })).rows as Row[];
  const first = async (name: string, text: string, values: unknown[]): Promise<Row | undefined> =>
    (await rows(name, text, values))[0];
  return {
    user: (id) => first('user', `select ${users} from users where id = $1 and not disabled`, [id]),
    keyOwner: (hash) =>
      first(
        'key',
        `select u.id, u.username, u.email, u.name from api_keys k join users u on u.id = k.user_id
         where k.key_hash = $1 and not u.disabled`,
        [hash],
      ),
    note: (id) => first('note', `select ${note} from notes where id = $1`, [id]),
    page: (limit, offset) =>
      rows('page', `select ${note} from notes order by id limit $1 offset $2`, [limit, offset]),
    all: () => rows('all', `select ${note} from notes order by id`, []),
    total: async () => Number((await first('total', 'select count(*) as total from notes', []))?.['total']),
    filtered: (from, limit, offset) =>
      rows('filtered', `select ${note} from notes where title >= $1 order by title, id limit $2 offset $3`, [
        from,
        limit,
        offset,
      ]),
    filteredTotal: async (from) =>
      Number(
        (await first('ftotal', 'select count(*) as total from notes where title >= $1', [from]))?.['total'],
      ),
    insert: (title, body, now) =>
      first(
        'insert',
        `insert into notes (title, body, created_at, updated_at) values ($1, $2, $3, $3) returning ${note}`,
        [title, body, now],
      ),
    change: (id, title, now) =>
      first('change', `update notes set title = $2, updated_at = $3 where id = $1 returning ${note}`, [
        id,
        title,
        now,
      ]),
    remove: (id) => rows('remove', 'delete from notes where id = $1', [id]),
  };
};
