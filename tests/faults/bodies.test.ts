import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { LoopReport } from '../scale/children/loop-watch.ts';
import { type Child, startChild } from '../support/child.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { type RawSocket, rawSocket } from '../support/raw-socket.ts';

/** MiB of the heap of the service under test. */
const heap = 256;

describeEachDatabase('many large bodies at once', (databases) => {
  let directory = '';
  let child: Child;
  let port = 0;
  let token = '';

  const next = async <T>(): Promise<T> => JSON.parse((await child.lines.next()).value) as T;
  const ask = <T>(line: string): Promise<T> => {
    child.process.stdin?.write(`${line}\n`);
    return next<T>();
  };

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'gatewright-bodies-'));
    const url = await databases.create();
    const env = {
      PORT: '0',
      DATA_DIR: directory,
      DATABASE_URL: url,
      JWT_SECRET: createHash('sha256').update(url).digest('hex'),
      ADMIN_USERNAME: 'root',
      ADMIN_PASSWORD: 'tulip-anvil-47 kettle',
    };
    const options = JSON.stringify({ env, stall: 30_000 });
    child = startChild('scale/children/serve.ts', [options], {
      flags: [`--max-old-space-size=${heap}`],
    });
    ({ port, token } = await next<{ readonly port: number; readonly token: string }>());
  });
  afterAll(async () => {
    child.process.stdin?.end();
    await child.exited;
    await rm(directory, { recursive: true, force: true });
  });

  const send = (path: string, body: string, length: number, ...headers: readonly string[]): RawSocket => {
    const socket = rawSocket(port);
    const head = [
      `POST ${path} HTTP/1.1`,
      ...['Host: x', 'Content-Type: application/json', `Content-Length: ${length}`],
      ...headers,
      '\r\n',
    ];
    socket.write(head.join('\r\n'));
    socket.write(body);
    return socket;
  };

  const statusOf = async (socket: RawSocket): Promise<number> => {
    const text = await socket.received('HTTP/1.1 ');
    socket.destroy();
    return Number(text.split(' ')[1] ?? 0);
  };

  const create = (body: string): Promise<number> =>
    statusOf(send('/api/v1/notes', body, body.length, `Authorization: Bearer ${token}`));

  const large = 1_040_000;

  it('of strangers, half sent, cost next to nothing', async () => {
    await statusOf(send('/api/v1/notes', 'x', large));
    await ask('reset');
    const sockets = Array.from({ length: 300 }, () => send('/api/v1/notes', 'x'.repeat(large / 2), large));
    for (const status of await Promise.all(sockets.map(statusOf))) expect(status).toBe(401);
    const { residentBefore, residentMost } = await ask<LoopReport>('report');
    expect(residentMost - residentBefore).toBeLessThan(100e6);
  }, 60_000);

  it('of strangers where anybody may send one leave room for others', async () => {
    await ask('reset');
    const sockets = Array.from({ length: 300 }, () =>
      send('/api/v1/auth/login', 'x'.repeat(large / 2), large),
    );
    // Those that are left hold what they may; all others are refused.
    await expect.poll(() => create('{"note":{"title":"x"}}')).toBe(201);
    const { residentBefore, residentMost } = await ask<LoopReport>('report');
    expect(residentMost - residentBefore).toBeLessThan(150e6);
    for (const socket of sockets) socket.destroy();
  }, 60_000);

  it.each([
    ['long texts', JSON.stringify({ note: { title: 'x', body: 'y'.repeat(large) } })],
    ['hundreds of thousands of values', `{"note":{"title":"x","w":[${'{},'.repeat(large / 3)}{}]}}`],
  ])(
    'of somebody signed in, %s, are stored or refused',
    async (_name, body) => {
      await ask('reset');
      const statuses = await Promise.all(Array.from({ length: 200 }, () => create(body)));
      const { residentBefore, residentMost } = await ask<LoopReport>('report');
      expect(residentMost - residentBefore).toBeLessThan(400e6);
      const stored = statuses.filter((status) => status === 201);
      expect(stored.length).toBeGreaterThan(0);
      expect(statuses.filter((status) => status === 503).length + stored.length).toBe(200);
      expect(await create('{"note":{"title":"x"}}')).toBe(201);
    },
    120_000,
  );
});
