import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { freePort, type PostgresServer } from './postgres.ts';

/** Debian's newest PostgreSQL with all of its programs, which the embedded one lacks; `.ci/run` sees to it. */
const folder = globSync('/usr/lib/postgresql/*/bin/pg_dump').map(dirname).toSorted().at(-1);

export const hasDebianPostgres = folder !== undefined;

/** Where `pg_dump` and `pg_restore` are. */
export const debianPrograms = folder ?? '';

/** PostgreSQL refuses to run as root, which is who a container's tests run as. */
const asUser =
  process.getuid?.() === 0 ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'] : [];

const run = (...[program = '', ...args]: string[]): void => {
  const { status, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr}`);
};

const give = async (path: string): Promise<void> => {
  if (asUser.length === 0) return;
  const [uid, gid] = ['-u', '-g'].map((flag) => Number(spawnSync('id', [flag, 'postgres']).stdout));
  await chown(path, uid ?? 0, gid ?? 0);
};

const settings = [
  'fsync=off',
  'full_page_writes=off',
  'max_connections=200',
  'shared_buffers=64MB',
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'timezone=Asia/Kathmandu',
];

/** Runs a program of Debian's PostgreSQL to its end, as the user that owns the clusters. @throws Error where it fails */
export const runDebianProgram = (program: string, ...args: string[]): void =>
  run(...asUser, join(debianPrograms, program), ...args);

export interface ClusterOptions {
  /** More settings, as `name=value`. */
  readonly settings?: readonly string[];
  /** Fills the data folder in the place of `initdb`; the cluster then has this password. */
  readonly restored?: { readonly password: string; fill(data: string): Promise<void> };
}

/**
 * Makes a cluster of Debian's PostgreSQL and starts it: on loopback only, with data of its own. `directory` goes with it
 * and belongs to the user that the server runs as.
 */
export const startDebianPostgres = async ({
  settings: more = [],
  restored,
}: ClusterOptions = {}): Promise<
  Pick<PostgresServer, 'url' | 'remove'> & { readonly directory: string; readonly password: string }
> => {
  const directory = await mkdtemp(join(tmpdir(), 'gatewright-debian-'));
  await give(directory);
  const [data, secret] = [join(directory, 'data'), join(directory, 'password')];
  await mkdir(data, { mode: 0o700 });
  await give(data);
  const password = restored?.password ?? randomBytes(12).toString('hex');
  await writeFile(secret, password, { mode: 0o600 });
  await give(secret);
  const port = await freePort();
  const flags = ['--username=postgres', '--auth=scram-sha-256', '--encoding=UTF8', '--locale=C.UTF-8'];
  if (restored === undefined)
    runDebianProgram('initdb', '-D', data, `--pwfile=${secret}`, '--no-sync', ...flags);
  else await restored.fill(data);
  const [program = '', ...args] = [
    ...asUser,
    join(debianPrograms, 'postgres'),
    '-D',
    data,
    '-p',
    String(port),
  ];
  const server = spawn(program, [...args, ...[...settings, ...more].flatMap((setting) => ['-c', setting])], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exited = once(server, 'exit');
  let log = '';
  for await (const line of server.stderr) {
    log += String(line);
    if (log.includes('ready to accept connections')) break;
  }
  if (server.exitCode !== null) throw new Error(`PostgreSQL did not start: ${log}`);
  server.stderr.on('data', () => {});
  return {
    directory,
    password,
    url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
    remove: async () => {
      // Immediately: what it has is thrown away.
      server.kill('SIGQUIT');
      await exited;
      await rm(directory, { recursive: true, force: true });
    },
  };
};
