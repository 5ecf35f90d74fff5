import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { describeEachDatabase } from '../support/databases.ts';
import { file, multipart, multipartType, text } from '../support/multipart.ts';
import { ask, command, type RunningService, runService } from '../support/run-service.ts';

const folder = fileURLToPath(new URL('./workers-app', import.meta.url));

type Env = Readonly<Record<string, string>>;

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/** Processes that have listened, whether or not they still do. */
const workersOf = (service: RunningService): number[] => [
  ...new Set(
    service
      .lines()
      .filter(({ msg }) => msg === 'listening')
      .map(({ pid }) => Number(pid)),
  ),
];

const living = (service: RunningService): number[] => workersOf(service).filter(isAlive);

const primaryOf = ({ process: { pid } }: RunningService): number => Number(pid);

const said = (service: RunningService, msg: string) => service.lines().filter((line) => line.msg === msg);

const count = (output: string, what: string): number => output.split(what).length - 1;

/** Clients that ask on and on, on connections that they keep, and repeat nothing. */
const load = (port: number, clients: number) => {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const results = new Map<string, number>();
  const pids = new Set<number>();
  let over = false;
  const call = (): Promise<string> =>
    new Promise((resolve) => {
      const sent = request({ port, host: '127.0.0.1', path: '/api/v1/worker/5', agent }, (response) => {
        let body = '';
        response.on('data', (data) => {
          body += data;
        });
        response.on('error', ({ code }: NodeJS.ErrnoException) => resolve(`${code}`));
        response.on('end', () => {
          if (response.statusCode === 200) pids.add(JSON.parse(body).data.pid);
          resolve(String(response.statusCode));
        });
      });
      sent.on('error', ({ code }: NodeJS.ErrnoException) => resolve(`${code}`));
      sent.end();
    });
  const client = async (): Promise<void> => {
    while (!over) {
      const result = await call();
      results.set(result, (results.get(result) ?? 0) + 1);
    }
  };
  const running = Array.from({ length: clients }, client);
  return {
    results,
    pids,
    end: async (): Promise<void> => {
      over = true;
      await Promise.all(running);
      agent.destroy();
    },
  };
};

/** A start that is refused: what it writes to standard error, and its status. */
const refused = (env: Env): { readonly text: string; readonly status: number | null } => {
  const [program = '', ...args] = command;
  const { PATH } = process.env;
  const { stderr, status } = spawnSync(program, [...args, 'start'], {
    ...{ cwd: folder, encoding: 'utf8', timeout: 30_000 },
    env: { PATH, PORT: '0', ADMIN_PASSWORD: 'tulip-anvil-47 kettle', ...env },
  });
  return { text: stderr, status };
};

describe('WORKERS on a database in memory', () => {
  it('WORKERS on a database in memory is a mistake of the configuration, reported with the others, with its remedy', () => {
    const { text, status } = refused({
      ...{ WORKERS: '4', LOCALE: 'fr_FR' },
      DATABASE_URL: 'sqlite::memory:',
    });
    expect(text).toMatch(
      /WORKERS: expected 1, as each process would have a database of its own: set DATABASE_URL=sqlite:PATH.*\n.*LOCALE: expected.*\n.*2 mistake/,
    );
    expect(status).toBe(1);
  });
});

