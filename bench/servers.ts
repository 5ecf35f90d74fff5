import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
export const jwtSecret = 'a secret of the benchmark, longer than 32 bytes';

const taskset = ((): boolean => {
  try {
    execFileSync('taskset', ['-c', '0', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

/** Whether server and load get a core each. */
export const pinned = taskset;

/** A command that runs on one core only, where the machine can do that. */
export const onCore = (core: number, command: string, args: readonly string[]): [string, string[]] =>
  taskset ? ['taskset', ['-c', String(core), command, ...args]] : [command, [...args]];

export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      probe.close(() => resolve(port));
    });
  });

export interface Running {
  readonly name: string;
  readonly port: number;
  /** CPU time of the process so far, in seconds, user and system. */
  cpu(): number;
  /** Resident memory in bytes. */
  memory(): number;
  stop(): Promise<void>;
}

const ticks = 100;

/** The process itself: taskset replaces itself by the command, so the child's id is the server's. */
const processFigures = (pid: number) => ({
  cpu: (): number => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return (Number(fields[11]) + Number(fields[12])) / ticks;
  },
  memory: (): number => {
    const resident = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return Number(resident) * 1024;
  },
});

const start = async (
  name: string,
  args: readonly string[],
  env: Record<string, string>,
  ready: RegExp,
): Promise<Running> => {
  const port = await freePort();
  const [command, all] = onCore(0, process.execPath, args);
  const child: ChildProcess = spawn(command, all, {
    cwd: root,
    env: { PATH: process.env['PATH'] ?? '', ...env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise<void>((resolve, reject) => {
    let output = '';
    child.once('exit', (code) => reject(new Error(`${name} ended with ${code}: ${output}`)));
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (ready.test(output)) resolve();
    });
  });
  const pid = child.pid ?? 0;
  return {
    name,
    port,
    ...processFigures(pid),
    stop: () =>
      new Promise((resolve) => {
        child.removeAllListeners('exit');
        child.once('exit', () => resolve());
        child.kill('SIGTERM');
      }),
  };
};

export interface Data {
  readonly directory: string;
  /** A copy of the same database for each server. */
  readonly databases: { readonly bare: string; readonly service: string };
  remove(): void;
}

const environment = (directory: string): Record<string, string> => ({
  DATA_DIR: directory,
  DATABASE_URL: `sqlite:${join(directory, 'gatewright.db')}`,
  CREDENTIALS_FILE: join(directory, 'credentials.age'),
  CREDENTIALS_KEY_FILE: join(directory, 'credentials.key'),
  JWT_SECRET: jwtSecret,
  ADMIN_PASSWORD: 'a password of the benchmark',
  LOG_LEVEL: process.env['BENCH_LOG_LEVEL'] ?? 'warn',
});

/** Makes a database with one user, one API key, and so many notes; both servers get a copy of the file. */
export const prepareData = (notes: number): Data & { readonly key: string } => {
  const directory = mkdtempSync(join(tmpdir(), 'gatewright-bench-'));
  const [bare, service] = [join(directory, 'bare'), join(directory, 'service')];
  mkdirSync(bare);
  mkdirSync(service);
  const env = { PATH: process.env['PATH'] ?? '', ...environment(service) };
  const gatewright = (...args: string[]): string =>
    execFileSync(process.execPath, ['bin/gatewright.js', ...args], { cwd: root, env, encoding: 'utf8' });
  gatewright('migrate');
  gatewright(
    'user',
    'create',
    '--username',
    'bench',
    '--email',
    'bench@example.com',
    '--role',
    'super_admin',
  );
  const { key } = JSON.parse(
    gatewright('key', 'create', '--username', 'bench', '--name', 'bench', '--json'),
  ) as {
    key: string;
  };
  const file = join(service, 'gatewright.db');
  const db = new DatabaseSync(file);
  const insert = db.prepare('insert into notes (title, body, created_at, updated_at) values (?, ?, ?, ?)');
  db.exec('begin');
  for (let n = 1; n <= notes; n++) {
    const at = new Date(1_700_000_000_000 + n * 1000).toISOString();
    insert.run(
      `Note ${String(n).padStart(9, '0')}`,
      `The body of note ${n}: "quoted", 中文, ${'text '.repeat(20)}`,
      at,
      at,
    );
  }
  const order = db.prepare(
    "insert into orders (number, amount, status, internal_note, user_id, created_at, updated_at) values (?, ?, 'paid', ?, 1, ?, ?)",
  );
  for (let n = 1; n <= 1000; n++) {
    const at = new Date(1_700_000_000_000 + n * 1000).toISOString();
    order.run(`N-${n}`, n * 100, `internal ${n}`, at, at);
  }
  db.exec('commit; pragma wal_checkpoint(truncate); pragma optimize');
  db.close();
  cpSync(file, join(bare, 'bare.db'));
  return {
    directory,
    key,
    databases: { bare: join(bare, 'bare.db'), service },
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
};

export const startBare = (data: Data): Promise<Running> =>
  start('bare', ['bench/bare.ts'], { DATABASE: data.databases.bare, JWT_SECRET: jwtSecret }, /ready/);

export const startService = (data: Data, extra: Record<string, string> = {}): Promise<Running> =>
  start(
    'gatewright',
    ['bin/gatewright.js', 'start'],
    { ...environment(data.databases.service), ...extra },
    /answers on/,
  );

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token for the only user, good for the run. */
export const benchToken = (): string => {
  const text = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ user_id: 1, exp: Math.floor(Date.now() / 1000) + 36_000 })}`;
  return `${text}.${createHmac('sha256', jwtSecret).update(text).digest('base64url')}`;
};
