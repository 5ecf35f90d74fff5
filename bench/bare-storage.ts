import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';

type Row = Readonly<Record<string, unknown>>;
type Maybe<T> = T | Promise<T>;

export interface CountedRows {
  readonly rows: readonly Row[];
  readonly total: number;
}

/** The bare server's access to its database: prepared statements, rows as objects, a durable commit per write. */
export interface Storage {
  user(id: number): Maybe<Row | undefined>;
  keyOwner(hash: string): Maybe<Row | undefined>;
  note(id: number): Maybe<Row | undefined>;
  page(limit: number, offset: number): Maybe<CountedRows>;
  uncountedPage(limit: number, offset: number): Maybe<readonly Row[]>;
  /** The notes whose titles are not before `from`, in the order of their titles. */
  filteredPage(from: string, limit: number, offset: number): Maybe<CountedRows>;
  insert(title: string, body: string, now: string): Maybe<Row | undefined>;
  change(id: number, title: string, body: string | undefined, now: string): Maybe<Row | undefined>;
  remove(id: number): Maybe<unknown>;
}

const note = 'id, title, body, created_at, updated_at';
const users = 'id, username, email, name';
const ownerOfKey = `select u.id, u.username, u.email, u.name from api_keys k join users u on u.id = k.user_id`;

/** The settings of the service: its cache and its log. */
export const openSqlite = (path: string): DatabaseSync => {
  const db = new DatabaseSync(path);
  db.exec('pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on');
  db.exec('pragma cache_size = -8192; pragma wal_autocheckpoint = 400');
  return db;
};

export const sqliteStorage = (path: string): Storage => {
  const db = openSqlite(path);
  const user = db.prepare(`select ${users} from users where id = ? and disabled = 0`);
  const keyOwner = db.prepare(`${ownerOfKey} where k.key_hash = ? and u.disabled = 0`);
  const one = db.prepare(`select ${note} from notes where id = ?`);
  const page = db.prepare(`select ${note} from notes order by id limit ? offset ?`);
  const total = db.prepare('select count(*) as total from notes');
  const filtered = db.prepare(
    `select ${note} from notes where title >= ? order by title, id limit ? offset ?`,
  );
  const filteredTotal = db.prepare('select count(*) as total from notes where title >= ?');
  const insert = db.prepare(
    `insert into notes (title, body, created_at, updated_at) values (?, ?, ?, ?) returning ${note}`,
  );
  const change = db.prepare(
    `update notes set title = ?, body = coalesce(?, body), updated_at = ? where id = ? returning ${note}`,
  );
  const remove = db.prepare('delete from notes where id = ?');
  return {
    user: (id) => user.get(id),
    keyOwner: (hash) => keyOwner.get(hash),
    note: (id) => one.get(id),
    // Within the process, two statements cost no more than one.
    page: (limit, offset) => ({ rows: page.all(limit, offset), total: Number(total.get()?.['total']) }),
    uncountedPage: (limit, offset) => page.all(limit, offset),
    filteredPage: (from, limit, offset) => ({
      rows: filtered.all(from, limit, offset),
      total: Number(filteredTotal.get(from)?.['total']),
    }),
    insert: (title, body, now) => insert.get(title, body, now, now),
    change: (id, title, body, now) => change.get(title, body ?? null, now, id),
    remove: (id) => remove.run(id),
  };
};

/** A pool, and prepared statements by their names. */
export const openPostgres = (url: string) => {
  const pool = new pg.Pool({ connectionString: url, max: 10 });
  const rows = async (name: string, text: string, values: unknown[]): Promise<Row[]> =>
    (await pool.query({ name, text, values })).rows as Row[];
  const first = async (name: string, text: string, values: unknown[]): Promise<Row | undefined> =>
    (await rows(name, text, values))[0];
  return { rows, first };
};

export const postgresStorage = (url: string): Storage => {
  const { rows, first } = openPostgres(url);
  const page = (limit: number, offset: number) =>
    rows('page', `select ${note} from notes order by id limit $1 offset $2`, [limit, offset]);
  const matching = 'from notes where title >= $1';
  return {
    user: (id) => first('user', `select ${users} from users where id = $1 and not disabled`, [id]),
    keyOwner: (hash) => first('key', `${ownerOfKey} where k.key_hash = $1 and not u.disabled`, [hash]),
    note: (id) => first('note', `select ${note} from notes where id = $1`, [id]),
    // Both at the same time: as fast as one statement for 20 rows, and faster for 1,000, whose rows stay as they are.
    page: async (limit, offset) => {
      const [found, count] = await Promise.all([
        page(limit, offset),
        first('total', 'select count(*) as total from notes', []),
      ]);
      return { rows: found, total: Number(count?.['total']) };
    },
    uncountedPage: page,
    // One scan finds and counts the rows: up to twice as fast as two.
    filteredPage: async (from, limit, offset) => {
      const found = await rows(
        'filtered',
        `select ${note}, count(*) over () as total ${matching} order by title, id limit $2 offset $3`,
        [from, limit, offset],
      );
      // A page after the last row is empty, and says nothing of those before it.
      const counted = found[0] ?? (await first('ftotal', `select count(*) as total ${matching}`, [from]));
      return { rows: found.map(({ total: _, ...row }) => row), total: Number(counted?.['total']) };
    },
    insert: (title, body, now) =>
      first(
        'insert',
        `insert into notes (title, body, created_at, updated_at) values ($1, $2, $3, $3) returning ${note}`,
        [title, body, now],
      ),
    change: (id, title, body, now) =>
      first(
        'change',
        `update notes set title = $2, body = coalesce($3, body), updated_at = $4 where id = $1 returning ${note}`,
        [id, title, body ?? null, now],
      ),
    remove: (id) => rows('remove', 'delete from notes where id = $1', [id]),
  };
};