describeEachDatabase('WORKERS', (databases) => {
  const start = async (env: Env = {}): Promise<RunningService> =>
    runService([...command, 'start'], {
      folder,
      env: { WORKERS: '2', DATABASE_URL: await databases.create(), DATABASE_POOL: '4', ...env },
    });
  const startAll = async (env: Env = {}): Promise<RunningService> => {
    const service = await start(env);
    const all = Number(env['WORKERS'] ?? 2);
    await expect.poll(() => living(service).length, { timeout: 30_000 }).toBe(all);
    return service;
  };
  const expectGone = (pids: readonly number[], timeout: number) =>
    expect.poll(() => pids.filter(isAlive), { timeout }).toEqual([]);

  it('workers prepare once, greet once, share the connections, and stop as one, without a failed request', {
    timeout: 60_000,
  }, async () => {
    const service = await startAll({
      ...{ WORKERS: '3', ADMIN_PASSWORD: '', DATABASE_POOL: '60', NODE_ENV: 'development' },
    });
    const all = workersOf(service);
    expect(all).not.toContain(primaryOf(service));
    expect(said(service, 'migrated')).toHaveLength(1);
    expect(count(service.output(), 'Gatewright answers on')).toBe(1);
    expect(count(service.output(), 'with the password')).toBe(1);
    expect(new Set(said(service, 'listening').map(({ port }) => port)).size).toBe(1);
    const warnings = service.lines().filter(({ connections }) => connections !== undefined);
    const expected = { level: 40, workers: 3, connections: 207, allowed: 197 };
    expect(warnings).toMatchObject(databases.dialect === 'postgres' ? [expected] : []);
    const running = load(service.port, 12);
    await expect.poll(() => running.results.get('200') ?? 0, { timeout: 20_000 }).toBeGreaterThan(100);
    process.kill(primaryOf(service), 'SIGHUP');
    process.kill(primaryOf(service), 'SIGUSR2');
    for (const pid of all) await expect.poll(() => count(service.output(), `${pid} is signalled`)).toBe(1);
    expect([...running.pids].sort()).toEqual(all.toSorted());
    process.kill(primaryOf(service), 'SIGTERM');
    // The test does as a proxy does: it asks for readiness, and turns to another instance.
    await expect.poll(async () => (await ask(service.port, '/api/v1/health?ready')).status).toBe(503);
    await running.end();
    const { status, milliseconds } = await service.ended();
    expect([status, milliseconds < 9_000]).toEqual([0, true]);
    expect(
      said(service, 'stopping')
        .map(({ pid }) => pid)
        .toSorted(),
    ).toEqual(all.toSorted());
    expect([...running.results.keys()]).toEqual(['200']);
    expect(running.results.get('200')).toBeGreaterThan(100);
    expect(all.filter(isAlive)).toEqual([]);
  });

  it('workers replace one that is killed, which takes only what it was answering with it', {
    timeout: 60_000,
  }, async () => {
    const service = await startAll();
    const [one = 0, other = 0] = living(service);
    const upload = (milliseconds: number) =>
      fetch(`http://127.0.0.1:${service.port}/api/v1/upload`, {
        method: 'POST',
        headers: { 'content-type': multipartType, connection: 'close' },
        body: multipart(text('milliseconds', String(milliseconds)), file('file', 'x'.repeat(1_000))),
      }).then(
        ({ status }) => status,
        () => 'cut',
      );
    const uploads = Array.from({ length: 6 }, () => upload(9_000));
    await expect.poll(() => said(service, 'uploaded').length).toBe(6);
    const folders = (pid: number) =>
      said(service, 'uploaded').flatMap((line) => (line['pid'] === pid ? [String(line['folder'])] : []));
    const kept = folders(other);
    expect(kept.length).toBeGreaterThan(0);
    expect(kept.length).toBeLessThan(6);
    const running = load(service.port, 8);
    await expect.poll(() => running.pids.size, { timeout: 20_000 }).toBe(2);
    process.kill(one, 'SIGKILL');
    await expect.poll(() => workersOf(service).length, { timeout: 30_000 }).toBe(3);
    expect(said(service, 'a worker exited and is replaced')).toMatchObject([
      { level: 50, worker: one, code: null, signal: 'SIGKILL' },
    ]);
    const [, , third = 0] = workersOf(service);
    const answering = async (): Promise<unknown> =>
      JSON.parse((await ask(service.port, '/api/v1/worker/0')).text).data.pid;
    await expect.poll(answering).toBe(third);
    // Files that the dead process had open are cleaned up, files of the other one are not.
    await expect.poll(() => folders(one).filter(existsSync)).toEqual([]);
    expect(kept.filter(existsSync)).toEqual(kept);
    // Asked to stop by itself, one is replaced as well, and loses nothing.
    const before = running.results.get('ECONNRESET') ?? 0;
    expect(before).toBeLessThanOrEqual(8);
    process.kill(third, 'SIGTERM');
    await expect.poll(() => said(service, 'a worker has stopped and is replaced').length).toBe(1);
    await expect.poll(() => workersOf(service).length, { timeout: 30_000 }).toBe(4);
    await running.end();
    expect(Object.fromEntries(running.results)).toMatchObject({ 200: expect.any(Number) });
    expect([...running.results.keys()].filter((result) => !['200', 'ECONNRESET'].includes(result))).toEqual(
      [],
    );
    expect(running.results.get('ECONNRESET') ?? 0).toBe(before);
    expect((await Promise.all(uploads)).filter((result) => result === 200)).toHaveLength(kept.length);
  });

  it('workers lose no connection that one was handed and had not taken when it was killed', {
    timeout: 60_000,
  }, async () => {
    const service = await startAll();
    const [one = 0, other = 0] = living(service);
    // Too busy to take it, as it seems from outside.
    process.kill(one, 'SIGSTOP');
    const asked = Array.from({ length: 6 }, () => ask(service.port, '/api/v1/worker/0'));
    await Promise.any(asked);
    await delay(300);
    process.kill(one, 'SIGKILL');
    for (const answer of await Promise.all(asked))
      expect(answer).toMatchObject({ status: 200, text: expect.stringContaining(`"pid":${other}`) });
    await expect.poll(() => workersOf(service).length, { timeout: 30_000 }).toBe(3);

    // Without a worker to take them they are at least closed: no client waits for ever.
    const left = living(service);
    for (const pid of left) process.kill(pid, 'SIGSTOP');

    const lost = Array.from({ length: 6 }, () => ask(service.port, '/api/v1/worker/0'));
    await delay(300);
    for (const pid of left) process.kill(pid, 'SIGKILL');
    for (const { status } of await Promise.all(lost)) expect(status).toBe('ECONNRESET');
    await expect.poll(() => workersOf(service).length, { timeout: 30_000 }).toBe(5);
    await expect
      .poll(async () => (await ask(service.port, '/api/v1/worker/0')).status, { timeout: 10_000 })
      .toBe(200);
  });

  it('workers never mix their lines, however long these are, and end with a signal to the whole group', {
    timeout: 60_000,
  }, async () => {
    const service = await startAll({ DRAIN: '60' });
    const all = workersOf(service);
    // Less than what waits for a slow reader before lines are dropped.
    await Promise.all(Array.from({ length: 10 }, () => ask(service.port, '/api/v1/shout')));
    await expect.poll(() => said(service, 'shout').length).toBe(30);
    expect(new Set(said(service, 'shout').map(({ pid }) => pid)).size).toBe(2);
    for (const line of said(service, 'shout')) expect(line['text']).toMatch(/^(\d)\1{99999}$/);
    const slow = ask(service.port, '/api/v1/worker/1500');
    await expect.poll(() => said(service, 'begun').length, { timeout: 20_000 }).toBe(1);
    process.kill(-primaryOf(service), 'SIGINT');
    const { status, milliseconds } = await service.ended();
    expect([status, milliseconds < 8_000]).toEqual([0, true]);
    expect((await slow).status).toBe(200);
    expect(all.filter(isAlive)).toEqual([]);
    expect(workersOf(service)).toHaveLength(2);
  });

  it('workers end at once with a second signal', { timeout: 60_000 }, async () => {
    const service = await startAll({ DRAIN: '60' });
    const all = workersOf(service);
    process.kill(primaryOf(service), 'SIGTERM');
    await expect.poll(() => said(service, 'stopping').length).toBe(2);
    await delay(600);
    process.kill(primaryOf(service), 'SIGTERM');
    const { status, milliseconds } = await service.ended();
    expect([status, milliseconds < 3_000]).toEqual(['SIGTERM', true]);
    await expectGone(all, 3_000);
  });

  it('workers answer what they have and end when the process above them is killed', {
    timeout: 60_000,
  }, async () => {
    const service = await startAll();
    const all = workersOf(service);
    const slow = ask(service.port, '/api/v1/worker/700');
    const endless = ask(service.port, '/api/v1/worker/30000').catch(() => 'cut off');
    await expect.poll(() => said(service, 'begun').length, { timeout: 20_000 }).toBe(2);
    process.kill(primaryOf(service), 'SIGKILL');
    await expectGone(all, 5_000);
    expect((await service.ended()).status).toBe('SIGKILL');
    expect(await slow).toMatchObject({ status: 200, connection: 'close' });
    expect(await endless).not.toMatchObject({ status: 200 });
  });

  it('workers end when the process above them is killed, even while code blocks them', {
    timeout: 60_000,
  }, async () => {
    const service = await startAll();
    const all = workersOf(service);
    const blocked = ask(service.port, '/api/v1/block/30000').catch(() => 'cut off');
    await expect.poll(() => said(service, 'blocking').length, { timeout: 20_000 }).toBe(1);
    process.kill(primaryOf(service), 'SIGKILL');
    await expectGone(all, 8_000);
    expect(await blocked).not.toMatchObject({ status: 200 });
  });

  it('workers that die again and again at their start end the service with status 1', {
    timeout: 60_000,
  }, async () => {
    const service = await start({ DIES_AFTER: '300' });
    const { status, milliseconds } = await service.ended();
    expect([status, milliseconds < 30_000]).toEqual([1, true]);
    const replaced = said(service, 'a worker exited and is replaced');
    expect(replaced).toMatchObject([200, 400, 800, 1_600].map((pause) => ({ level: 50, code: 7, pause })));
    expect(said(service, 'workers keep exiting right after their start: the service exits')).toMatchObject([
      { level: 60, code: 7 },
    ]);
    await expectGone(workersOf(service), 3_000);
    expect(count(service.output(), 'Gatewright answers on')).toBe(1);
  });

  it('workers do not start where the first one cannot, and say why once', { timeout: 60_000 }, async () => {
    const DATA_DIR = await mkdtemp(join(tmpdir(), 'gatewright-workers-'));
    onTestFinished(() => rm(DATA_DIR, { recursive: true, force: true }));
    const DATABASE_URL = await databases.create();
    const { text, status } = refused({ WORKERS: '2', FAILS: '1', DATA_DIR, DATABASE_URL });
    expect([text, status]).toEqual(['gatewright: onStart of the application failed: no licence\n', 1]);
  });
});
