import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
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
    [['--app', 'shop', '--secret-stdin', '--curl', 'PO ST', 'http://x'], "'PO ST' is no HTTP method"],
    [['--app', 'shop', '--secret-stdin', '--curl', 'GET', 'file:///x'], 'is no http or https URL'],
    [['--app', 'shop', '--secret-stdin', '--curl', 'GET', 'http://x /'], 'is no http or https URL'],
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
