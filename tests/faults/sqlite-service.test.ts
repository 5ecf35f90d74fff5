import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { run } from '../../src/cli/test-io.ts';
import { commonPassword } from '../support/service.ts';

const program = fileURLToPath(new URL('./children/serve.ts', import.meta.url));

/** The service in a process of its own. */
interface Served {
  readonly process: ChildProcess;
  readonly url: string;
  /** Its log from level warn on, so far. */
  readonly log: readonly string[];
}

let directory = '';
let env: Record<string, string> = {};
const running: ChildProcess[] = [];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gatewright-start-'));
  env = {
    PORT: '0',
    DATA_DIR: directory,
    JWT_SECRET: 'x'.repeat(32),
    CREDENTIALS_FILE: join(directory, 'credentials.age'),
    CREDENTIALS_KEY_FILE: join(directory, 'credentials.key'),
    ADMIN_PASSWORD: commonPassword,
  };
});
afterEach(async () => {
  for (const child of running.splice(0)) await end(child, 'SIGKILL');
  await rm(directory, { recursive: true, force: true });
});

const end = async (child: ChildProcess, signal: NodeJS.Signals): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
};

/** `blocks`: of 512 bytes, which no file may outgrow; a write beyond is refused as by a full disk. */
const serve = async (blocks?: number): Promise<Served> => {
  const limit = blocks === undefined ? '' : `trap '' XFSZ; ulimit -f ${blocks};`;
  const child = spawn('sh', ['-c', `${limit} exec "$0" "$1"`, process.execPath, program], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running.push(child);
  const lines = createInterface({ input: child.stdout });
  const log: string[] = [];
  lines.on('line', (line) => log.push(line));
  const [url] = (await once(lines, 'line', { signal: AbortSignal.timeout(30_000) })) as [string];
  return { process: child, url, log };
};

const another = 'another service runs on this SQLite file';

describe('two services on one SQLite file', () => {
  it('two services on one SQLite file run, and the second one says so; commands beside a service say nothing', async () => {
    const first = await serve();
    const { status, stderr } = await run(['migrate'], { env });
    expect([status, stderr]).toEqual([0, '']);
    const second = await serve();
    await expect.poll(() => second.log.join()).toContain(another);
    for (const { url } of [first, second])
      expect((await fetch(`${url}/api/v1/health?ready`)).status).toBe(200);
    // The claim is shared: where the first one ends, the second one is still there for a third.
    await end(first.process, 'SIGTERM');
    const third = await serve();
    await expect.poll(() => third.log.join()).toContain(another);
    expect(first.log.join()).not.toContain(another);
  }, 60_000);

  it('two services on one SQLite file are not seen where the one before was killed, or has ended', async () => {
    for (const signal of ['SIGKILL', 'SIGTERM', 'SIGKILL'] as const) {
      const served = await serve();
      expect((await fetch(`${served.url}/api/v1/health?ready`)).status).toBe(200);
      await end(served.process, signal);
      expect(served.log.join()).not.toContain(another);
    }
  }, 60_000);
});

describe('a disk that is full', () => {
  it('a service on a full disk is not ready, refuses writes with 503 and goes on reading', async () => {
    await end((await serve()).process, 'SIGTERM');
    const { url } = await serve(1024);
    const sign = await fetch(`${url}/api/v1/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ account: 'admin', password: commonPassword }),
    });
    const { data } = (await sign.json()) as { data: { token: string } };
    const headers = { authorization: `Bearer ${data.token}`, 'content-type': 'application/json' };
    const ready = async () => (await fetch(`${url}/api/v1/health?ready`)).status;
    expect(await ready()).toBe(200);
    const create = async () =>
      (
        await fetch(`${url}/api/v1/api_keys`, {
          method: 'POST',
          headers,
          body: JSON.stringify({ api_key: { name: 'fills the disk' } }),
        })
      ).status;
    const statuses = new Set<number>();
    for (let count = 0; count < 400 && !statuses.has(503); count += 1) statuses.add(await create());
    expect([...statuses]).toEqual([201, 503]);
    expect(await ready()).toBe(503);
    expect((await fetch(`${url}/api/v1/auth/me`, { headers })).status).toBe(200);
    expect((await fetch(`${url}/api/v1/health`)).status).toBe(200);
  }, 60_000);
});
