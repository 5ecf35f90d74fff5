import { execFile } from 'node:child_process';
import { createHmac, generateKeyPairSync, verify } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RunOptions, run } from '../test-io.ts';

const secret = 'k'.repeat(40);
const now = 1_767_225_600_999;
const hmac = (message: string | Uint8Array) => createHmac('sha256', secret).update(message).digest('hex');

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gatewright-sign-'));
});
afterEach(() => rm(directory, { recursive: true }));

const sign = (args: readonly string[], options: RunOptions = {}) =>
  run(['sign', ...args], { now, ...options });
const bySecret = (...args: string[]) =>
  sign(['--app', 'shop', '--secret-stdin', ...args], { stdin: `${secret}\n` });
const headers = (timestamp: string, body: string) =>
  `X-App-Id: shop\nX-Timestamp: ${timestamp}\nX-Signature: ${hmac(`${timestamp}\n${body}`)}\n`;

describe('sign', () => {
  it('prints the three headers', async () => {
    expect(await bySecret('--body', '{"a":"é"}')).toEqual({
      status: 0,
      stdout: headers('1767225600', '{"a":"é"}'),
      stderr: '',
    });
    expect((await bySecret('--timestamp', '7')).stdout).toBe(headers('7', ''));
    expect((await bySecret('--json')).stdout).toBe(
      `{"X-App-Id":"shop","X-Timestamp":"1767225600","X-Signature":"${hmac('1767225600\n')}"}\n`,
    );
  });

  it('signs with the current secret of the credentials, and the body from stdin or a file byte for byte', async () => {
    const env = {
      CREDENTIALS_FILE: join(directory, 'c.age'),
      CREDENTIALS_KEY_FILE: join(directory, 'c.key'),
    };
    await run(['app', 'create', 'shop'], { env });
    const { stdout } = await run(['app', 'rotate', 'shop', '--grace', '1h', '--json'], { env });
    const body = Buffer.from([0, 0xff, 0x0a]);
    const expected = createHmac('sha256', JSON.parse(stdout).api_secret)
      .update(Buffer.concat([Buffer.from('5\n'), body]))
      .digest('hex');
    await writeFile(join(directory, 'body'), body);
    for (const source of [[], ['--body-file', '-'], ['--body-file', join(directory, 'body')]]) {
      const result = await sign(['--app', 'shop', '--timestamp', '5', ...source], { env, stdin: body });
      expect(result.stdout).toContain(`X-Signature: ${expected}\n`);
    }
    expect(await sign(['--app', 'stall'], { env })).toEqual({
      status: 1,
      stdout: '',
      stderr: 'gatewright: there is no application "stall"\n',
    });
  });

  it('prints the exact message without any secret', async () => {
    expect(await sign(['--message', '--body', 'x\n', '--timestamp', '9'])).toEqual({
      status: 0,
      stdout: '9\nx\n',
      stderr: '',
    });
    expect((await sign(['--message'], { interactive: true, stdin: 'unread' })).stdout).toBe('1767225600\n');
  });

  it.each([
    [['--body', 'x'], '--app ID is missing'],
    [['--app', 'shop', '--body', 'x', '--body-file', 'y'], 'exclude each other'],
    [['--app', 'shop', '--secret-stdin', '--body-file', '-'], 'the secret or the body, not both'],
    [['--app', 'shop', '--json', '--message'], 'exclude each other'],
    [['--app', 'shop', '--timestamp', '01'], '--timestamp takes Unix seconds'],
    [['--app', 'shop', '--timestamp', '1234567890123'], '--timestamp takes Unix seconds'],
    [['--app', 'shop', 'POST'], "unexpected argument 'POST' without --curl"],
    [['--app', 'shop', '--curl', 'POST'], '--curl takes METHOD and URL'],
    [['--app', 'shop', '--secret-stdin', '--curl', 'PO ST', 'http://x'], "'PO ST' is not an HTTP method"],
    [['--app', 'shop', '--secret-stdin', '--curl', 'GET', 'file:///x'], 'is not an http or https URL'],
    [['--app', 'shop', '--secret-stdin', '--curl', 'GET', 'http://x /'], 'is not an http or https URL'],
  ])('answers 2 for %j', async (args, message) => {
    const { status, stdout, stderr } = await sign(args, { stdin: secret });
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
    expect(stderr.trim()).not.toContain('\n');
  });

  it('refuses an id that could not stand in a header, and a missing secret', async () => {
    expect(await sign(['--app', 'a\nX: y', '--secret-stdin'], { stdin: secret })).toMatchObject({
      status: 1,
      stdout: '',
    });
    expect(await sign(['--app', 'shop', '--secret-stdin'])).toMatchObject({
      status: 1,
      stderr: 'gatewright: no secret on stdin\n',
    });
  });
});

