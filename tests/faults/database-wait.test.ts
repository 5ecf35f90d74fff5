import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { inheritedEnvironment } from '../support/child.ts';
import { createPostgres, freePort, type PostgresServer } from '../support/postgres.ts';

const script = fileURLToPath(new URL('./children/command.ts', import.meta.url));

interface Running {
  readonly process: ChildProcess;
  output(): string;
  /** Resolves with the status, or the signal. */
  readonly ended: Promise<unknown>;
}

/** `gatewright` in an empty folder. */
const gatewright = async (
  args: readonly string[],
  url: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Running> => {
  const folder = await mkdtemp(join(tmpdir(), 'gatewright-wait-'));
  const child = spawn(process.execPath, [script, ...args], {
    cwd: folder,
    env: {
      ...{ ...inheritedEnvironment(), PORT: '0', DATA_DIR: join(folder, 'data'), DRAIN: '0' },
      ...{ CREDENTIALS_FILE: join(folder, 'a.age'), CREDENTIALS_KEY_FILE: join(folder, 'a.key') },
      ...{ ADMIN_PASSWORD: 'tulip-anvil-47 kettle', DATABASE_URL: url },
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close').then(([code, signal]: unknown[]) => signal ?? code);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data: Buffer) => {
      output += data.toString();
    });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
    await rm(folder, { recursive: true, force: true });
  });
  return { process: child, output: () => output, ended };
};

/** An address where nothing listens, as somebody with a password. */
const nowhere = async (): Promise<string> =>
  `postgres://someone:planted-password@127.0.0.1:${await freePort()}/app`;

const times = (text: string, part: string): number => text.split(part).length - 1;
const startTimeout = { timeout: 30_000 };

describe('a start while PostgreSQL is away', { timeout: 90_000 }, () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await createPostgres();
  }, 60_000);
  afterAll(() => server?.remove());

  it('waits, says so once, and goes on when the server is there; so does migrate', async () => {
    const [service, migrate] = [
      await gatewright(['start'], server.url),
      await gatewright(['migrate'], server.url),
    ];
    for (const { output } of [service, migrate])
      await expect.poll(output, startTimeout).toContain('waiting for the database');
    await server.start();
    await expect.poll(service.output, startTimeout).toContain('"listening"');
    expect(await migrate.ended).toBe(0);
    for (const { output } of [service, migrate]) {
      expect(times(output(), 'waiting for the database')).toBe(1);
      expect(output()).toContain('the database is there');
      expect(output()).not.toContain(new URL(server.url).password);
    }
    service.process.kill('SIGTERM');
    expect(await service.ended).toBe(0);
  });

  it('fails at once where waiting changes nothing, and names it', async () => {
    // It runs since the test before.
    const [stranger, missing] = [new URL(server.url), new URL(server.url)];
    stranger.username = 'nobody_here';
    missing.pathname = '/nothing';
    const refusals = [
      [stranger.href, 'nobody_here'],
      [missing.href, '"nothing" does not exist'],
    ] as const;
    await Promise.all(
      refusals.map(async ([url, message]) => {
        const { output, ended } = await gatewright(['start'], url);
        expect(await ended).toBe(1);
        expect(output()).toContain(message);
        expect(output()).not.toContain('waiting for the database');
      }),
    );
  });

  it('ends with 0 at SIGTERM, with one process and with two', async () => {
    const end = async (workers: string): Promise<void> => {
      const {
        process: child,
        output,
        ended,
      } = await gatewright(['start'], await nowhere(), {
        WORKERS: workers,
      });
      await expect.poll(output, startTimeout).toContain('waiting for the database');
      child.kill('SIGTERM');
      expect(await ended).toBe(0);
      expect(output()).not.toContain('planted-password');
    };
    await Promise.all([end('1'), end('2')]);
  });

  it('ends after DATABASE_WAIT seconds, at 0 at once, with a line that names the database', async () => {
    const end = async (seconds: string, waits: number): Promise<void> => {
      const url = await nowhere();
      const { output, ended } = await gatewright(['start'], url, { DATABASE_WAIT: seconds });
      expect(await ended).toBe(1);
      expect(output()).toContain(
        `the database ${new URL(url).host}/app cannot be reached (connect ECONNREFUSED`,
      );
      expect(times(output(), 'waiting for the database')).toBe(waits);
      expect(output()).not.toContain('planted-password');
    };
    await Promise.all([end('0', 0), end('1', 1)]);
  });
});
