import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import type { Verifiers } from '../auth/registry.ts';
import { currentWork } from '../kernel/current-work.ts';
import { createLanguages } from '../kernel/messages/languages.ts';
import type { Call, Endpoint } from './endpoint.ts';
import { createPipeline } from './pipeline.ts';
import { Routes } from './routes.ts';
import { createHttpServer, type HttpOptions, type HttpServer } from './server.ts';

const endpoint = (path: string, handle: Endpoint['handle']): Endpoint => ({
  operation: path,
  method: 'GET',
  path,
  auth: [],
  policy: { kind: 'open' },
  accepts: 'nothing',
  docs: { summary: { 'zh-CN': path, en: path }, tag: 'test' },
  handle,
});

/** More than the buffers of a connection on the loopback take. */
const large = 'x'.repeat(32_000_000);

/** Requests that wait for an answer that never comes. */
let never = 0;

/** The call of the last request with a body. */
let lastCall: Call | undefined;

const endpoints: readonly Endpoint[] = [
  {
    ...endpoint('/body', (call) => {
      lastCall = call;
      return { data: call.bytes.byteLength };
    }),
    method: 'POST',
    accepts: 'json',
  },
  endpoint('/never', () => {
    never += 1;
    return new Promise(() => {});
  }),
  endpoint('/large', () => ({ data: large })),
  endpoint('/small', () => ({ data: 'x' })),
  endpoint('/route', () => ({ data: currentWork()?.route ?? null })),
  { ...endpoint('/memory', () => ({ data: currentWork()?.route ?? null })), fromMemory: true },
  endpoint('/broken', () => ({ data: 'x', headers: { 'X-Note': 'two\nlines' } })),
];

const stallTimeoutMs = 300;
const languages = createLanguages({ locale: 'en', negotiated: false });
let http: HttpServer | undefined;

const listen = async (further: Partial<HttpOptions> = {}): Promise<number> => {
  const methods = {} as Verifiers;
  const pipeline = createPipeline({ methods, languages });
  http = createHttpServer(endpoints, pipeline, {
    baseUrl: 'http://here',
    basePath: '',
    bodyLimit: 1000,
    bodyMemory: 4000,
    maxConnections: 10,
    trustProxy: false,
    corsOrigins: [],
    routes: new Routes(),
    stallTimeoutMs,
    logger: pino({ level: 'silent' }),
    languages,
    ...further,
  });
  http.server.listen(0, '127.0.0.1');
  await once(http.server, 'listening');
  return (http.server.address() as AddressInfo).port;
};

const ask = async (port: number, path: string): Promise<Socket> => {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(`GET ${path} HTTP/1.1\r\nHost: here\r\n\r\n`);
  return socket;
};

const connections = (): Promise<number> =>
  new Promise((resolve, reject) => {
    if (http === undefined) return reject(new Error('there is no server'));
    http.server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
  });

afterEach(async () => {
  const closed = http?.close();
  http?.server.closeAllConnections();
  await closed;
});

/** A client that never closes its side, whatever the server does, and reads what comes. */
const stubborn = async (port: number, text: string): Promise<{ received: () => string; socket: Socket }> => {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  let received = '';
  socket.on('data', (chunk) => {
    received += String(chunk);
  });
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(text);
  return { received: () => received, socket };
};

/** Milliseconds within which a connection is gone that was answered for the last time: far more than it lingers. */
const gone = 10_000;

