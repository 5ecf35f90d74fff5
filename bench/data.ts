import { execFileSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { callerRows, callers } from './callers.ts';
import { databaseCpu } from './database-cpu.ts';
import { durablePostgres } from './postgres.ts';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

export const jwtSecret = 'a secret of the benchmark, longer than 32 bytes';
export const password = 'a password of the benchmark';

export interface Application {
  readonly id: string;
  readonly secret: string;
}

export interface Data {
  /** Database of the bare server. */
  readonly bare: string;
  /** The service's environment, including its database and credentials. */
  readonly service: Readonly<Record<string, string>>;
  /** As many applications as callers, which sign their requests. They are made when first asked for. */
  applications(): readonly Application[];
  /** CPU time of the database's server so far, in seconds; 0 where it has none. */
  databaseCpu(): number;
  /** Adds notes that are to be deleted, with ids from `firstSpare`, for both servers. */
  addSpares(count: number): Promise<void>;
  /** Removes the remaining ones. */
  removeSpares(): Promise<void>;
  remove(): Promise<void>;
}

/** Far above the id of any note that a run creates. */
export const firstSpare = 100_000_000;

export interface Amounts {
  readonly notes: number;
  /** Users, keys and permissions beside those of the callers; none unless given. */
  readonly crowd?: number;
  /** The checkout that makes the tables; this one unless given. */
  readonly maker?: string | undefined;
}

export const environment = (directory: string, databaseUrl: string): Record<string, string> => ({
  DATA_DIR: directory,
  DATABASE_URL: databaseUrl,
  CREDENTIALS_FILE: join(directory, 'credentials.age'),
  CREDENTIALS_KEY_FILE: join(directory, 'credentials.key'),
  JWT_SECRET: jwtSecret,
  ADMIN_PASSWORD: password,
  LOG_LEVEL: 'warn',
});

/** The command line in an environment, run in the folder of an application. */
export const commandLine =
  (env: Readonly<Record<string, string>>, cwd = root, checkout = root) =>
  (args: readonly string[], input = ''): string =>
    execFileSync(process.execPath, [join(checkout, 'bin/gatewright.js'), ...args], {
      cwd,
      env: { PATH: process.env['PATH'] ?? '', ...env },
      encoding: 'utf8',
      input,
    });

const set = (env: Readonly<Record<string, string>>, maker = root) => {
  const gatewright = commandLine(env, maker, maker);
  const json = (args: readonly string[], input?: string): Record<string, string> =>
    JSON.parse(gatewright([...args, '--json'], input)) as Record<string, string>;
  gatewright(['migrate']);
  const user = ['--username', 'bench', '--email', 'bench@example.com', '--role', 'super_admin'];
  json(['user', 'create', ...user, '--password-stdin'], password);
  const made: Application[] = [];
  return {
    applications: (): readonly Application[] => {
      while (made.length < callers) {
        const { app_id: id = '', api_secret: secret = '' } = json(['app', 'create', `bench-${made.length}`]);
        made.push({ id, secret });
      }
      return made;
    },
  };
};

const titleOf = (n: number): string => `Note ${String(n).padStart(9, '0')}`;
const bodyOf = (n: number): string => `The body of note ${n}: "quoted", 中文, ${'text '.repeat(20)}`;
/** The owner of an order. */
export const ownerOf = (order: number): number => 1 + (order % callers);
const timeOf = (n: number): string => new Date(1_700_000_000_000 + n * 1000).toISOString();

/** Notes, a tenth as many orders (10,000 at most), owned by the callers in turn, and the callers. */
const fillSqlite = (path: string, notes: number): void => {
  const db = new DatabaseSync(path);
  const note = db.prepare('insert into notes (title, body, created_at, updated_at) values (?, ?, ?, ?)');
  const order = db.prepare(
    `insert into orders (number, amount, status, internal_note, user_id, created_at, updated_at)
     values (?, ?, 'paid', ?, ?, ?, ?)`,
  );
  db.exec('begin');
  for (const sql of callerRows(`'${timeOf(0)}'`)) db.exec(sql);
  for (let n = 1; n <= notes; n++) note.run(titleOf(n), bodyOf(n), timeOf(n), timeOf(n));
  for (let n = 1; n <= Math.min(10_000, notes / 10); n++)
    order.run(`N-${n}`, n * 100, `internal ${n}`, ownerOf(n), timeOf(n), timeOf(n));
  db.exec('commit; pragma wal_checkpoint(truncate); analyze');
  db.close();
};

/** As many users as keys and permissions, among which authentication has to find its row. */
const fillCrowd = (path: string, crowd: number): void => {
  const db = new DatabaseSync(path);
  db.exec(`
    begin;
    create temp table numbers as
      with recursive n (i) as (select 1 union all select i + 1 from n where i < ${crowd}) select i from n;
    insert into users (username, username_canonical, email, email_canonical, name, password_hash, created_at, updated_at)
      select 'crowd' || i, 'crowd' || i, i || '@crowd.example', i || '@crowd.example', 'One of many', '-',
        '${timeOf(0)}', '${timeOf(0)}' from numbers;
    insert into api_keys (user_id, name, key_hash, key_prefix, created_at)
      select 1, 'key ' || i, lower(hex(randomblob(32))), 'gk_crowd', '${timeOf(0)}' from numbers;
    insert into roles (name, created_at) select 'role' || i, '${timeOf(0)}' from numbers where i <= 1000;
    insert into user_roles (user_id, role) select id, 'role1' from users where username = 'crowd1';
    insert into permissions (role, model, action, created_at)
      select 'role' || (1 + i % 1000), 'Model' || (i / 1000), 'list', '${timeOf(0)}' from numbers;
    commit; pragma wal_checkpoint(truncate); analyze;
  `);
  db.close();
};

const onEach = (paths: readonly string[], sql: string): void => {
  for (const path of paths) {
    const db = new DatabaseSync(path);
    // The servers have it open as well, and one of them may be at a checkpoint.
    db.exec(`pragma busy_timeout = 10000; ${sql}; pragma wal_checkpoint(passive)`);
    db.close();
  }
};

const spareSql = {
  sqlite: (count: number): string =>
    `insert into notes (id, title, body, created_at, updated_at)
     with recursive n (i) as (select 0 union all select i + 1 from n where i < ${count - 1})
     select ${firstSpare} + i, 'Spare ' || i, 'To be deleted', '${timeOf(0)}', '${timeOf(0)}' from n`,
  postgres: (count: number): string =>
    `insert into notes (id, title, body, created_at, updated_at) overriding system value
     select ${firstSpare} + i, 'Spare ' || i, 'To be deleted', now(), now() from generate_series(0, ${count - 1}) i`,
  remove: `delete from notes where id >= ${firstSpare}`,
};

export const sqliteData = async ({ notes, crowd = 0, maker }: Amounts): Promise<Data> => {
  const directory = mkdtempSync(join(tmpdir(), 'gatewright-bench-'));
  const file = join(directory, 'service', 'gatewright.db');
  mkdirSync(join(directory, 'service'));
  const service = environment(join(directory, 'service'), `sqlite:${file}`);
  const made = set(service, maker);
  fillSqlite(file, notes);
  if (crowd > 0) fillCrowd(file, crowd);
  const bare = join(directory, 'bare.db');
  cpSync(file, bare);
  return {
    ...made,
    bare,
    service,
    databaseCpu: () => 0,
    addSpares: async (count) => onEach([file, bare], spareSql.sqlite(count)),
    removeSpares: async () => onEach([file, bare], spareSql.remove),
    remove: async () => rmSync(directory, { recursive: true, force: true }),
  };
};

const fillPostgres = async (url: string, notes: number): Promise<void> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (const sql of callerRows('now()')) await client.query(sql);
  await client.query(
    `insert into notes (title, body, created_at, updated_at)
     select 'Note ' || lpad(n::text, 9, '0'), 'The body of note ' || n || ': "quoted", 中文, ' || repeat('text ', 20),
       to_timestamp(1700000000 + n), to_timestamp(1700000000 + n) from generate_series(1, $1::int) n`,
    [notes],
  );
  await client.query(
    `insert into orders (number, amount, status, internal_note, user_id, created_at, updated_at)
     select 'N-' || n, n * 100, 'paid', 'internal ' || n, 1 + n % ${callers}, now(), now() from generate_series(1, $1::int) n`,
    [Math.min(10_000, notes / 10)],
  );
  await client.query('analyze');
  await client.end();
};

