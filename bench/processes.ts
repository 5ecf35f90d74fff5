import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Data, root } from './data.ts';
import { cpuOf, residentOf } from './proc.ts';

const canPin = (): boolean => {
  try {
    execFileSync('taskset', ['-c', '1', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

/** Whether server and load get a core each. */
export const isPinned = canPin();

/** A command that runs on one core only, if the machine supports it. */
export const onCore = (core: number, command: string, args: readonly string[]): [string, string[]] =>
  isPinned ? ['taskset', ['-c', String(core), command, ...args]] : [command, [...args]];

/**
 * Cores of a program: a server has the first one, the load the second one. `first core in turns`: the processes of a
 * server share it without interrupting each other (SCHED_BATCH), so that each costs what it costs on a core of its own.
 */
export type Place = 'first core' | 'first core in turns' | 'second core' | 'all cores';

export const placed = (place: Place, command: string, args: readonly string[]): [string, string[]] => {
  if (place === 'all cores' || !isPinned) return [command, [...args]];
  if (place === 'first core in turns') return onCore(0, 'chrt', ['--batch', '0', command, ...args]);
  return onCore(place === 'first core' ? 0 : 1, command, args);
};

/** A port that is currently free. */
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
  readonly pid: number;
  /** Milliseconds from the start of the process to its first response. */
  readonly startup: number;
  /** CPU time of the process so far, in seconds, user and system. */
  cpu(): number;
  /** Resident memory in bytes. */
  memory(): number;
  stop(): Promise<void>;
}

/** Figures of the process itself: taskset replaces itself by the command, so the child's id is the server's. */
const figuresOf = (pid: number) => ({
  cpu: (): number => cpuOf(pid),
  memory: (): number => residentOf(pid),
});

const firstAnswer = async (port: number, child: ChildProcess, name: string): Promise<void> => {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode}`);
    try {
      const response = await fetch(`http://127.0.0.1:${port}/api/v1/health`);
      await response.text();
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
};

/** Starts one of our servers as a process, and waits for its first response. */
export const start = async (
  name: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd = root,
  place: Place = 'first core',
): Promise<Running> => {
  const port = await freePort();
  const [command, all] = placed(place, process.execPath, args);
  const began = performance.now();
  const child = spawn(command, all, {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', ...env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await firstAnswer(port, child, name);
  return {
    name,
    port,
    pid: child.pid ?? 0,
    startup: performance.now() - began,
    ...figuresOf(child.pid ?? 0),
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', () => resolve());
        child.kill('SIGTERM');
      }),
  };
};

export const startBare = (data: Data): Promise<Running> =>
  start('bare', ['bench/bare.ts'], { DATABASE: data.bare, JWT_SECRET: data.service['JWT_SECRET'] ?? '' });

/**
 * Starts the service like `npm start`. @param checkout the folder of another version, built; this one unless given
 */
export const startService = (
  data: Data,
  extra: Readonly<Record<string, string>> = {},
  checkout = root,
  place: Place = 'first core',
): Promise<Running> =>
  start(
    checkout === root ? 'gatewright' : checkout,
    ['--max-semi-space-size=8', 'bin/gatewright.js', 'start'],
    { ...data.service, ...extra },
    checkout,
    place,
  );

/** Starts another version of the service, on the bare server's copy of the data. */
export const startOther = (data: Data, checkout: string): Promise<Running> =>
  startService(
    data,
    // For the bare server the database is a path; the DATA_DIR is separate, as its list contains the database.
    {
      DATABASE_URL: data.bare.includes('://') ? data.bare : `sqlite:${data.bare}`,
      DATA_DIR: mkdtempSync(join(tmpdir(), 'gatewright-bench-other-')),
    },
    checkout,
  );