describe('the HTTP server', () => {
  it('cuts a connection that leaves an answer unread, and none that is merely silent', async () => {
    const port = await listen();
    const quiet = await ask(port, '/small');
    await once(quiet, 'data');
    const unread = await ask(port, '/large');
    unread.pause();
    await expect.poll(connections).toBe(2);
    await expect.poll(connections, { timeout: stallTimeoutMs * 20 }).toBe(1);
    quiet.write('GET /small HTTP/1.1\r\nHost: here\r\n\r\n');
    expect(String((await once(quiet, 'data'))[0])).toContain('200 OK');
    unread.destroy();
    quiet.destroy();
  });

  it('gives a large answer all the time that its reader takes, as long as he reads', async () => {
    const port = await listen();
    const socket = await ask(port, '/large');
    let size = 0;
    for await (const chunk of socket) {
      size += (chunk as Buffer).length;
      if (size > large.length) break;
      if (size % 7 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(size).toBeGreaterThan(large.length);
  });

  it('500: a header that cannot be sent', async () => {
    const port = await listen();
    const answer = await fetch(`http://127.0.0.1:${port}/broken`);
    expect([answer.status, await answer.json()]).toMatchObject([500, { code: 50000 }]);
  });

  describe('a connection that was answered for the last time is gone, whatever its client does:', () => {
    const head = 'Host: here\r\nContent-Length: 500\r\n';
    const cases: Readonly<Record<string, readonly [text: string, status: number]>> = {
      'what is no HTTP': ['hello\r\n\r\n', 400],
      'a request without Host, with a body that never ends': [
        'POST /small HTTP/1.1\r\nContent-Length: 500\r\n\r\nx',
        400,
      ],
      'an unknown path, with a body that never ends': [`POST /nothing HTTP/1.1\r\n${head}\r\nx`, 404],
      'a wrong method, with a body that never ends': [`PUT /small HTTP/1.1\r\n${head}\r\nx`, 405],
      'a GET with a body that never ends': [`GET /small HTTP/1.1\r\n${head}\r\nx`, 200],
      'HEAD with a body that never ends': [`HEAD /small HTTP/1.1\r\n${head}\r\nx`, 200],
      CONNECT: ['CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n', 400],
      'Connection: close': ['GET /small HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n', 200],
    };
    for (const [name, [text, status]] of Object.entries(cases))
      it(name, async () => {
        const port = await listen();
        const { received, socket } = await stubborn(port, text);
        await expect.poll(received, { timeout: 1_000 }).toContain(`HTTP/1.1 ${status} `);
        expect(received().toLowerCase()).toContain('connection: close');
        await expect.poll(connections, { timeout: gone }).toBe(0);
        socket.destroy();
      });

    it('a connection that took too long is gone, whatever its client does', async () => {
      const port = await listen();
      const accepted = new Promise<Socket>((resolve) => http?.server.once('connection', resolve));
      const { received, socket } = await stubborn(port, 'GET /small HTTP/1.1\r\nHost: he');
      const served = await accepted;
      const late = Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
      http?.server.emit('clientError', late, served);
      await expect.poll(received, { timeout: 1_000 }).toContain('HTTP/1.1 408 ');
      // Too late: the request gets no answer any more.
      socket.write('re\r\n\r\n');
      await expect.poll(connections, { timeout: gone }).toBe(0);
      expect(received().match(/HTTP\/1\.1/g)).toHaveLength(1);
      socket.destroy();
    });

    it('one that sends on and on', async () => {
      const port = await listen();
      const { received, socket } = await stubborn(port, `POST /nothing HTTP/1.1\r\n${head}\r\n`);
      await expect.poll(received, { timeout: 1_000 }).toContain('HTTP/1.1 404 ');
      const flood = setInterval(() => socket.write('GET /small HTTP/1.1\r\nHost: here\r\n\r\n'), 20);
      await expect.poll(connections, { timeout: gone }).toBe(0);
      clearInterval(flood);
      // The bytes behind the refused body are no request.
      expect(received().match(/HTTP\/1\.1/g)).toHaveLength(1);
      socket.destroy();
    });
  });

  it('lets a client that sends a large body read why it is refused', async () => {
    const port = await listen();
    for (let count = 0; count < 10; count += 1) {
      const body = Buffer.alloc(4_000_000, 'x');
      const answer = await fetch(`http://127.0.0.1:${port}/nothing`, { method: 'POST', body });
      expect([answer.status, await answer.json()]).toMatchObject([404, { code: 40401 }]);
    }
  });

  it('closes a connection that has become old behind the last answer that it waits for', async () => {
    const port = await listen({ maxConnectionAgeMs: 400 });
    const socket = await ask(port, '/small');
    let text = '';
    socket.on('data', (data) => {
      text += String(data);
    });
    await expect.poll(() => text).toContain('keep-alive');
    // Half of the age at least, and no longer than the age.
    await delay(450);
    expect(socket.readableEnded).toBe(false);
    socket.write('GET /small HTTP/1.1\r\nHost: here\r\n\r\n'.repeat(3));
    await once(socket, 'end');
    expect(text.split('HTTP/1.1 200').length - 1).toBe(4);
    expect(text.toLowerCase().split('connection: close').length - 1).toBe(1);
  });

  it('503: a connection too many, and only as long as all others are busy', async () => {
    const port = await listen();
    const idle = await ask(port, '/small');
    await once(idle, 'data');
    const waiting = Array.from({ length: 9 }, () => ask(port, '/never'));
    for (const socket of await Promise.all(waiting)) socket.on('error', () => {});
    await expect.poll(connections).toBe(10);
    const answer = async (): Promise<number> => (await fetch(`http://127.0.0.1:${port}/small`)).status;
    const closed = once(idle, 'close');
    const busy = await ask(port, '/never');
    await closed;
    await expect.poll(() => never).toBe(10);
    expect(await answer()).toBe(503);
    busy.destroy();
    await expect.poll(connections).toBe(9);
    expect(await answer()).toBe(200);
  });
});

it('an idle connection keeps no body of the request that it keeps', async () => {
  const port = await listen();
  const body = JSON.stringify({ text: 'x'.repeat(500) });
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`http://127.0.0.1:${port}/body`, { method: 'POST', headers, body });
  expect([response.status, await response.json()]).toMatchObject([200, { data: body.length }]);
  await expect.poll(() => http?.connections.inFlight).toBe(0);
  expect([lastCall?.bytes.byteLength, lastCall?.body]).toEqual([0, {}]);
  expect((await lastCall?.readBody())?.byteLength).toBe(0);
});

it('code that logs or asks the database finds the request, unless it is answered from memory', async () => {
  const port = await listen();
  const routeAt = async (path: string): Promise<unknown> =>
    ((await (await fetch(`http://127.0.0.1:${port}${path}`)).json()) as { data: unknown }).data;
  expect(await routeAt('/route')).toBe('/route');
  expect(await routeAt('/memory')).toBe(null);
  expect(await routeAt('/memory?ready')).toBe('/memory');
});
