import { spawnSync } from 'node:child_process';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { describeEachDatabase } from '../support/databases.ts';
import { rawSocket } from '../support/raw-socket.ts';
import { ask, command, pathWithout, type RunningService, runService } from '../support/run-service.ts';

const folder = fileURLToPath(new URL('./stopping-app', import.meta.url));

const start = (env: Readonly<Record<string, string>> = {}): Promise<RunningService> =>
  runService([...command, 'start'], { folder, env });

const signal = (service: RunningService, name: NodeJS.Signals): void => {
  process.kill(service.pid, name);
};

const isGone = async (service: RunningService): Promise<void> => {
  const alive = (): string => {
    try {
      process.kill(service.pid, 0);
      return 'alive';
    } catch {
      return 'gone';
    }
  };
  await expect.poll(alive, { timeout: 20_000 }).toBe('gone');
};

/** Waits until so many requests have reached their handlers. */
const begun = (service: RunningService, count: number) =>
  expect
    .poll(() => service.lines().filter(({ msg }) => msg === 'begun').length, { timeout: 20_000 })
    .toBe(count);

describe('SIGTERM', { timeout: 60_000 }, () => {
  it('ends readiness, closes each connection with its answer, and answers what is in flight', async () => {
    const service = await start({ DRAIN: '2' });
    expect(await ask(service.port, '/api/v1/health?ready')).toMatchObject({
      status: 200,
      connection: 'keep-alive',
    });
    const slow = ask(service.port, '/api/v1/slow/3000');
    await begun(service, 1);
    signal(service, 'SIGTERM');
    const ended = service.ended();
    await expect.poll(async () => (await ask(service.port, '/api/v1/health?ready')).status).toBe(503);
    expect(await ask(service.port, '/api/v1/health')).toMatchObject({ status: 200, connection: 'close' });
    expect(await ask(service.port, '/api/v1/nothing')).toMatchObject({ status: 404, connection: 'close' });
    // A new connection waits no longer than the drain; then it is refused.
    await expect.poll(async () => (await ask(service.port, '/api/v1/health')).status).toBe('ECONNREFUSED');
    expect(await slow).toMatchObject({ status: 200, connection: 'close' });
    const { status, milliseconds } = await ended;
    expect(status).toBe(0);
    expect(milliseconds).toBeGreaterThan(2_000);
    expect(milliseconds).toBeLessThan(9_000);
  });

  it('answers everything that a client has sent ahead, and closes with the last', async () => {
    const service = await start({ DRAIN: '1' });
    const socket = rawSocket(service.port);
    const get = (path: string): string => `GET /api/v1${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
    socket.write(get('/slow/700') + get('/health') + get('/slow/300'));
    await begun(service, 1);
    signal(service, 'SIGTERM');
    const text = await socket.closed();
    expect(text.split('HTTP/1.1 200').length - 1).toBe(3);
    expect(text.toLowerCase().split('connection: close').length - 1).toBe(1);
    expect((await service.ended()).status).toBe(0);
  });

  it('loses no request of clients that keep their connections, while another instance takes over', async () => {
    const [first, second] = [await start(), await start()];
    const agent = new Agent({ keepAlive: true, maxSockets: 20 });
    let target = first;
    let over = false;
    const results = new Map<string, number>();
    const note = (name: string): void => void results.set(name, (results.get(name) ?? 0) + 1);
    const call = (): Promise<void> =>
      new Promise((resolve) => {
        const sent = request(
          { port: target.port, host: '127.0.0.1', path: '/api/v1/slow/3', agent },
          (response) => {
            response.resume();
            response.on('end', () => resolve(note(String(response.statusCode))));
          },
        );
        sent.on('error', (error: NodeJS.ErrnoException) => resolve(note(`${error.code}`)));
        sent.end();
      });
    const client = async (pause: number): Promise<void> => {
      while (!over) {
        await call();
        await delay(pause);
      }
    };
    /** A proxy: it asks for readiness, and sends new requests to a ready instance. */
    const proxy = async (): Promise<void> => {
      while (!over) {
        if ((await ask(first.port, '/api/v1/health?ready')).status !== 200) target = second;
        await delay(50);
      }
    };
    const clients = [proxy(), ...Array.from({ length: 16 }, (_, index) => client(index * 10))];
    await expect.poll(() => results.get('200') ?? 0, { timeout: 20_000 }).toBeGreaterThan(100);
    signal(first, 'SIGTERM');
    expect((await first.ended()).status).toBe(0);
    // They have all turned to the other one.
    const before = results.get('200') ?? 0;
    await expect.poll(() => results.get('200') ?? 0, { timeout: 20_000 }).toBeGreaterThan(before + 32);
    over = true;
    await Promise.all(clients);
    agent.destroy();
    expect([...results.keys()]).toEqual(['200']);
    expect(results.get('200')).toBeGreaterThan(100);
  });

  it('a second one ends it at once, one that comes with the first does not', async () => {
    const service = await start({ DRAIN: '60' });
    signal(service, 'SIGTERM');
    signal(service, 'SIGTERM');
    await expect.poll(() => service.lines().map(({ msg }) => msg)).toContain('stopping');
    expect((await ask(service.port, '/api/v1/health')).status).toBe(200);
    await delay(700);
    signal(service, 'SIGTERM');
    const { status, milliseconds } = await service.ended();
    expect(status).toBe('SIGTERM');
    expect(milliseconds).toBeLessThan(3_000);
  });
});

describe('other signals', { timeout: 60_000 }, () => {
  it('SIGINT ends it without waiting, SIGHUP does not end it', async () => {
    const service = await start({ DRAIN: '60' });
    signal(service, 'SIGHUP');
    expect((await ask(service.port, '/api/v1/health')).status).toBe(200);
    signal(service, 'SIGINT');
    const { status, milliseconds } = await service.ended();
    expect([status, milliseconds < 8_000]).toEqual([0, true]);
  });
});

describeEachDatabase('what does not end', (databases) => {
  it('work that does not end is ended, refused or cut, and logged, and the process ends in time', {
    timeout: 90_000,
  }, async () => {
    const url = await databases.create();
    const service = await start({ DATABASE_URL: url, DRAIN: '0', DATABASE_POOL: '4' });
    const never = ask(service.port, '/api/v1/never');
    const scans = Array.from({ length: 6 }, () => ask(service.port, '/api/v1/scan'));
    await begun(service, 7);
    signal(service, 'SIGTERM');
    const { status, milliseconds } = await service.ended();
    expect(status).toBe(0);
    expect(milliseconds).toBeLessThan(10_000);
    expect(await never).toMatchObject({ status: 'ECONNRESET' });
    for (const { status: answered } of await Promise.all(scans)) expect(answered).toBe(503);
    expect(service.lines()).toContainEqual(
      expect.objectContaining({
        msg: 'connections were cut at the stop',
        oldest: [expect.objectContaining({ route: '/api/v1/never' })],
      }),
    );
    if (databases.dialect === 'sqlite') return;
    const operator = await databases.open(url);
    const running = () =>
      operator.all({
        sql: "select pid from pg_stat_activity where query like '%endless scan%' and state = 'active' and pid <> pg_backend_pid() and datname = current_database()",
        parameters: [],
      });
    expect(await running()).toEqual([]);
  });
});

describe('every way to start it', { timeout: 120_000 }, () => {
  it('npm start receives the signal, and npm waits for the end', async () => {
    const service = await runService(['npm', 'start']);
    service.process.kill('SIGTERM');
    expect((await service.ended()).status).toBe(0);
    await isGone(service);
    expect(service.lines().map(({ msg }) => msg)).toContain('stopping');
  });

  it('a shell of npm that ends leaves no orphan', async () => {
    // `npx gatewright start` and the script of an application run it so: a shell between npm and the command.
    const service = await runService(['sh', '-c', `"${command.join('" "')}" start; true`], {
      folder,
      env: { npm_command: 'exec' },
    });
    expect(service.pid).not.toBe(service.process.pid);
    service.process.kill('SIGTERM');
    await isGone(service);
    expect(service.lines().map(({ msg }) => msg)).toContain('stopping');
  });

  it('the Node of the PATH passes signals and the status on, and leaves no orphan of npm', async () => {
    const PATH = pathWithout();
    const [, file = ''] = command;
    const old = await runService(['env', 'node', file, 'start'], { folder, env: { PATH } });
    old.process.kill('SIGTERM');
    expect((await old.ended()).status).toBe(0);
    await isGone(old);
    const shell = await runService(['sh', '-c', `node "${file}" start; true`], {
      folder,
      env: { PATH, npm_command: 'exec' },
    });
    shell.process.kill('SIGTERM');
    await isGone(shell);
    expect(shell.lines().map(({ msg }) => msg)).toContain('stopping');
  });

  it('code that keeps every turn of the event loop busy does not keep the process', async () => {
    const service = await start({ DRAIN: '0' });
    expect((await ask(service.port, '/api/v1/busy')).status).toBe(200);
    signal(service, 'SIGTERM');
    const { status, milliseconds } = await service.ended();
    expect([status, milliseconds < 5_000]).toEqual([0, true]);
  });

  it('a thread that waits for ever keeps nothing', async () => {
    const pipe = join(folder, '..', `.pipe-${process.pid}`);
    spawnSync('mkfifo', [pipe]);
    try {
      const service = await start({ APP_PIPE: pipe, DRAIN: '0' });
      const asked = ask(service.port, '/api/v1/pipe');
      await begun(service, 1);
      signal(service, 'SIGTERM');
      const { status, milliseconds } = await service.ended();
      expect([status, milliseconds < 10_000]).toEqual([0, true]);
      expect((await asked).status).toBe('ECONNRESET');
    } finally {
      spawnSync('rm', [pipe]);
    }
  });
});

describe('code of the application', { timeout: 60_000 }, () => {
  it('a rejected promise of the application that is unhandled is logged, and the service goes on', async () => {
    const service = await start();
    expect((await ask(service.port, '/api/v1/rejects')).status).toBe(200);
    const logged = () => service.lines().filter(({ level }) => level === 50);
    await expect.poll(() => logged().length).toBe(2);
    expect(JSON.stringify(logged())).toMatch(
      /unhandled by the application.*the cause of it.*not even an error/,
    );
    expect((await ask(service.port, '/api/v1/health')).status).toBe(200);
  });

  it('an uncaught error of the application ends the process with status 1, logged with its cause, after what is in flight', async () => {
    const service = await start();
    const slow = ask(service.port, '/api/v1/slow/500');
    expect((await ask(service.port, '/api/v1/throws')).status).toBe(200);
    const { status, milliseconds } = await service.ended();
    expect([status, milliseconds < 5_000]).toEqual([1, true]);
    expect((await slow).status).toBe(200);
    const fatal = service.lines().filter(({ level }) => level === 60);
    expect(JSON.stringify(fatal)).toMatch(/uncaught by the application.*the cause of it/);
    for (const line of service.output().split('\n')) expect(line).not.toMatch(/^\s*(?:at |throw |Error:)/);
  });

  it('code of the application that keeps the main thread is named in the log while it does', async () => {
    const service = await start();
    const looping = ask(service.port, '/api/v1/loop/14');
    const said = (msg: string) => service.lines().find((line) => line.msg === msg);
    await expect
      .poll(() => said('event loop is blocked'), { timeout: 30_000 })
      .toMatchObject({
        level: 50,
        running: [expect.stringMatching(/^GET \/api\/v1\/loop\/:seconds, request \S+$/)],
      });
    expect(said('event loop blocked')).toBeUndefined();
    expect((await looping).status).toBe(200);
    await expect.poll(() => said('event loop blocked')).toMatchObject({ level: 50 });
  });
});
