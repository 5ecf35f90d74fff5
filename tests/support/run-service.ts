import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import { ensureBuilt } from '../tour/service.ts';
import { inheritedEnvironment } from './child.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A service that runs as people run it: a process of its own, started by a command. */
export interface RunningService {
  /** The process of the command, which may be npm's or a launcher's. */
  readonly process: ChildProcess;
  readonly port: number;
  /** The process that serves. */
  readonly pid: number;
  /** Everything on standard output so far, and on standard error. */
  output(): string;
  lines(): readonly { readonly msg: string; readonly [name: string]: unknown }[];
  /** Resolves with the status of the command, or its signal, and the milliseconds that it took from now on. */
  readonly ended: () => Promise<{ readonly status: unknown; readonly milliseconds: number }>;
}

const isJson = (line: string): boolean => line.startsWith('{') && line.endsWith('}');

/** Runs a command in an application's folder (the checkout's unless given) with data of its own; stopped with the test. */
export const runService = async (
  [program = process.execPath, ...args]: readonly string[],
  {
    folder = root,
    env = {},
  }: { readonly folder?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<RunningService> => {
  await ensureBuilt();
  const directory = await mkdtemp(join(tmpdir(), 'gatewright-run-'));
  const child = spawn(program, args, {
    cwd: folder,
    env: {
      ...inheritedEnvironment(),
      HOME: process.env['HOME'],
      PORT: '0',
      DATA_DIR: directory,
      CREDENTIALS_FILE: join(directory, 'credentials.age'),
      CREDENTIALS_KEY_FILE: join(directory, 'credentials.key'),
      ADMIN_PASSWORD: 'tulip-anvil-47 kettle',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const closed = once(child, 'exit');
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data: Buffer) => {
      output += data.toString();
    });
  onTestFinished(async () => {
    const { pid } = child;
    // Whatever is left of the group, and the command itself, whose end the test may not have waited for.
    if (pid !== undefined)
      try {
        process.kill(-pid, 'SIGKILL');
      } catch {}
    await closed;
    await rm(directory, { recursive: true, force: true });
  });
  const lines = (): { msg: string; [name: string]: unknown }[] =>
    output
      .split('\n')
      .filter(isJson)
      .map((line) => JSON.parse(line));
  const listening = () => lines().find(({ msg }) => msg === 'listening');
  await expect
    .poll(() => listening() ?? (child.exitCode === null ? undefined : output), { timeout: 60_000 })
    .toMatchObject({ msg: 'listening' });
  const { port, pid }: Readonly<Record<string, unknown>> = listening() ?? {};
  return {
    process: child,
    port: Number(port),
    pid: Number(pid),
    output: () => output,
    lines,
    ended: async () => {
      const start = performance.now();
      const [code, signal]: unknown[] = await closed;
      return { status: signal ?? code, milliseconds: performance.now() - start };
    },
  };
};

/** The checkout's command with this Node. */
export const command = [process.execPath, join(root, 'bin/gatewright.js')];

/** A Node on the PATH that is too old to serve, where there is one: the command hands over to the packaged one. */
export const pathWithout = (): string =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((part) => !part.includes('node_modules'))
    .join(delimiter);

export interface Reply {
  readonly status: number | string;
  readonly connection: string | undefined;
  readonly text: string;
}

/** A GET on a connection of its own; a failed connection resolves with its code. */
export const ask = (port: number, path: string): Promise<Reply> =>
  new Promise((resolve) => {
    const failed = ({ code = 'error' }: NodeJS.ErrnoException): void =>
      resolve({ status: code, connection: undefined, text: '' });
    const sent = request(
      { port, path, host: '127.0.0.1', agent: false, headers: { connection: 'keep-alive' } },
      (response) => {
        let text = '';
        response.on('data', (data) => {
          text += data;
        });
        response.on('error', failed);
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, connection: response.headers.connection, text }),
        );
      },
    );
    sent.on('error', failed);
    sent.end();
  });
