import { execFileSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { createPostgres } from '../tests/support/postgres.ts';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

export const jwtSecret = 'a secret of the benchmark, longer than 32 bytes';
export const password = 'a password of the benchmark';

export interface Data {
  /** What the bare server opens. */
  readonly bare: string;
  /** The service's environment, its database and credentials among it. */
  readonly service: Readonly<Record<string, string>>;
  /** An API key of the only user, who is super_admin. */
  readonly key: string;
  /** An application that signs: app_id and secret. */
  readonly application: { readonly id: string; readonly secret: string };
  /** Reclaims what was written since: every case begins with the same amount of data. */
  remove(): Promise<void>;
}

const environment = (directory: string, databaseUrl: string): Record<string, string> => ({
  DATA_DIR: directory,
  DATABASE_URL: databaseUrl,
  CREDENTIALS_FILE: join(directory, 'credentials.age'),
  CREDENTIALS_KEY_FILE: join(directory, 'credentials.key'),
  JWT_SECRET: jwtSecret,
  ADMIN_PASSWORD: password,
  LOG_LEVEL: 'warn',
});

const set = (env: Readonly<Record<string, string>>) => {
  const gatewright = (args: readonly string[], input = ''): string =>
    execFileSync(process.execPath, ['bin/gatewright.js', ...args], {
      cwd: root,
      env: { PATH: process.env['PATH'] ?? '', ...env },
      encoding: 'utf8',
      input,
    });
  const json = (args: readonly string[], input?: string): Record<string, string> =>
    JSON.parse(gatewright([...args, '--json'], input)) as Record<string, string>;
  gatewright(['migrate']);
  const user = ['--username', 'bench', '--email', 'bench@example.com', '--role', 'super_admin'];
  json(['user', 'create', ...user, '--password-stdin'], password);
  const { key = '' } = json(['key', 'create', '--username', 'bench', '--name', 'bench']);
  const { app_id: id = '', api_secret: secret = '' } = json(['app', 'create', 'bench']);
  return { key, application: { id, secret } };
};

const titleOf = (n: number): string => `Note ${String(n).padStart(9, '0')}`;
const bodyOf = (n: number): string => `The body of note ${n}: "quoted", 中文, ${'text '.repeat(20)}`;
const timeOf = (n: number): string => new Date(1_700_000_000_000 + n * 1000).toISOString();

/** Notes, and a tenth as many orders (10,000 at most), of the only user. */
const fillSqlite = (path: string, notes: number): void => {
  const db = new DatabaseSync(path);
  const note = db.prepare('insert into notes (title, body, created_at, updated_at) values (?, ?, ?, ?)');
  const order = db.prepare(
    `insert into orders (number, amount, status, internal_note, user_id, created_at, updated_at)
     values (?, ?, 'paid', ?, 1, ?, ?)`,
  );
  db.exec('begin');
  for (let n = 1; n <= notes; n++) note.run(titleOf(n), bodyOf(n), timeOf(n), timeOf(n));
  for (let n = 1; n <= Math.min(10_000, notes / 10); n++)
    order.run(`N-${n}`, n * 100, `internal ${n}`, timeOf(n), timeOf(n));
  db.exec('commit; pragma wal_checkpoint(truncate); analyze');
  db.close();
};

export const sqliteData = async (notes: number): Promise<Data> => {
  const directory = mkdtempSync(join(tmpdir(), 'gatewright-bench-'));
  const file = join(directory, 'service', 'gatewright.db');
  mkdirSync(join(directory, 'service'));
  const service = environment(join(directory, 'service'), `sqlite:${file}`);
  const made = set(service);
  fillSqlite(file, notes);
  cpSync(file, join(directory, 'bare.db'));
  return {
    ...made,
    bare: join(directory, 'bare.db'),
    service,
    remove: async () => rmSync(directory, { recursive: true, force: true }),
  };
};

const fillPostgres = async (url: string, notes: number): Promise<void> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(
    `insert into notes (title, body, created_at, updated_at)
     select 'Note ' || lpad(n::text, 9, '0'), 'The body of note ' || n || ': "quoted", 中文, ' || repeat('text ', 20),
       to_timestamp(1700000000 + n), to_timestamp(1700000000 + n) from generate_series(1, $1::int) n`,
    [notes],
  );
  await client.query(
    `insert into orders (number, amount, status, internal_note, user_id, created_at, updated_at)
     select 'N-' || n, n * 100, 'paid', 'internal ' || n, 1, now(), now() from generate_series(1, $1::int) n`,
    [Math.min(10_000, notes / 10)],
  );
  await client.query('analyze');
  await client.end();
};

/** One server with a database for each: the bare server's is a copy of the service's. */
export const postgresData = async (notes: number): Promise<Data> => {
  const server = await createPostgres();
  await server.start();
  const directory = mkdtempSync(join(tmpdir(), 'gatewright-bench-'));
  const urlOf = (name: string): string => server.url.replace(/\/postgres(?=\?|$)/, `/${name}`);
  const admin = async (sql: string): Promise<void> => {
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    await client.query(sql);
    await client.end();
  };
  await admin('create database service');
  const service = environment(directory, urlOf('service'));
  const made = set(service);
  await fillPostgres(urlOf('service'), notes);
  await admin('create database bare template service');
  return {
    ...made,
    bare: urlOf('bare'),
    service,
    remove: async () => {
      await server.stop();
      await server.remove();
      rmSync(directory, { recursive: true, force: true });
    },
  };
};

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token of the only user, good for the run. */
export const token = (): string => {
  const exp = Math.floor(Date.now() / 1000) + 36_000;
  const text = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ user_id: 1, exp })}`;
  return `${text}.${createHmac('sha256', jwtSecret).update(text).digest('base64url')}`;
};
