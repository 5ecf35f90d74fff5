import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { pino } from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import type { AuthMethod, AuthMethodName } from '../auth/method.ts';
import { catalogueOf } from '../kernel/messages/messages.ts';
import type { Answer, Endpoint } from './endpoint.ts';
import { Envelope } from './envelope.ts';
import { createPipeline } from './pipeline.ts';
import { Routes } from './routes.ts';
import { createHttpServer, type HttpServer } from './server.ts';

const endpoint = (path: string, handle: () => Answer): Endpoint => ({
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

const endpoints = [
  endpoint('/large', () => ({ data: large })),
  endpoint('/small', () => ({ data: 'x' })),
  endpoint('/broken', () => ({ data: 'x', headers: { 'X-Note': 'two\nlines' } })),
];

const stall = 300;
let http: HttpServer | undefined;

const listen = async (): Promise<number> => {
  const methods = {} as Readonly<Record<AuthMethodName, AuthMethod>>;
  const pipeline = createPipeline({ methods, envelope: new Envelope(catalogueOf('en')) });
  http = createHttpServer(endpoints, pipeline, {
    ...{ basePath: '', bodyLimit: 1000, trustProxy: false, corsOrigins: [], routes: new Routes(), stall },
    logger: pino({ level: 'silent' }),
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

describe('the HTTP server', () => {
  it('cuts whoever leaves an answer unread, and nobody who merely says nothing', async () => {
    const port = await listen();
    const quiet = await ask(port, '/small');
    await once(quiet, 'data');
    const unread = await ask(port, '/large');
    unread.pause();
    await expect.poll(connections).toBe(2);
    await expect.poll(connections, { timeout: stall * 20 }).toBe(1);
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
});
