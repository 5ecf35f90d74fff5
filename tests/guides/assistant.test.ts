import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { developerTools } from '../../src/cli/mcp/developer-tools.ts';
import { inheritedEnvironment } from '../support/child.ts';
import { createWorkshop, type Workshop } from './workshop.ts';

interface Message {
  readonly id?: number;
  readonly result?: {
    readonly tools?: readonly { readonly name: string }[];
    readonly content?: readonly { readonly text: string }[];
    readonly isError?: boolean;
    readonly [name: string]: unknown;
  };
  readonly error?: { readonly code: number; readonly message: string };
}

/** A client as an editor is one: it starts the command of `.mcp.json`, and speaks over its streams. */
class Assistant {
  readonly process: ChildProcess;
  /** Lines of stdout that are no message. */
  readonly strange: string[] = [];
  readonly #waiting = new Map<number, (message: Message) => void>();
  #last = 0;

  constructor(child: ChildProcess) {
    this.process = child;
    if (child.stdout === null) throw new Error('it has no stdout');
    createInterface({ input: child.stdout }).on('line', (line) => {
      try {
        const message = JSON.parse(line) as Message;
        this.#waiting.get(message.id ?? 0)?.(message);
      } catch {
        this.strange.push(line);
      }
    });
  }

  ask(method: string, params: object = {}): Promise<Message> {
    this.#last += 1;
    const id = this.#last;
    const answered = new Promise<Message>((resolve) => this.#waiting.set(id, resolve));
    this.process.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    return answered;
  }

  /** The text of a tool's result. @throws Error with the text where it is an error */
  async call(name: string, given: object = {}): Promise<string> {
    const { result, error } = await this.ask('tools/call', { name, arguments: given });
    const text = error?.message ?? result?.content?.[0]?.text ?? '';
    if (error !== undefined || result?.isError === true) throw new Error(text);
    return text;
  }

  async json(name: string, given: object = {}) {
    return JSON.parse(await this.call(name, given));
  }
}

let workshop: Workshop;
let folder: string;
let assistant: Assistant;
const running: ChildProcess[] = [];

const start = (args: readonly string[], stdin: 'pipe' | 'ignore'): ChildProcess => {
  const child = spawn(join(folder, '../../node_modules/.bin/gatewright'), args, {
    cwd: folder,
    env: {
      ...inheritedEnvironment(),
      HOME: process.env['HOME'],
      PORT: '0',
      ADMIN_PASSWORD: 'tulip-anvil-47 kettle',
      PAY_SECRET: 'between the two of us',
      LOCALE: 'zh-CN',
    },
    stdio: [stdin, 'pipe', 'inherit'],
  });
  running.push(child);
  return child;
};

/** Starts the shop beside the assistant, as its developer does. Returns its address. */
const startShop = async (): Promise<string> => {
  const child = start(['start'], 'ignore');
  if (child.stdout === null) throw new Error('it has no stdout');
  for await (const line of createInterface({ input: child.stdout })) {
    const [, origin] = /Gatewright answers on (\S+)/.exec(line) ?? [];
    if (origin !== undefined) return origin;
  }
  throw new Error('the shop did not start');
};

beforeAll(async () => {
  workshop = await createWorkshop();
  folder = await workshop.copy('shop', 'app');
  assistant = new Assistant(start(['dev', '--mcp'], 'pipe'));
});

afterAll(async () => {
  for (const child of running) child.kill('SIGKILL');
  await workshop.remove();
});

it('an assistant is greeted, and sees the tools', async () => {
  const client = { name: 'test', version: '1' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: client };
  const { result } = await assistant.ask('initialize', params);
  expect(result).toMatchObject({ protocolVersion: '2025-11-25', serverInfo: { name: 'gatewright' } });
  const { result: listed } = await assistant.ask('tools/list');
  expect(listed?.tools?.map(({ name }) => name)).toEqual(developerTools.map(({ name }) => name));
});

it('models and routes are those of the files as they are now', async () => {
  const models = await assistant.json('models');
  expect(models.map(({ name }: { name: string }) => name)).toContain('OrderLine');
  const [product] = await assistant.json('models', { name: 'Product' });
  expect(product.fields).toContainEqual(expect.objectContaining({ name: 'sku', type: 'string' }));
  expect(await assistant.call('routes')).toMatch(/^ {2}GET +\/api\/v1\/products +/m);
  const file = join(folder, 'resources/product.ts');
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace('sku: ', 'bar_code: field.string(),\n    sku: '));
  const [changed] = await assistant.json('models', { name: 'Product' });
  expect(changed.fields).toContainEqual(expect.objectContaining({ name: 'bar_code' }));
  await writeFile(file, text.replace('sku: ', 'sku: 7 +'));
  await expect(assistant.call('models')).rejects.toThrow(/product\.ts/);
  await writeFile(file, text);
});

