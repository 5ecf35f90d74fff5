import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, createServer as createSocketServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createSend, type SendOptions } from './send.ts';

const never = new AbortController().signal;

const send = (url: string, options: Partial<SendOptions> = {}, signal = never) =>
  createSend({ allowPrivate: true, timeout: 5_000, ...options })(url, { 'x-a': 'b' }, '{"é":1}', signal);

const listen = async (listener: RequestListener): Promise<string> => {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

/** Connections that a receiver on loopback has seen. */
const watched = async (onSocket: (socket: Socket) => void = () => {}) => {
  let connections = 0;
  const open = new Set<Socket>();
  const server = createSocketServer((socket) => {
    connections += 1;
    open.add(socket);
    socket.on('error', () => {});
    onSocket(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, connections: () => connections };
};

describe('sending to a webhook', () => {
  it('posts the bytes with their headers, and keeps what is answered', async () => {
    const seen: unknown[] = [];
    const url = await listen((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { 'content-type': type, 'x-a': a, connection, 'user-agent': agent } = request.headers;
        seen.push([
          request.method,
          request.url,
          type,
          a,
          connection,
          agent,
          Buffer.concat(chunks).toString(),
        ]);
        response.writeHead(202, { 'x-kept': 'yes' }).end('a\0b');
      });
    });
    const sent = await send(`${url}/hook?x=1`);
    expect(seen).toEqual([
      ['POST', '/hook?x=1', 'application/json', 'b', 'keep-alive', 'Gatewright', '{"é":1}'],
    ]);
    expect(sent).toMatchObject({ status: 202, body: 'a\uFFFDb', error: undefined });
    expect(sent.headers).toMatchObject({ 'x-kept': 'yes' });
    expect(sent.duration).toBeLessThan(5_000);
  });

  it('keeps a connection for the next message, and takes another where that one is gone', async () => {
    let answers = 0;
    const { port, connections } = await watched((socket) => {
      socket.on('data', (data) => {
        if (!data.toString().includes('"é"')) return;
        answers += 1;
        // The third message comes on a connection on which nothing is answered any more.
        if (answers === 3) socket.destroy();
        else socket.write('HTTP/1.1 204 No Content\r\n\r\n');
      });
    });
    const keeping = createSend({ allowPrivate: true, timeout: 5_000 });
    const statuses: unknown[] = [];
    for (const _ of [1, 2, 3])
      statuses.push((await keeping(`http://127.0.0.1:${port}/`, {}, '{"é":1}', never)).status);
    expect(statuses).toEqual([204, 204, 204]);
    expect(answers).toBe(4);
    expect(connections()).toBe(2);
  });

  it('follows no redirect', async () => {
    const asked: (string | undefined)[] = [];
    const url = await listen((request, response) => {
      asked.push(request.url);
      response.writeHead(307, { location: '/elsewhere' }).end();
    });
    expect(await send(`${url}/first`)).toMatchObject({ status: 307, error: undefined });
    expect(asked).toEqual(['/first']);
  });

  it('asks no proxy that the environment names', async () => {
    const proxy = await watched();
    const url = await listen((_, response) => response.end('direct'));
    const named = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'NODE_USE_ENV_PROXY'];
    for (const name of named)
      process.env[name] = name.endsWith('ENV_PROXY') ? '1' : `http://127.0.0.1:${proxy.port}`;
    onTestFinished(() => {
      for (const name of named) delete process.env[name];
    });
    expect(await send(url)).toMatchObject({ status: 200, body: 'direct' });
    expect(proxy.connections()).toBe(0);
  });

  it('reads a few KiB of an answer that does not end', async () => {
    let cut = false;
    const url = await listen((_, response) => {
      const more = setInterval(() => response.write('x'.repeat(1_024)), 1);
      response.on('close', () => {
        cut = true;
        clearInterval(more);
      });
    });
    const sent = await send(url);
    expect([sent.status, sent.body?.length, sent.error]).toEqual([200, 8_192, undefined]);
    await expect.poll(() => cut).toBe(true);
  });

  it.each([
    ['takes the connection and says nothing', () => {}],
    [
      'answers a head, and a body that does not come',
      (socket: Socket) => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc');
      },
    ],
    [
      'answers byte by byte',
      (socket: Socket) => {
        const drip = setInterval(() => socket.write('H'), 20);
        socket.on('close', () => clearInterval(drip));
      },
    ],
  ])('gives up in time on a receiver that %s', async (_, behave) => {
    const { port } = await watched(behave);
    const sent = await send(`http://127.0.0.1:${port}`, { timeout: 300 });
    expect(sent.error).toMatch(/no answer within 0.3 s|Parse Error/);
    expect(sent.duration).toBeLessThan(2_000);
  });

  it('counts an answer that is cut off as none', async () => {
    const { port } = await watched((socket) => {
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc');
    });
    expect((await send(`http://127.0.0.1:${port}`)).error).toBe('aborted');
    const silent = await watched((socket) => socket.destroy());
    expect((await send(`http://127.0.0.1:${silent.port}`)).error).toMatch(/socket hang up|ECONNRESET/);
  });

  it('ends when its caller aborts', async () => {
    const { port } = await watched();
    const stop = new AbortController();
    setTimeout(() => stop.abort(new Error('the process is about to stop')), 50);
    const sent = await send(`http://127.0.0.1:${port}`, {}, stop.signal);
    expect(sent.error).toBe('the process is about to stop');
  });

  it('connects to nothing that is not public, whatever leads there', async () => {
    const { port, connections } = await watched();
    const answers =
      (...addresses: string[]): NonNullable<SendOptions['resolve']> =>
      (_, options, done) => {
        expect(options.all ?? false).toBeTypeOf('boolean');
        done(
          null,
          addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
        );
      };
    const guarded = (url: string, resolve = answers('127.0.0.1')) =>
      send(url, { allowPrivate: false, resolve });
    for (const addresses of [
      ['127.0.0.1'],
      ['::1'],
      ['::ffff:127.0.0.1'],
      ['169.254.169.254'],
      // One public address beside it makes no difference.
      ['8.8.8.8', '127.0.0.1'],
      ['127.0.0.1', '8.8.8.8'],
    ]) {
      const sent = await guarded(`https://hook.example.com:${port}/`, answers(...addresses));
      expect(sent.error).toMatch(/^the host has an address that is not public: [^:]*$/);
    }
    // The machine's own names, resolved for real.
    const real = await send(`https://localhost:${port}/`, { allowPrivate: false });
    expect(real.error).toMatch(/^the host has an address that is not public: [^:]*$/);
    for (const literal of ['127.0.0.1', '0x7f.1', '2130706433', '[::1]', '[::ffff:7f00:1]', '0.0.0.0'])
      expect((await guarded(`https://${literal}:${port}/`)).error).toMatch(/is not public/);
    expect((await guarded(`http://hook.example.com:${port}/`)).error).toMatch(/is not public/);
    expect((await guarded('https://nothing.example.com/', answers())).error).toMatch(/has no address/);
    expect(connections()).toBe(0);
  });
});

describe('sending by TLS', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatewright-send-'));
  const [keyFile, file] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  beforeAll(() => {
    execFileSync(
      'openssl',
      [
        ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'],
        ...['-keyout', keyFile, '-out', file, '-subj', '/CN=hook.test'],
        ...['-addext', 'subjectAltName=DNS:localhost'],
      ],
      { stdio: 'ignore' },
    );
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const start = async (): Promise<string> => {
    const server = createSecureServer(
      { key: readFileSync(keyFile), cert: readFileSync(file) },
      (_, response) => {
        response.end('safe');
      },
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    return String((server.address() as AddressInfo).port);
  };

  it('verifies the certificate and its name, whatever the environment says', async () => {
    const port = await start();
    const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    onTestFinished(() => {
      if (before === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
      else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = before;
    });
    const ca = readFileSync(file, 'utf8');
    expect(await send(`https://localhost:${port}/`, { ca })).toMatchObject({ status: 200, body: 'safe' });
    expect((await send(`https://localhost:${port}/`)).error).toMatch(/self-signed certificate/);
    expect((await send(`https://127.0.0.1:${port}/`, { ca })).error).toMatch(/does not match/);
  });
});
