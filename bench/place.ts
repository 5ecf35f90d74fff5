import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { callers } from './callers.ts';
import { commandLine, environment, password } from './data.ts';
import { databaseCpu } from './database-cpu.ts';
import { durablePostgres } from './postgres.ts';

/** The database of an application under measurement. */
export interface Place {
  readonly env: Readonly<Record<string, string>>;
  /** The path of a file, or an address, for a driver. */
  readonly database: string;
  /** CPU time of the database's server so far, in seconds; 0 where it has none. */
  readonly databaseCpu: () => number;
  /** Copies the database, which no process may have open, for another server. Returns its path or address. */
  readonly copy: () => Promise<string>;
  readonly remove: () => Promise<void>;
}

interface Wanted {
  readonly directory: string;
  /** Folder of the application. */
  readonly application: string;
  /** Statements that fill its tables. @param now SQL of the creation time of rows */
  readonly rows: (now: string) => readonly string[];
  /** The checkout that makes the tables; this one unless given. */
  readonly maker?: string | undefined;
  /** A table whose indexes are made after its rows, so that 10⁷ rows take minutes. */
  readonly large?: string | undefined;
}

/** Runs the statements while a table has no indexes. */
const withoutIndexes = async (
  run: (sql: string) => unknown,
  indexes: readonly { readonly name: string; readonly sql: string }[],
  statements: readonly string[],
): Promise<void> => {
  for (const { name } of indexes) await run(`drop index ${name}`);
  for (const sql of statements) await run(sql);
  for (const { sql } of indexes) await run(sql);
};

/** Creates the tables by the application's migrations, and two users: `root` and `reader`, whose id is 2. */
const prepare = (env: Readonly<Record<string, string>>, { application, maker }: Wanted): void => {
  const gatewright = commandLine(env, application, maker);
  gatewright(['migrate']);
  for (const username of ['root', 'reader']) {
    const user = ['--username', username, '--email', `${username}@example.com`, '--role', 'viewer'];
    gatewright(['user', 'create', ...user, '--password-stdin'], password);
  }
};

const onSqlite = async (wanted: Wanted): Promise<Place> => {
  const { directory, rows, large = '' } = wanted;
  mkdirSync(join(directory, 'service'));
  const file = join(directory, 'service', 'gatewright.db');
  const env = environment(join(directory, 'service'), `sqlite:${file}`);
  prepare(env, wanted);
  const db = new DatabaseSync(file);
  // The rows refer to one another, and are not checked one by one.
  db.exec('pragma foreign_keys = off; pragma cache_size = -262144');
  const indexes = db
    .prepare(`select name, sql from sqlite_schema where type = 'index' and tbl_name = ? and sql is not null`)
    .all(large);
  await withoutIndexes(
    (sql) => db.exec(sql),
    indexes.map(({ name, sql }) => ({ name: String(name), sql: String(sql) })),
    rows("'2026-01-01T00:00:00.000Z'"),
  );
  db.exec('pragma wal_checkpoint(truncate); analyze');
  db.close();
  const copy = async (): Promise<string> => {
    const other = join(directory, 'copy.db');
    cpSync(file, other);
    return other;
  };
  return { env, database: file, databaseCpu: () => 0, copy, remove: async () => {} };
};

const onPostgres = async (wanted: Wanted): Promise<Place> => {
  const { directory, rows, large } = wanted;
  const server = await durablePostgres();
  await server.start();
  const url = server.url.replace(/\/postgres(?=\?|$)/, '/service');
  const connected = async (of: string): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: of });
    await client.connect();
    return client;
  };
  const run = async (of: string, statements: readonly string[]): Promise<void> => {
    const client = await connected(of);
    for (const sql of statements) await client.query(sql);
    await client.end();
  };
  await run(server.url, ['create database service']);
  const env = environment(directory, url);
  prepare(env, wanted);
  const client = await connected(url);
  if (large !== undefined) await client.query('set session_replication_role = replica');
  const indexes = await client.query<{ name: string; sql: string }>(
    `select indexname as name, indexdef as sql from pg_indexes
     where tablename = $1 and indexname not in (select conname from pg_constraint)`,
    [large ?? ''],
  );
  await withoutIndexes((sql) => client.query(sql), indexes.rows, rows('now()'));
  await client.query('vacuum analyze');
  await client.end();
  return {
    env,
    database: url,
    databaseCpu: databaseCpu(server.directory),
    copy: async () => {
      await run(server.url, ['create database copy template service']);
      return server.url.replace(/\/postgres(?=\?|$)/, '/copy');
    },
    remove: async () => {
      await server.stop();
      await server.remove();
    },
  };
};

/** Sets up an application with its rows on a database; for PostgreSQL a server of its own. */
export const placeOn = (database: string, wanted: Wanted): Promise<Place> =>
  (database === 'postgres' ? onPostgres : onSqlite)(wanted);

/** Statements that add users 3 to 33, with the role of `reader`. */
export const moreReaders = (now: string): readonly string[] => {
  const names = Array.from({ length: callers - 1 }, (_, index) => `reader${index + 3}`);
  const rows = names.map(
    (name) => `('${name}', '${name}', '${name}@example.com', '${name}@example.com', '${name}',
    '-', ${now}, ${now})`,
  );
  return [
    `insert into users (username, username_canonical, email, email_canonical, name, password_hash, created_at, updated_at)
     values ${rows.join(', ')}`,
    `insert into user_roles (user_id, role) select id, 'viewer' from users where id > 2`,
  ];
};

/** Numbers from 1 on, in both dialects. */
export const numbers = (count: number): string =>
  `with recursive n (i) as (select cast(1 as bigint) union all select i + 1 from n where i < ${count})`;
