import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, createServer as createSocketServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import {
  createSend,
  isPublicAddress,
  isWebhookUrl,
  newMessageId,
  newWebhookSecret,
  type SendOptions,
  signedHeaders,
} from './send.ts';

describe('public addresses', () => {
  it.each([
    '1.1.1.1',
    '8.8.8.8',
    '100.63.255.255',
    '100.128.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '192.0.1.0',
    '168.63.129.15',
    '168.63.129.17',
    '198.20.0.0',
    '223.255.255.255',
    '2606:4700:4700::1111',
    '2a00:1450:4001:830::200e',
    '2001:4860:4860::8888',
  ])('%s is a public address', (address) => expect(isPublicAddress(address)).toBe(true));
});

describe('addresses that are not public', () => {
  it.each([
    '0.0.0.0',
    '0.1.2.3',
    '10.0.0.1',
    '100.64.0.1',
    '100.127.255.255',
    '127.0.0.1',
    '127.9.9.9',
    '168.63.129.16',
    '100.100.100.200',
    'fd00:ec2::254',
    'fd20:ce::254',
    '192.31.196.1',
    '192.52.193.1',
    '192.175.48.1',
    '2620:4f:8000::1',
    '64:ff9b::a83f:8110',
    '2001:4:112::1',
    '2001:20::1',
    '2001:2::1',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.1',
    '192.0.0.192',
    '192.0.2.1',
    '192.88.99.1',
    '192.168.1.1',
    '198.18.0.1',
    '198.19.255.255',
    '198.51.100.7',
    '203.0.113.9',
    '224.0.0.1',
    '239.255.255.255',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:8.8.8.8',
    '::ffff:0:127.0.0.1',
    '::127.0.0.1',
    'fc00::1',
    'fd12:3456::1',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
    '100::1',
    '64:ff9b::7f00:1',
    '64:ff9b:1::a00:1',
    '2001::1',
    '2001:0:7f00:1::',
    '2001:db8::1',
    '2001:10::1',
    '2002:7f00:1::',
    '2002:a00:1::',
    '3fff::1',
    '5f00::1',
    '4000::1',
    'localhost',
    '',
    '127.1',
  ])('%s is no public address', (address) => expect(isPublicAddress(address)).toBe(false));
});

describe('URLs of webhooks', () => {
  it.each([
    ['https://example.com/hook?x=1', true, true],
    ['https://example.com:8443/', true, true],
    ['https://1.1.1.1/', true, true],
    ['http://example.com/', false, true],
    // Spellings in URLs: all of them are 127.0.0.1, or this machine.
    ['https://127.0.0.1/', false, true],
    ['https://127.1/', false, true],
    ['https://2130706433/', false, true],
    ['https://0x7f000001/', false, true],
    ['https://0177.0.0.1/', false, true],
    ['https://127.0.0.1./', false, true],
    ['https://１２７.0.0.1/', false, true],
    ['https://[::1]/', false, true],
    ['https://[::ffff:127.0.0.1]/', false, true],
    ['https://169.254.169.254/latest/meta-data', false, true],
    ['https://user:secret@example.com/', false, false],
    ['https://user@example.com/', false, false],
    ['https://example.com/#part', false, false],
    ['ftp://example.com/', false, false],
    ['file:///etc/passwd', false, false],
    ['example.com', false, false],
    ['', false, false],
    [`https://example.com/${'x'.repeat(2_000)}`, false, false],
  ])('%s is checked as the URL of a webhook', (url, publicly, privately) => {
    expect([isWebhookUrl(url, false), isWebhookUrl(url, true)]).toEqual([publicly, privately]);
  });
});

describe('signatures of webhooks', () => {
  const now = Math.floor(Date.now() / 1000);
  const body = '{"type":"Order.update","text":"é 中"}';

  it('signatures of webhooks are those that the stock package verifies, for each secret that counts', () => {
    const [one, two, other] = [newWebhookSecret(), newWebhookSecret(), newWebhookSecret()];
    expect(one).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const headers = signedHeaders([one, two], newMessageId(), now, body);
    for (const secret of [one, two])
      expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
    expect(() => new Webhook(other).verify(body, headers)).toThrow('No matching signature');
    expect(() => new Webhook(one).verify(`${body} `, headers)).toThrow('No matching signature');
    const later = { ...headers, 'webhook-timestamp': String(now + 1) };
    expect(() => new Webhook(one).verify(body, later)).toThrow('No matching signature');
  });

  it('the signature of a webhook is the one of the specification', () => {
    const headers = signedHeaders(
      ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
      'msg_p5jXN8AQM9LWM0D4loKWxJek',
      1_614_265_330,
      '{"test": 2432232314}',
    );
    expect(headers['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  });
});

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

  it('asks for a body without encoding, and decodes none', async () => {
    const asked: unknown[] = [];
    const encoded = gzipSync('x'.repeat(1_000_000));
    const url = await listen((request, response) => {
      asked.push(request.headers['accept-encoding']);
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(encoded);
    });
    const sent = await send(url);
    expect(asked).toEqual(['identity']);
    expect(sent).toMatchObject({ status: 200, headers: { 'content-encoding': 'gzip' }, error: undefined });
    expect(sent.body?.length).toBeLessThanOrEqual(encoded.length);
    expect(sent.body).not.toContain('xxxx');
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
      expect(sent.error).toMatch(/^the host has no address, or one that is not public: [^:]*$/);
    }
    // The machine's own names, resolved for real.
    const real = await send(`https://localhost:${port}/`, { allowPrivate: false });
    expect(real.error).toMatch(/^the host has no address, or one that is not public: [^:]*$/);
    // A name that does not exist gets the same text, which does not reveal the internal names that do.
    expect((await send(`https://unknown.invalid:${port}/`, { allowPrivate: false })).error).toBe(real.error);
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
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:P-256',
        '-nodes',
        '-days',
        '2',
        '-keyout',
        keyFile,
        '-out',
        file,
        '-subj',
        '/CN=hook.test',
        '-addext',
        'subjectAltName=DNS:localhost',
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
