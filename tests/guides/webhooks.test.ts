import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { newWebhookSecret, signedHeaders } from '../../src/delivery/webhooks/send.ts';
import { root } from '../tour/service.ts';
import { guides } from './pages.ts';

/** The receivers of the guide and of the files that it links to, each asked by what a service sends and by what it does not. */

const directory = mkdtempSync(join(tmpdir(), 'gatewright-receivers-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

interface Language {
  readonly language: string;
  readonly program: string;
  readonly version: string;
  readonly file: string;
  readonly command: (port: string) => readonly string[];
}

const receivers: readonly Language[] = [
  {
    ...{ language: 'ts', program: process.execPath, version: '--version', file: 'receiver.ts' },
    command: () => ['receiver.ts'],
  },
  {
    ...{ language: 'python', program: 'python3', version: '--version', file: 'receiver.py' },
    command: () => ['receiver.py'],
  },
  {
    ...{ language: 'go', program: 'go', version: 'version', file: 'receiver.go' },
    command: () => ['run', 'receiver.go'],
  },
  {
    ...{ language: 'php', program: 'php', version: '--version', file: 'receiver.php' },
    command: (port) => ['-S', `127.0.0.1:${port}`, 'receiver.php'],
  },
];

const freePort = async (): Promise<string> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return String(typeof address === 'object' ? address?.port : 0);
};

const isInstalled = ({ program, version }: Language): boolean => spawnSync(program, [version]).status === 0;

const start = async (
  { language, program, file, command }: Language,
  secret: string,
): Promise<{ readonly url: string; readonly lines: () => readonly string[] }> => {
  const page = guides.find(({ name }) => name === 'webhooks.md');
  const text =
    language === 'ts'
      ? page?.blocks.find((block) => block.language === 'ts')?.text
      : readFileSync(join(root, 'docs/snippets', file), 'utf8');
  if (text === undefined) throw new Error('webhooks.md has no receiver');
  writeFileSync(join(directory, file), text);
  const port = await freePort();
  const child: ChildProcess = spawn(program, command(port), {
    cwd: directory,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], SECRET: secret, HOOK_PORT: port },
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
  onTestFinished(() => {
    // The process that `go run` has started ends as well.
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  });
  let output = '';
  child.stdout?.on('data', (data: Buffer) => {
    output += data.toString();
  });
  const url = `http://127.0.0.1:${port}/`;
  const answers = () =>
    fetch(url, { method: 'POST', body: '{}' }).then(
      ({ status }) => status,
      () => 0,
    );
  await expect.poll(answers, { timeout: 60_000 }).toBe(401);
  return { url, lines: () => output.split('\n').filter((line) => line.startsWith('Order.')) };
};

describe('the receiver of the guide', () => {
  for (const receiver of receivers)
    it.skipIf(!isInstalled(receiver))(
      `the receiver in ${receiver.language} takes what is signed, once, and nothing else (needs ${receiver.program})`,
      async () => {
        const [secret, another] = [newWebhookSecret(), newWebhookSecret()];
        const { url, lines } = await start(receiver, secret);
        const body = JSON.stringify({
          type: 'Order.update',
          data: { id: 7, record: { status: 'paid', note: 'é 中' } },
        });
        const now = Math.floor(Date.now() / 1_000);
        const send = async (headers: Record<string, string>, sent = body): Promise<number> =>
          (await fetch(url, { method: 'POST', headers, body: sent })).status;
        const signed = signedHeaders([secret], 'msg_1', now, body);
        expect([await send(signed), await send(signed)]).toEqual([204, 204]);
        expect(await send(signedHeaders([another, secret], 'msg_2', now, body))).toBe(204);
        expect(await send(signedHeaders([another], 'msg_3', now, body))).toBe(401);
        expect(await send(signedHeaders([secret], 'msg_4', now - 400, body))).toBe(401);
        expect(await send(signedHeaders([secret], 'msg_5', now + 400, body))).toBe(401);
        expect(await send(signed, `${body} `)).toBe(401);
        expect(await send({ ...signed, 'webhook-id': 'msg_6' })).toBe(401);
        expect(await send({ ...signed, 'webhook-timestamp': 'now' })).toBe(401);
        await expect.poll(lines).toEqual(['Order.update 7 paid', 'Order.update 7 paid']);
      },
      90_000,
    );
});
