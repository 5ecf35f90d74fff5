import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ChildService, startChildService } from '../scale/child-service.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { type RawSocket, rawSocket } from '../support/raw-socket.ts';

/** MiB of the heap of the service under test. */
const heap = 256;

describeEachDatabase('many large bodies at once', (databases) => {
  let service: ChildService;

  beforeAll(async () => {
    service = await startChildService(await databases.create(), {
      flags: [`--max-old-space-size=${heap}`],
    });
  });
  afterAll(() => service.end());

  const send = (path: string, body: string, length: number, ...headers: readonly string[]): RawSocket => {
    const socket = rawSocket(service.port);
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
    statusOf(send('/api/v1/notes', body, body.length, `Authorization: Bearer ${service.token}`));

  const large = 1_040_000;

  it('large bodies of strangers, half sent, cost next to nothing', async () => {
    await statusOf(send('/api/v1/notes', 'x', large));
    await service.reset();
    const sockets = Array.from({ length: 300 }, () => send('/api/v1/notes', 'x'.repeat(large / 2), large));
    for (const status of await Promise.all(sockets.map(statusOf))) expect(status).toBe(401);
    const { residentBefore, residentMost } = await service.report();
    expect(residentMost - residentBefore).toBeLessThan(100e6);
  }, 60_000);

  it('large bodies of strangers where anybody may send one leave room for others', async () => {
    await service.reset();
    const sockets = Array.from({ length: 300 }, () =>
      send('/api/v1/auth/login', 'x'.repeat(large / 2), large),
    );
    // The remaining ones hold what they may; all others are refused.
    await expect.poll(() => create('{"note":{"title":"x"}}')).toBe(201);
    const { residentBefore, residentMost } = await service.report();
    expect(residentMost - residentBefore).toBeLessThan(150e6);
    for (const socket of sockets) socket.destroy();
  }, 60_000);

  it.each([
    ['long texts', JSON.stringify({ note: { title: 'x', body: 'y'.repeat(large) } })],
    ['hundreds of thousands of values', `{"note":{"title":"x","w":[${'{},'.repeat(large / 3)}{}]}}`],
  ])(
    'large bodies of somebody signed in, %s, are stored or refused',
    async (_name, body) => {
      await service.reset();
      const statuses = await Promise.all(Array.from({ length: 200 }, () => create(body)));
      const { residentBefore, residentMost } = await service.report();
      expect(residentMost - residentBefore).toBeLessThan(400e6);
      const stored = statuses.filter((status) => status === 201);
      expect(stored.length).toBeGreaterThan(0);
      expect(statuses.filter((status) => status === 503).length + stored.length).toBe(200);
      expect(await create('{"note":{"title":"x"}}')).toBe(201);
    },
    120_000,
  );
});