describe('sign --curl', () => {
  it('quotes for the shell', async () => {
    const { stdout } = await bySecret(
      '--timestamp',
      '5',
      '--body',
      `it's`,
      '--curl',
      'post',
      'http://h/a?b[c]=$d',
    );
    expect(stdout).toBe(
      `curl -sS --globoff --request POST 'http://h/a?b[c]=$d' --header 'X-App-Id: shop' --header 'X-Timestamp: 5' --header 'X-Signature: ${hmac(`5\nit's`)}' --header 'Content-Type: application/json' --data-raw 'it'\\''s'\n`,
    );
  });

  it('leaves the body out of a GET without reading stdin', async () => {
    expect((await bySecret('--curl', 'HEAD', 'http://h/')).stdout).toMatch(
      /^curl -sS --globoff --head 'http:\/\/h\/' /,
    );
    expect((await bySecret('--curl', 'GET', 'http://h/')).stdout).not.toContain('--data');
  });

  it('refuses a body that no command line can hold', async () => {
    for (const body of [Buffer.from([0x61, 0]), Buffer.from([0xff])]) {
      await writeFile(join(directory, 'body'), body);
      const env = {
        CREDENTIALS_FILE: join(directory, 'c.age'),
        CREDENTIALS_KEY_FILE: join(directory, 'c.key'),
      };
      await run(['app', 'create', 'shop'], { env });
      const args = ['--app', 'shop', '--curl', 'POST', 'http://h/'];
      expect(await sign(args, { env, stdin: body })).toMatchObject({
        status: 1,
        stderr: expect.stringContaining('name it with --body-file'),
      });
    }
  });

  it('sends, run by a shell, exactly what was signed', async ({ skip }) => {
    const shell = promisify(execFile);
    await shell('curl', ['--version']).catch(() => skip('curl is not installed'));
    const received: { url: string | undefined; signature: unknown; body: string }[] = [];
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const body = Buffer.concat(chunks).toString('latin1');
      received.push({ url: request.url, signature: request.headers['x-signature'], body });
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/p?filter[a]=1&x='y'`;
    const file = join(directory, `it's "a" file`);
    const bytes = Buffer.from([0x40, 0, 0xff, 0x0d, 0x0a, 0x0a]);
    await writeFile(file, bytes);
    const bodies: [string[], Buffer][] = [
      [
        ['--body', '@/etc/hostname\r\n$HOME `id` \'"\\ é\n'],
        Buffer.from('@/etc/hostname\r\n$HOME `id` \'"\\ é\n'),
      ],
      [['--body-file', file], bytes],
      [['--body', ''], Buffer.alloc(0)],
    ];
    try {
      for (const [source, body] of bodies) {
        const { stdout } = await bySecret('--timestamp', '5', ...source, '--curl', 'POST', url);
        await shell('sh', ['-c', `${stdout.trim()} --silent --show-error --noproxy '*'`]);
        expect(received.pop()).toEqual({
          url: "/p?filter[a]=1&x='y'",
          signature: hmac(Buffer.concat([Buffer.from('5\n'), body])),
          body: body.toString('latin1'),
        });
      }
    } finally {
      server.close();
    }
  });
});

