import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { inheritedEnvironment } from '../support/child.ts';
import { describeDatabase, describeEachDatabase } from '../support/databases.ts';

const script = fileURLToPath(new URL('./children/serve-clock.ts', import.meta.url));
const password = 'tulip-anvil-47 kettle';
/** Seconds of the window in which failed sign-ins count. */
const windowSeconds = 900;

interface Instance {
  readonly at: string;
  readonly lines: () => readonly string[];
  readonly kill: () => Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly json: { readonly data: Readonly<Record<string, unknown>> };
}

const ask = async (
  method: string,
  url: string,
  headers: Readonly<Record<string, string>>,
  body?: object,
): Promise<Answer> => {
  const response = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, json: JSON.parse(await response.text()) };
};

// Continuous integration always has it (.ci/run).
if (spawnSync('faketime', ['--version']).status === 0 || process.env['CI'] !== undefined) {
  const setUp = async (url: string) => {
    const directory = await mkdtemp(join(tmpdir(), 'gatewright-clock-'));
    const children: ChildProcess[] = [];
    const kill = async (child: ChildProcess): Promise<void> => {
      if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
      const ended = new Promise((resolve) => child.once('close', resolve));
      // faketime waits for the process that it starts.
      process.kill(-child.pid, 'SIGKILL');
      await ended;
    };
    onTestFinished(async () => {
      await Promise.all(children.map(kill));
      await rm(directory, { recursive: true, force: true });
    });
    /** @param ahead of the clock, as faketime takes it; undefined: as it is */
    const start = async (ahead?: string, env: Readonly<Record<string, string>> = {}): Promise<Instance> => {
      const faked = ['faketime', '--exclude-monotonic', '-m', '-f', ahead ?? ''];
      const [program = '', ...args] = [...(ahead === undefined ? [] : faked), process.execPath, script];
      const child = spawn(program, args, {
        env: {
          ...{ ...inheritedEnvironment(), PORT: '0', DATA_DIR: directory, DATABASE_URL: url },
          ...{ JWT_SECRET: 'x'.repeat(32), ADMIN_PASSWORD: password, LOCALE: 'en' },
          CREDENTIALS_FILE: join(directory, 'credentials.age'),
          CREDENTIALS_KEY_FILE: join(directory, 'credentials.key'),
          ...env,
        },
        stdio: ['ignore', 'pipe', 'inherit'],
        detached: true,
      });
      children.push(child);
      let output = '';
      child.stdout.on('data', (data: Buffer) => {
        output += data.toString();
      });
      const lines = () => output.split('\n');
      const at = () => lines().find((line) => line.startsWith('at '));
      await expect.poll(at, { timeout: 30_000 }).toBeDefined();
      return { at: at()?.slice(3) ?? '', lines, kill: () => kill(child) };
    };
    return start;
  };

  const login = (instance: Instance, given = password) =>
    ask('POST', `${instance.at}/api/v1/auth/login`, {}, { account: 'admin', password: given });
  const tokenOf = async (instance: Instance) => {
    const { json } = await login(instance);
    return { authorization: `Bearer ${json.data['token']}` };
  };
  const lockOut = async (instance: Instance): Promise<number> => {
    for (let count = 0; count < 12; count += 1) {
      const { status, headers } = await login(instance, 'wrong');
      if (status === 429) return Number(headers.get('retry-after'));
    }
    throw new Error('twelve wrong passwords did not lock the account');
  };

  describeEachDatabase('a service whose clock was two days ahead', (databases) => {
    it('goes on once the clock is right', { timeout: 60_000 }, async () => {
      const url = await databases.create();
      const start = await setUp(url);
      const before = await start();
      const key = { 'idempotency-key': randomUUID() };
      const create = async (instance: Instance) =>
        ask(
          'POST',
          `${instance.at}/api/v1/items`,
          { ...(await tokenOf(instance)), ...key },
          { item: { title: 'once' } },
        );
      const first = await create(before);
      await before.kill();

      const ahead = await start('+2d', { ENDLESS: '1' });
      await expect.poll(ahead.lines).toContain('endless');
      await expect.poll(ahead.lines).toContain('tick');
      const session = await ask(
        'POST',
        `${ahead.at}/admin/session`,
        { origin: ahead.at },
        { account: 'admin', password },
      );
      expect(session.status).toBe(200);
      const cookie = session.headers.get('set-cookie')?.split(';')[0] ?? '';
      const again = await create(ahead);
      expect([first.status, again.status, again.json.data['id']]).toEqual([201, 201, first.json.data['id']]);
      const token = await tokenOf(ahead);
      expect(await lockOut(ahead)).toBeLessThanOrEqual(windowSeconds);
      await ahead.kill();

      const right = await start();
      await expect.poll(right.lines, { timeout: 15_000 }).toContain('tick');
      if (databases.dialect === 'sqlite') {
        // The lease does not end after two days: it was void.
        await expect.poll(right.lines, { timeout: 15_000 }).toContain('endless');
        const mended = right.lines().filter((line) => line.includes('gatewright_jobs.available_at'));
        expect(mended).toHaveLength(1);
      }
      const signedIn = await ask('GET', `${right.at}/admin/session`, { cookie });
      // PostgreSQL's clock was right all the time, and counts.
      expect(signedIn.status).toBe(databases.dialect === 'sqlite' ? 401 : 200);
      const locked = await login(right, 'wrong');
      expect(locked.status).toBe(429);
      expect(Number(locked.headers.get('retry-after'))).toBeLessThanOrEqual(windowSeconds);
      expect((await ask('GET', `${right.at}/api/v1/auth/me`, token)).status).toBe(200);
    });
  });

  describeDatabase('postgres', 'two instances with different clocks', (databases) => {
    it('two instances with different clocks have one time, that of the database', {
      timeout: 60_000,
    }, async () => {
      const start = await setUp(await databases.create());
      const right = await start();
      const fast = await start('+2d', { JOBS: 'off' });
      expect(fast.lines().filter((line) => line.includes('that one counts'))).toHaveLength(1);
      const root = await tokenOf(fast);
      const [, payload = ''] = root.authorization.split('.');
      const { exp } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { exp: number };
      expect(Math.abs(exp - Date.now() / 1_000 - 86_400)).toBeLessThan(30);
      const key = { 'idempotency-key': randomUUID() };
      const create = ({ at }: Instance) =>
        ask('POST', `${at}/api/v1/items`, { ...root, ...key }, { item: { title: 'once' } });
      const [first, second] = [await create(right), await create(fast)];
      expect([first.status, second.status]).toEqual([201, 201]);
      expect(second.json.data['id']).toBe(first.json.data['id']);
      await lockOut(fast);
      const elsewhere = await login(right, 'wrong');
      expect(elsewhere.status).toBe(429);
      expect(Number(elsewhere.headers.get('retry-after'))).toBeLessThanOrEqual(windowSeconds);
    });
  });
}
