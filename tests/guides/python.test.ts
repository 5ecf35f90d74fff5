import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { command, runService } from '../support/run-service.ts';
import { root } from '../tour/service.ts';
import { guides } from './pages.ts';

const run = promisify(execFile);
const isInstalled = spawnSync('python3', ['--version']).status === 0;

it.skipIf(!isInstalled)(
  'the client in Python calls the operations of a service, and prints what the page shows',
  async () => {
    const page = guides.find(({ name }) => name === 'python.md');
    const blocks = page?.blocks ?? [];
    expect(blocks.map(({ language, file }) => file ?? language)).toEqual(['client.py', 'orders.py', 'text']);
    const service = await runService([...command, 'start'], {
      folder: join(root, 'examples/newsroom'),
      env: { LOCALE: 'en' },
    });
    const URL = `http://127.0.0.1:${service.port}`;
    const post = async (path: string, body: object, headers: Readonly<Record<string, string>> = {}) => {
      const response = await fetch(`${URL}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      });
      const { data } = (await response.json()) as { readonly data: Readonly<Record<string, string>> };
      return data;
    };
    const { token } = await post('/api/v1/auth/login', {
      account: 'admin',
      password: 'tulip-anvil-47 kettle',
    });
    const authorization = { authorization: `Bearer ${token}` };
    const { key: KEY } = await post('/api/v1/api_keys', { api_key: { name: 'python' } }, authorization);
    const directory = await mkdtemp(join(tmpdir(), 'gatewright-python-'));
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    for (const { file, text } of blocks) if (file !== undefined) await writeFile(join(directory, file), text);
    const { stdout } = await run('python3', ['orders.py'], {
      cwd: directory,
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], URL, KEY },
      timeout: 60_000,
    });
    expect(stdout).toBe(blocks.at(-1)?.text);
  },
  120_000,
);
