import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './postgres.ts';

export interface Pooler {
  readonly url: string;
  close(): Promise<void>;
}

/** True if this machine has PgBouncer; `.ci/run` sees to it. */
export const hasPgBouncer = spawnSync('pgbouncer', ['--version']).status === 0;

/** PgBouncer in transaction mode in front of a database: each transaction may be another session of the server. */
export const startPgBouncer = async (direct: string): Promise<Pooler> => {
  const target = new URL(direct);
  const directory = await mkdtemp(join(tmpdir(), 'gatewright-pgbouncer-'));
  const port = await freePort();
  const { hostname, username, password } = target;
  await writeFile(
    join(directory, 'pgbouncer.ini'),
    `[databases]
* = host=${hostname} port=${target.port} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 4
ignore_startup_parameters = options
`,
  );
  await chmod(directory, 0o755);
  // It refuses to run as root.
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const pooler = spawn('pgbouncer', [...user, join(directory, 'pgbouncer.ini')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exited = once(pooler, 'exit');
  for await (const line of pooler.stderr) if (String(line).includes('process up')) break;
  pooler.stderr.resume();
  target.port = String(port);
  return {
    url: target.href,
    close: async () => {
      pooler.kill('SIGKILL');
      await exited;
      await rm(directory, { recursive: true, force: true });
    },
  };
};