it('explanations say how to make a database where there is none', async () => {
  for (const [name, given] of [
    ['explain', { method: 'GET', path: '/api/v1/orders' }],
    ['refusals', {}],
  ] as const)
    await expect(assistant.call(name, given)).rejects.toThrow(/no database yet: npx gatewright dev/);
});

it('a request is explained, and a refusal is listed, while the service runs', async () => {
  const origin = await startShop();
  const ask = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(origin + path, init);
    return { status: response.status, data: ((await response.json()) as { data: { token: string } }).data };
  };
  const json = { 'content-type': 'application/json' };
  const body = JSON.stringify({ account: 'admin', password: 'tulip-anvil-47 kettle' });
  const { data } = await ask('/api/v1/auth/login', { method: 'POST', headers: json, body });
  const admin = { ...json, authorization: `Bearer ${data.token}` };
  const user = {
    username: 'ann',
    email: 'ann@example.com',
    name: 'Ann',
    password: 'walnut-harbour-61',
    roles: ['viewer'],
  };
  const made = await ask('/admin/users', { method: 'POST', headers: admin, body: JSON.stringify({ user }) });
  expect(made.status).toBe(201);
  const refused = await assistant.json('explain', { method: 'post', path: '/api/v1/products', user: 'ann' });
  expect(refused).toMatchObject({
    allowed: false,
    status: 403,
    decided_by: 'permission',
    caller: { name: 'ann' },
  });
  const anonymous = await assistant.json('explain', { method: 'GET', path: '/api/v1/orders' });
  expect(anonymous).toMatchObject({ allowed: false, status: 401, decided_by: 'authentication' });
  await expect(assistant.call('explain', { method: 'GET', path: '/', user: 'bob' })).rejects.toThrow(
    'no user bob',
  );
  await expect(assistant.call('explain', { method: 'GET', path: '/', api_key_id: 9 })).rejects.toThrow(
    'no such caller',
  );

  const account = JSON.stringify({ account: 'ann', password: user.password });
  const ann = (await ask('/api/v1/auth/login', { method: 'POST', headers: json, body: account })).data.token;
  const attempt = await ask('/api/v1/products', {
    method: 'POST',
    headers: { ...json, authorization: `Bearer ${ann}` },
    body: JSON.stringify({ product: { sku: 'TEA' } }),
  });
  expect(attempt.status).toBe(403);
  await expect
    .poll(() => assistant.json('refusals', { limit: 1 }), { timeout: 40_000, interval: 1_000 })
    .toEqual([
      expect.objectContaining({ caller_name: 'ann', method: 'POST', path: '/api/v1/products', status: 403 }),
    ]);
}, 120_000);

it('the documents are searched, with the file of each section', async () => {
  const found = await assistant.json('search_docs', { query: 'restricted unless', limit: 3 });
  expect(found).toHaveLength(3);
  expect(found[0].text).toMatch(/restricted/);
  expect(await readFile(found[0].file, 'utf8')).toContain('restricted');
  expect(await assistant.json('search_docs', { query: 'xyzzyx' })).toEqual([]);
});

it('wrong calls are named, and end nothing', async () => {
  await expect(assistant.call('model')).rejects.toThrow('there is no tool "model": the nearest is "models"');
  await expect(assistant.call('models', { name: 'Ordr' })).rejects.toThrow('there is no model Ordr');
  await expect(assistant.call('search_docs')).rejects.toThrow('needs the argument "query"');
  await expect(assistant.call('refusals', { limit: 1_000 })).rejects.toThrow('limit is 1 to 100');
  expect((await assistant.ask('resources/list')).error).toMatchObject({ code: -32601 });
  expect((await assistant.ask('ping')).result).toEqual({});
});

it('stdout has messages only, and the process ends with its input', async () => {
  expect(assistant.strange).toEqual([]);
  const ended = once(assistant.process, 'exit');
  assistant.process.stdin?.end();
  expect(await ended).toEqual([0, null]);
});
