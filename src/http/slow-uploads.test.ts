import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import type { Verifiers } from '../auth/registry.ts';
import { createLanguages } from '../kernel/messages/languages.ts';
import type { Endpoint } from './endpoint.ts';
import { createPipeline } from './pipeline.ts';
import { Routes } from './routes.ts';
import { createHttpServer } from './server.ts';
import { UploadFolders } from './uploads.ts';

const endpoint = (path: string, accepts: Endpoint['accepts']): Endpoint => ({
  operation: path,
  method: 'POST',
  path,
  auth: [],
  policy: { kind: 'open' },
  accepts,
  docs: { summary: path, tag: 'test' },
  handle: ({ files }) => ({ data: files.map(({ size }) => size) }),
});

const head = (path: string, type: string, length: number): string =>
  `POST ${path} HTTP/1.1\r\nHost: here\r\nConnection: close\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n`;

/** Longer than Node's look at slow requests takes to come around. */
const pieces = 16;

it('a long body may take longer than others, as long as it gets on', { timeout: 20_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gatewright-slow-'));
  const languages = createLanguages({ locale: 'en', negotiated: false });
  const pipeline = createPipeline({
    methods: {} as Verifiers,
    languages,
  });
  const http = createHttpServer([endpoint('/files', 'multipart'), endpoint('/json', 'json')], pipeline, {
    baseUrl: 'http://here',
    basePath: '',
    bodyLimit: 1_000_000,
    bodyMemory: 4_000_000,
    maxConnections: 10,
    trustProxy: false,
    corsOrigins: [],
    routes: new Routes(),
    stallTimeoutMs: 4_000,
    languages,
    uploads: new UploadFolders(folder, () => {}),
    logger: pino({ level: 'silent' }),
  });
  // The timeout is the service's, but shorter.
  http.server.requestTimeout = 1_000;
  http.server.headersTimeout = 1_000;
  http.server.listen(0, '127.0.0.1');
  await once(http.server, 'listening');
  const { port } = http.server.address() as AddressInfo;
  const piece = Buffer.alloc(65_536, 'x');
  const begin = '--b\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n';
  const end = '\r\n--b--\r\n';
  const size = pieces * piece.length;
  const send = async (begun: string, parts: readonly (string | Buffer)[]): Promise<string> => {
    const socket = connect(port, '127.0.0.1').setEncoding('latin1');
    socket.on('error', () => {});
    const answer = socket.toArray();
    socket.write(begun);
    for (const part of parts) {
      socket.write(part);
      await delay(450);
    }
    return (await answer).join('');
  };
  const [upload, json] = await Promise.all([
    send(head('/files', 'multipart/form-data; boundary=b', begin.length + size + end.length), [
      begin,
      ...Array.from({ length: pieces }, () => piece),
      end,
    ]),
    send(
      head('/json', 'application/json', 1_000),
      Array.from({ length: pieces }, () => ' '),
    ),
  ]);
  expect(upload).toContain(`"data":[${size}]`);
  expect(json).toContain('HTTP/1.1 408');
  http.server.closeAllConnections();
  await http.close();
  await rm(folder, { recursive: true, force: true });
});
