import { mkdirSync } from 'node:fs';
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
  readonly remove: () => Promise<void>;
}

interface Wanted {
  readonly directory: string;
  /** Folder of the application. */
  readonly application: string;
  /** Statements that fill its tables. @param now SQL of the creation time of rows */
  readonly rows: (now: string) => readonly string[];
}

/** Creates the tables by the application's migrations, and two users: `root` and `reader`, whose id is 2. */
const prepare = (env: Readonly<Record<string, string>>, application: string): void => {
  const gatewright = commandLine(env, application);
  gatewright(['migrate']);
  for (const username of ['root', 'reader']) {
    const user = ['--username', username, '--email', `${username}@example.com`, '--role', 'viewer'];
    gatewright(['user', 'create', ...user, '--password-stdin'], password);
  }
};

const onSqlite = async ({ directory, application, rows }: Wanted): Promise<Place> => {
  mkdirSync(join(directory, 'service'));
  const file = join(directory, 'service', 'gatewright.db');
  const env = environment(join(directory, 'service'), `sqlite:${file}`);
  prepare(env, application);
  const db = new DatabaseSync(file);
  for (const sql of rows("'2026-01-01T00:00:00.000Z'")) db.exec(sql);
  db.exec('pragma wal_checkpoint(truncate); analyze');
  db.close();
  return { env, database: file, databaseCpu: () => 0, remove: async () => {} };
};

const onPostgres = async ({ directory, application, rows }: Wanted): Promise<Place> => {
  const server = await durablePostgres();
  await server.start();
  const url = server.url.replace(/\/postgres(?=\?|$)/, '/service');
  const run = async (of: string, statements: readonly string[]): Promise<void> => {
    const client = new pg.Client({ connectionString: of });
    await client.connect();
    for (const sql of statements) await client.query(sql);
    await client.end();
  };
  await run(server.url, ['create database service']);
  const env = environment(directory, url);
  prepare(env, application);
  await run(url, [...rows('now()'), 'vacuum analyze']);
  return {
    env,
    database: url,
    databaseCpu: databaseCpu(server.directory),
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