/** One server with a database for each: the bare server's is a copy of the service's. */
export const postgresData = async ({ notes, maker }: Amounts): Promise<Data> => {
  const server = await durablePostgres();
  await server.start();
  const directory = mkdtempSync(join(tmpdir(), 'gatewright-bench-'));
  const urlOf = (name: string): string => server.url.replace(/\/postgres(?=\?|$)/, `/${name}`);
  const run = async (url: string, sql: string): Promise<void> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      await client.query(sql);
    } finally {
      await client.end();
    }
  };
  const onBoth = async (sql: string): Promise<void> => {
    await run(urlOf('service'), sql);
    await run(urlOf('bare'), sql);
  };
  await run(server.url, 'create database service');
  const service = environment(directory, urlOf('service'));
  const made = set(service, maker);
  await fillPostgres(urlOf('service'), notes);
  await run(server.url, 'create database bare template service');
  return {
    ...made,
    bare: urlOf('bare'),
    service,
    databaseCpu: databaseCpu(server.directory),
    addSpares: (count) => onBoth(spareSql.postgres(count)),
    removeSpares: () => onBoth(spareSql.remove),
    remove: async () => {
      await server.stop();
      await server.remove();
      rmSync(directory, { recursive: true, force: true });
    },
  };
};

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token of a user, by default the only one, valid for the run. */
export const token = (user = 1): string => {
  const exp = Math.floor(Date.now() / 1000) + 36_000;
  const text = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ user_id: user, exp })}`;
  return `${text}.${createHmac('sha256', jwtSecret).update(text).digest('base64url')}`;
};
