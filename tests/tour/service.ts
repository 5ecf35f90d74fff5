import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** The time that the service may take to start or to stop, in milliseconds. */
const startTimeoutMs = 30_000;

const newest = async (...directories: readonly string[]): Promise<number> => {
  const times = directories.map(async (directory) => {
    const files = await readdir(join(root, directory), { recursive: true });
    return Promise.all(files.map(async (file) => (await stat(join(root, directory, file))).mtimeMs));
  });
  return Math.max(...(await Promise.all(times)).flat());
};

/** The command and the package are `dist`: builds it where the sources are newer. */
export const ensureBuilt = async (): Promise<void> => {
  const built = await stat(join(root, 'dist/cli/main.js')).catch(() => undefined);
  if (built !== undefined && built.mtimeMs > (await newest('src', 'client', 'admin'))) return;
  await promisify(execFile)('npm', ['run', 'build'], { cwd: root }).catch((error: { stdout?: string }) => {
    throw new Error(`npm run build failed: ${error.stdout}`, { cause: error });
  });
};

export interface StartedService {
  /** Its greeting: the standard output without the log and npm's own lines. */
  readonly greeting: string;
  /** The environment in which commands find its files. */
  readonly environment: NodeJS.ProcessEnv;
  stop(): Promise<void>;
}

/** Runs `command` in the checkout on a free port, with a folder of its own for data and credentials. */
export const startByCommand = async (command: string): Promise<StartedService> => {
  const directory = await mkdtemp(join(tmpdir(), 'gatewright-tour-'));
  const environment: NodeJS.ProcessEnv = {
    ...process.env,
    DATA_DIR: directory,
    CREDENTIALS_FILE: join(directory, 'credentials.age'),
    CREDENTIALS_KEY_FILE: join(directory, 'credentials.key'),
  };
  // Variables of the developer's shell must not reach the service.
  const { DATABASE_URL: _url, BASE_URL: _base, LOCALE: _locale, NODE_ENV: _mode, ...rest } = environment;
  // A group of its own: npm, its shell and the service end as one.
  const child = spawn('bash', ['-c', command], {
    cwd: root,
    env: { ...rest, PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${command} did not start`);
  const closed = once(child, 'close');
  const errors: string[] = [];
  child.stderr.on('data', (data: Buffer) => errors.push(data.toString()));

  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-pid, 'SIGTERM');
    const late = new AbortController();
    const forced = delay(startTimeoutMs, undefined, { signal: late.signal }).then(
      () => process.kill(-pid, 'SIGKILL'),
      () => undefined,
    );
    await closed;
    late.abort();
    await forced;
    await rm(directory, { recursive: true, force: true });
  };

  const lines: string[] = [];
  const timer = setTimeout(() => child.kill('SIGKILL'), startTimeoutMs);
  for await (const line of createInterface({ input: child.stdout })) {
    if (/^(\{|>|$)/.test(line)) continue;
    lines.push(line);
    if (line.includes('It is shown this once')) break;
  }
  clearTimeout(timer);
  child.stdout.resume();
  if (lines.length === 0) {
    await stop();
    throw new Error(`${command} said nothing: ${errors.join('')}`);
  }
  return { greeting: lines.join('\n'), environment: rest, stop };
};
