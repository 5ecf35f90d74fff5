import { PassThrough } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Json, JsonObject } from '../../kernel/json.ts';
import { McpServer, type ReadingTool, type ToolArguments } from './mcp-server.ts';

const tools: readonly ReadingTool[] = [
  {
    name: 'look',
    title: 'Look',
    description: 'Looks.',
    input: {
      word: { type: 'string', description: 'a word', required: true },
      limit: { type: 'integer', description: 'a number' },
    },
  },
];

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** A client of a server in this process: a line in, and the messages so far. */
const connect = (call: (name: string, given: ToolArguments, signal: AbortSignal) => Promise<Json>) => {
  const input = new PassThrough();
  const sent: JsonObject[] = [];
  const server = new McpServer(
    { input, write: (line) => sent.push(JSON.parse(line)) },
    { version: '1.2.3', instructions: 'Read.', tools, call },
  );
  const served = server.serve();
  onTestFinished(async () => {
    input.end();
    await served;
  });
  let id = 0;
  const write = (text: string): void => void input.write(`${text}\n`);
  return {
    write,
    sent,
    next: async (count = 1) => {
      await expect.poll(() => sent.length).toBeGreaterThanOrEqual(count);
      return sent;
    },
    ask: async (method: string, params?: JsonObject): Promise<JsonObject> => {
      id += 1;
      const own = id;
      write(JSON.stringify({ jsonrpc: '2.0', id: own, method, params }));
      await expect.poll(() => sent.find((each) => each['id'] === own)).toBeDefined();
      return sent.find((each) => each['id'] === own) ?? {};
    },
  };
};

const echo = async (name: string, given: ToolArguments): Promise<Json> => ({ name, given });

describe('a server of the Model Context Protocol', () => {
  it('greets a client that begins with initialize, in its version or the newest one with a handshake', async () => {
    const client = connect(echo);
    const params = { capabilities: {}, clientInfo: { name: 'test', version: '1' } };
    const greeted = await client.ask('initialize', { ...params, protocolVersion: '2025-06-18' });
    expect(greeted['result']).toEqual({
      protocolVersion: '2025-06-18',
      serverInfo: { name: 'gatewright', version: '1.2.3' },
      capabilities: { tools: {} },
      instructions: 'Read.',
    });
    const other = await client.ask('initialize', { ...params, protocolVersion: '1999-01-01' });
    expect(other['result']).toMatchObject({ protocolVersion: '2025-11-25' });
    client.write('{"jsonrpc":"2.0","method":"notifications/initialized"}');
    expect((await client.ask('ping'))['result']).toEqual({});
    expect(client.sent).toHaveLength(3);
  });

  it('serves a client that sends its version with every request', async () => {
    const client = connect(echo);
    const found = await client.ask('server/discover', { _meta: meta });
    expect(found['result']).toEqual({
      resultType: 'complete',
      supportedVersions: ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26'],
      capabilities: { tools: {} },
      instructions: 'Read.',
      ttlMs: 3_600_000,
      cacheScope: 'public',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'gatewright', version: '1.2.3' } },
    });
    const listed = await client.ask('tools/list', { _meta: meta });
    expect(listed['result']).toMatchObject({ resultType: 'complete', cacheScope: 'public' });
    const called = await client.ask('tools/call', { name: 'look', arguments: { word: 'a' }, _meta: meta });
    expect(called['result']).toMatchObject({ resultType: 'complete', content: [{ type: 'text' }] });
    const version = { ...meta, 'io.modelcontextprotocol/protocolVersion': '2031-01-01' };
    expect((await client.ask('tools/list', { _meta: version }))['error']).toMatchObject({
      code: -32022,
      data: { requested: '2031-01-01', supported: expect.arrayContaining(['2026-07-28']) },
    });
    const { 'io.modelcontextprotocol/clientCapabilities': _, ...partial } = meta;
    expect((await client.ask('tools/list', { _meta: partial }))['error']).toMatchObject({ code: -32602 });
  });

  it('lists its tools with their arguments, as tools that only read', async () => {
    const client = connect(echo);
    expect((await client.ask('tools/list'))['result']).toEqual({
      tools: [
        {
          name: 'look',
          title: 'Look',
          description: 'Looks.',
          inputSchema: {
            type: 'object',
            properties: {
              word: { type: 'string', description: 'a word' },
              limit: { type: 'integer', description: 'a number' },
            },
            required: ['word'],
            additionalProperties: false,
          },
          annotations: {
            readOnlyHint: true,
            destructiveHint: false,
            idempotentHint: true,
            openWorldHint: false,
          },
        },
      ],
    });
  });

  it.each([
    [{ word: 'a', wrod: 'b' }, 'look has no argument "wrod": the nearest is "word"'],
    [{}, 'look needs the argument "word"'],
    [{ word: 7 }, '"word" must be a text'],
    [{ word: 'a', limit: 1.5 }, '"limit" must be a whole number'],
    [{ word: 'fail' }, 'the tool failed'],
  ])('returns a wrong call as a result that the model can read: %j', async (given, message) => {
    const client = connect(async (name, values) => {
      if (values['word'] === 'fail') throw new Error('the tool failed');
      return echo(name, values);
    });
    const { result } = await client.ask('tools/call', { name: 'look', arguments: given });
    expect(result).toEqual({ content: [{ type: 'text', text: message }], isError: true });
  });

  it.each([
    ['{', -32700],
    ['x'.repeat(1_000_001), -32700],
    ['[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600],
    ['{"id":1,"method":"ping"}', -32600],
    ['{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600],
    ['{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', -32600],
    ['{"jsonrpc":"2.0","id":1,"method":"resources/list"}', -32601],
    ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"lok"}}', -32602],
    ['{"jsonrpc":"2.0","id":1,"method":"server/discover"}', -32602],
  ])('refuses %.60s with %i, and goes on', async (line, code) => {
    const client = connect(echo);
    client.write(line);
    const [refused] = await client.next();
    expect(refused).toMatchObject({
      jsonrpc: '2.0',
      error: { code, message: expect.stringMatching(/\w{3}/) },
    });
    client.write('{"jsonrpc":"2.0","id":2,"method":"ping"}');
    expect((await client.next(2))[1]).toEqual({ jsonrpc: '2.0', id: 2, result: {} });
  });

  it('ends a call that the client cancels, without a message', async () => {
    const aborted: string[] = [];
    const client = connect(
      (name, _, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            aborted.push(name);
            reject(new Error('cancelled'));
          });
        }),
    );
    client.write(
      '{"jsonrpc":"2.0","id":"one","method":"tools/call","params":{"name":"look","arguments":{"word":"a"}}}',
    );
    client.write('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"one"}}');
    await expect.poll(() => aborted).toEqual(['look']);
    expect((await client.ask('ping'))['result']).toEqual({});
    expect(client.sent).toHaveLength(1);
  });
});