describe('sign --http', () => {
  const url = 'https://api.example.com/api/v1/orders?a=1';
  const http = (...args: string[]) =>
    bySecret('--http', '--timestamp', '1767225600', '--nonce', 'n1', '--body', '{"a":1}', ...args);
  const message = [
    '"@method": POST',
    `"@target-uri": ${url}`,
    '"content-digest": sha-256=:AVq9f1zFei3ZS3WQ8ErYCEJzkF7jPsXOvq5iJ2qX+GI=:',
    '"@signature-params": ("@method" "@target-uri" "content-digest");created=1767225600;nonce="n1";keyid="shop";alg="hmac-sha256";tag="gatewright"',
  ].join('\n');

  it('prints the base, the headers, JSON and a curl command', async () => {
    expect((await http('--message', 'post', `${url}#top`)).stdout).toBe(message);
    const signature = createHmac('sha256', secret).update(message).digest('base64');
    const lines = [
      message.split('\n')[2]?.replace('"content-digest"', 'Content-Digest'),
      message.split('\n')[3]?.replace('"@signature-params": ', 'Signature-Input: sig='),
      `Signature: sig=:${signature}:`,
    ];
    expect((await http('POST', url)).stdout).toBe(`${lines.join('\n')}\n`);
    expect(JSON.parse((await http('--json', 'POST', url)).stdout)).toMatchObject({
      Signature: `sig=:${signature}:`,
    });
    const { stdout } = await http('--curl', 'POST', `${url}#top`);
    expect(stdout).toContain(` '${url}' `);
    expect(stdout).toContain(`--header 'Signature: sig=:${signature}:'`);
  });

  it('signs with a private key, and takes another nonce each time', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const file = join(directory, 'key.pem');
    await writeFile(file, privateKey.export({ format: 'pem', type: 'pkcs8' }));
    const given = ['--http', '--app', 'bank', '--key', file, '--body', ''];
    const base = await sign([...given, '--nonce', 'n2', '--message', 'GET', url]);
    const signed = await sign([...given, '--nonce', 'n2', '--json', 'GET', url]);
    const { Signature: text } = JSON.parse(signed.stdout);
    const bytes = Buffer.from(text.slice('sig=:'.length, -1), 'base64');
    expect(verify(null, Buffer.from(base.stdout), publicKey, bytes)).toBe(true);
    expect(base.stdout).toContain('alg="ed25519"');
    const two = [await sign([...given, 'GET', url]), await sign([...given, 'GET', url])];
    expect(two[0]?.stdout).not.toBe(two[1]?.stdout);
  });

  it('refuses what it cannot sign', async () => {
    const file = join(directory, 'key.pem');
    await writeFile(file, '-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2Vw\n-----END PRIVATE KEY-----\n');
    const rsa = join(directory, 'rsa.pem');
    await writeFile(
      rsa,
      generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'pem', type: 'pkcs8' }),
    );
    for (const [args, said] of [
      [['--http', '--app', 'a'], '--http takes METHOD and URL'],
      [['--http', '--app', 'a', '--key', file, 'GET', 'x:y'], "'x:y' is not an http or https URL"],
      [['--http', '--app', 'a', '--key', file, 'GET', 'https://u:p@x/'], 'is not an http or https URL'],
      [['--http', '--app', 'a', '--key', file, 'GET', url], 'holds no Ed25519 private key in PEM'],
      [['--http', '--app', 'a', '--key', rsa, 'GET', url], 'holds no Ed25519 private key in PEM'],
      [['--http', '--app', 'a', '--nonce', 'a b', 'GET', url], '--nonce takes'],
      [['--app', 'a', '--key', file], '--key and --nonce belong to --http'],
      [['--app', 'a', '--nonce', 'x'], '--key and --nonce belong to --http'],
      [['--http', 'GET', url], '--app ID is missing'],
    ] as const) {
      const { status, stderr, stdout } = await sign(args);
      expect([args, status > 0, stderr.includes(said), stdout]).toEqual([args, true, true, '']);
      expect(stderr).not.toContain('MC4CAQ');
    }
  });
});
