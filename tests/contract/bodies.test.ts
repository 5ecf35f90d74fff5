import { Agent, request as nodeRequest } from 'node:http';
import { beforeAll, describe, expect, it } from 'vitest';
import { defineEndpoint } from '../../src/resources/application/define-endpoint.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { exchange, parseRaw, type RawSocket, rawSocket } from '../support/raw-socket.ts';
import { type TestUser, useService } from '../support/service.ts';

const limit = 20_000;
const memory = 4 * limit;

let handled = 0;
const waiting: (() => void)[] = [];

const application = {
  endpoints: [
    defineEndpoint({
      method: 'POST',
      path: '/kept',
      handle: () =>
        new Promise<undefined>((resolve) => {
          waiting.push(() => resolve(undefined));
        }),
    }),
    defineEndpoint({
      method: 'POST',
      path: '/counted',
      roles: ['admin'],
      handle: () => {
        handled += 1;
        return undefined;
      },
    }),
    defineEndpoint({ method: 'POST', path: '/signed', auth: ['signature'], handle: ({ body }) => body }),
  ],
};

describeEachDatabase('bodies', (databases) => {
  const service = useService(databases, {
    application,
    apps: ['shop'],
    env: { BODY_LIMIT: String(limit), BODY_MEMORY: String(memory) },
  });
  let admin: TestUser;
  let viewer: TestUser;
  beforeAll(async () => {
    admin = await service.createUser(['admin']);
    viewer = await service.createUser();
  });

  const head = (path: string, length: number, ...headers: readonly string[]): string =>
    [
      `POST ${path} HTTP/1.1`,
      ...['Host: x', 'Content-Type: application/json', `Content-Length: ${length}`],
      ...headers,
      '\r\n',
    ].join('\r\n');
  const bearer = (user: TestUser): string => `Authorization: Bearer ${user.token}`;

  /** A request whose body ends after its first bytes. */
  const half = (path: string, sent: number, ...headers: readonly string[]): RawSocket => {
    const socket = rawSocket(service.port);
    socket.write(head(path, limit, ...headers) + 'x'.repeat(sent));
    return socket;
  };

  describe('that are not wanted are not waited for', () => {
    it.each([
      ['of a stranger', '/api/v1/counted', 401, []],
      ['of a stranger who could sign', '/api/v1/signed', 401, []],
      [
        'with a signature that cannot be one',
        '/api/v1/signed',
        401,
        ['X-App-Id: shop', 'X-Timestamp: 1', 'X-Signature: x'],
      ],
      ['of an unknown path', '/api/v1/nothing', 404, []],
      ['of a method that the path does not take', '/api/v1/health', 405, []],
      ['of another type', '/api/v1/auth/login', 415, ['Content-Encoding: gzip']],
    ])('a body %s is not waited for', async (_name, path, status, headers) => {
      const socket = half(path, 1, ...headers);
      const answer = parseRaw(await socket.closed());
      expect([answer.status, answer.headers.get('connection')]).toEqual([status, 'close']);
      expect(JSON.parse(answer.body)).toMatchObject({ code: expect.any(Number) });
    });

    it('a body of somebody who may not send it is not waited for', async () => {
      const answer = parseRaw(await half('/api/v1/counted', 1, bearer(viewer)).closed());
      expect(answer.status).toBe(403);
    });

    it('bodies that are announced to be too large are not waited for', async () => {
      const text = await exchange(service.port, head('/api/v1/counted', limit + 1, bearer(admin)));
      expect(parseRaw(text).status).toBe(413);
      expect(parseRaw(await exchange(service.port, head('/api/v1/counted', limit + 1))).status).toBe(401);
    });

    it('the bytes behind a body that is not wanted are no request', async () => {
      const before = handled;
      const whole = `${head('/api/v1/counted', 2, bearer(admin))}{}`;
      const refused = half('/api/v1/counted', 1);
      await refused.received('HTTP/1.1 401');
      refused.write('x'.repeat(limit - 1) + whole);
      expect((await refused.closed()).match(/HTTP\/1\.1/g)).toHaveLength(1);
      expect(handled).toBe(before);
      await exchange(service.port, whole.replace('Host: x', 'Host: x\r\nConnection: close'));
      expect(handled).toBe(before + 1);
    });

    it('while an ordinary client sends one and reads why it was refused', async () => {
      const agent = new Agent({ keepAlive: true });
      const send = (): Promise<number | undefined> =>
        new Promise((resolve, reject) => {
          const options = { port: service.port, method: 'POST', path: '/api/v1/counted', agent };
          const outgoing = nodeRequest(options, (message) => {
            message.resume().on('end', () => resolve(message.statusCode));
          });
          outgoing.on('error', reject);
          outgoing.end('x'.repeat(3_000_000));
        });
      for (let count = 0; count < 10; count += 1) expect(await send()).toBe(401);
      agent.destroy();
    });
  });

  it('bodies that come whole with the head leave the connection open, whatever the answer is', async () => {
    const socket = rawSocket(service.port);
    for (const [count, status] of [401, 401, 401].entries()) {
      socket.write(`${head('/api/v1/counted', 2)}{}`);
      const text = await socket.received('HTTP/1.1', count + 1);
      expect(text.match(/HTTP\/1\.1 \d+/g)?.at(-1)).toBe(`HTTP/1.1 ${status}`);
    }
    socket.destroy();
  });

  it('bodies that are signed are read to the end, however they come', async () => {
    const body = '{"order_no":"A-1"}';
    const headers = Object.entries(service.sign('shop', body)).map(([name, value]) => `${name}: ${value}`);
    const socket = rawSocket(service.port);
    socket.write(head('/api/v1/signed', body.length, ...headers, 'Connection: close') + body.slice(0, 5));
    await new Promise((sent) => setTimeout(sent, 30));
    socket.write(body.slice(5));
    const answer = parseRaw(await socket.closed());
    expect([answer.status, JSON.parse(answer.body)]).toMatchObject([200, { data: { order_no: 'A-1' } }]);
  });

  describe('in flight are bounded', () => {
    it('strangers who never end theirs prevent neither signing in nor writing', async () => {
      const sockets = Array.from({ length: 40 }, () => half('/api/v1/auth/login', limit - 1_000));
      const refused: string[] = [];
      for (const socket of sockets) void socket.closed().then((text) => refused.push(text));
      await expect.poll(() => refused.length).toBeGreaterThan(36);
      expect(parseRaw(refused[0] ?? '')).toMatchObject({ status: 503 });
      expect((await service.login(viewer.username, viewer.password)).status).toBe(200);
      const body = { text: 'x'.repeat(limit - 100) };
      expect((await service.post('/api/v1/counted', { token: admin, body })).status).toBe(200);
      for (const socket of sockets) socket.destroy();
    });

    it('503 with Retry-After beyond, until answers are out', async () => {
      const body = { text: 'x'.repeat(limit - 100) };
      const refused: unknown[] = [];
      const stored: unknown[] = [];
      const post = async (): Promise<void> => {
        const { status, headers, json } = await service.post('/api/v1/kept', { token: viewer, body });
        if (status === 200) stored.push(json);
        else refused.push([status, headers['retry-after'], json.code]);
      };
      const answer = (): void => {
        for (const end of waiting.splice(0)) end();
      };
      const posts = Array.from({ length: 8 }, post);
      await expect.poll(() => waiting.length + refused.length).toBe(8);
      expect(waiting.length).toBeOneOf([3, 4]);
      expect(refused).toEqual(refused.map(() => [503, '1', 50301]));
      answer();
      await Promise.all(posts);
      const again = Array.from({ length: 3 }, post);
      await expect.poll(() => waiting.length).toBe(3);
      answer();
      await Promise.all(again);
      expect(stored).toHaveLength(8 - refused.length + 3);
    });
  });
});
