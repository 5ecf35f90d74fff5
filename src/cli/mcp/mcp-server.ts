/**
 * A server of the Model Context Protocol over two streams: JSON-RPC 2.0, a message in a line. It serves revision
 * 2026-07-28, where each request carries its version, and clients that begin with `initialize`, up to 2025-11-25.
 */

import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { errorMessage } from '../../kernel/error-message.ts';
import { isJsonObject, type Json, type JsonObject, objectIn, withoutUndefined } from '../../kernel/json.ts';
import { nearestHint } from '../../kernel/options.ts';

/** A tool that only reads. */
export interface ReadingTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The arguments by name: each is a text or a whole number. */
  readonly input: Readonly<Record<string, ToolArgument>>;
}

interface ToolArgument {
  readonly type: 'string' | 'integer';
  readonly description: string;
  readonly required?: true;
}

/** The arguments of a call, checked. */
export type ToolArguments = Readonly<Record<string, string | number>>;

export interface McpOptions {
  readonly version: string;
  readonly instructions: string;
  readonly tools: readonly ReadingTool[];
  /** Runs a tool; an error is its result. The signal is aborted when the client cancels the call. */
  readonly call: (name: string, given: ToolArguments, signal: AbortSignal) => Promise<Json>;
}

export interface McpStreams {
  readonly input: Readable;
  readonly write: (line: string) => void;
}

const modernVersion = '2026-07-28';
/** Revisions with a handshake, the newest first. */
const legacyVersions = ['2025-11-25', '2025-06-18', '2025-03-26'] as const;
const metaPrefix = 'io.modelcontextprotocol/';

/** Longest message in characters: arguments of these tools are short. */
const maxLine = 1_000_000;

/** Milliseconds for which a client may keep the list of tools: it is part of the program. */
const listTtl = 3_600_000;

/** An error of the protocol itself, as JSON-RPC numbers it. */
class ProtocolError extends Error {
  readonly code: number;
  readonly data: Json | undefined;

  constructor(code: number, message: string, data?: Json) {
    super(message);
    this.name = 'ProtocolError';
    this.code = code;
    this.data = data;
  }
}

type RequestId = string | number;

const isRequestId = (value: unknown): value is RequestId =>
  typeof value === 'string' || Number.isSafeInteger(value);

/** True for a request of the revision without a handshake. @throws ProtocolError for one that is incomplete */
const isModern = (params: JsonObject): boolean => {
  const meta = objectIn(params['_meta']);
  const requested = meta[`${metaPrefix}protocolVersion`];
  if (requested === undefined) return false;
  if (requested !== modernVersion)
    throw new ProtocolError(-32022, 'Unsupported protocol version', {
      supported: [modernVersion, ...legacyVersions],
      requested,
    });
  if (!isJsonObject(meta[`${metaPrefix}clientCapabilities`]))
    throw new ProtocolError(-32602, `_meta lacks ${metaPrefix}clientCapabilities`);
  return true;
};

/** A request; a notification without an id. */
interface RpcMessage {
  readonly id: RequestId | undefined;
  readonly method: string;
  readonly params: JsonObject;
}

/** A line that is no message, with its id as far as it has one. */
interface Unreadable {
  readonly id: RequestId | undefined;
  readonly flaw: ProtocolError;
}

const readMessage = (line: string): RpcMessage | Unreadable => {
  let message: unknown;
  try {
    if (line.length > maxLine) throw new Error(`a message has at most ${maxLine} characters`);
    message = JSON.parse(line);
  } catch (error) {
    return { id: undefined, flaw: new ProtocolError(-32700, `not valid JSON: ${errorMessage(error)}`) };
  }
  const { jsonrpc, id, method, params = {} }: JsonObject = isJsonObject(message) ? message : {};
  const known = isRequestId(id) ? id : undefined;
  const hasId = id === undefined || known !== undefined;
  return jsonrpc === '2.0' && typeof method === 'string' && hasId && isJsonObject(params)
    ? { id: known, method, params }
    : { id: known, flaw: new ProtocolError(-32600, 'not a request of JSON-RPC 2.0') };
};

/** The checked arguments of a call. @throws Error that names the argument, for the model that calls */
const checkArguments = ({ name, input }: ReadingTool, given: JsonObject): ToolArguments => {
  for (const key of Object.keys(given))
    if (!Object.hasOwn(input, key))
      throw new Error(`${name} has no argument "${key}"${nearestHint(key, Object.keys(input))}`);
  for (const [key, { type, required }] of Object.entries(input)) {
    const value = given[key];
    if (value === undefined && required === true) throw new Error(`${name} needs the argument "${key}"`);
    if (value === undefined) continue;
    const fits = type === 'string' ? typeof value === 'string' && value !== '' : Number.isSafeInteger(value);
    if (!fits) throw new Error(`"${key}" must be ${type === 'string' ? 'a text' : 'a whole number'}`);
  }
  return given as ToolArguments;
};

const describeTool = ({ name, title, description, input }: ReadingTool): JsonObject => {
  const required = Object.keys(input).filter((key) => input[key]?.required === true);
  return {
    name,
    title,
    description,
    inputSchema: withoutUndefined({
      type: 'object',
      properties: Object.fromEntries(
        Object.entries(input).map(([key, { type, description: about }]) => [
          key,
          { type, description: about },
        ]),
      ),
      required: required.length === 0 ? undefined : required,
      additionalProperties: false,
    }),
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  };
};

const contentOf = (value: Json): JsonObject => ({
  content: [{ type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value, null, 1) }],
});

/** Serves one client until its input ends. */
export class McpServer {
  readonly #options: McpOptions;
  readonly #streams: McpStreams;
  /** Calls in progress. */
  readonly #running = new Map<RequestId, AbortController>();

  constructor(streams: McpStreams, options: McpOptions) {
    this.#streams = streams;
    this.#options = options;
  }

  /** Resolves when the input has ended; calls in progress are aborted then. */
  async serve(): Promise<void> {
    const lines = createInterface({ input: this.#streams.input, crlfDelay: Number.POSITIVE_INFINITY });
    for await (const line of lines) if (line.trim() !== '') this.#receive(line);
    for (const running of this.#running.values()) running.abort();
  }

  #receive(line: string): void {
    const message = readMessage(line);
    if ('flaw' in message) this.#fail(message.id, message.flaw);
    else if (message.id === undefined) this.#notice(message.method, message.params);
    else void this.#answer(message.id, message.method, message.params);
  }

  #notice(method: string, { requestId }: JsonObject): void {
    if (method === 'notifications/cancelled' && isRequestId(requestId)) this.#running.get(requestId)?.abort();
  }

  async #answer(id: RequestId, method: string, params: JsonObject): Promise<void> {
    if (this.#running.has(id))
      return this.#fail(id, new ProtocolError(-32600, `a request with the id ${id} is in progress`));
    const controller = new AbortController();
    this.#running.set(id, controller);
    try {
      const modern = isModern(params);
      const result = await this.#run(method, params, modern, controller.signal);
      if (controller.signal.aborted) return;
      this.#send({ jsonrpc: '2.0', id, result: modern ? this.#complete(result) : result });
    } catch (error) {
      if (!controller.signal.aborted) this.#fail(id, error);
    } finally {
      this.#running.delete(id);
    }
  }

  async #run(method: string, params: JsonObject, modern: boolean, signal: AbortSignal): Promise<JsonObject> {
    const { tools } = this.#options;
    const cached = modern ? { ttlMs: listTtl, cacheScope: 'public' } : {};
    switch (method) {
      case 'initialize':
        return this.#initialize(params);
      case 'server/discover':
        if (!modern) throw new ProtocolError(-32602, `_meta lacks ${metaPrefix}protocolVersion`);
        return { ...this.#about(), supportedVersions: [modernVersion, ...legacyVersions], ...cached };
      case 'ping':
        return {};
      case 'tools/list':
        return { tools: tools.map(describeTool), ...cached };
      case 'tools/call':
        return this.#call(params, signal);
      default:
        throw new ProtocolError(-32601, `there is no method ${method}`);
    }
  }

  async #call({ name, arguments: given = {} }: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const { tools, call } = this.#options;
    const tool = tools.find((each) => each.name === name);
    if (tool === undefined || !isJsonObject(given)) {
      const hint = nearestHint(
        String(name),
        tools.map((each) => each.name),
      );
      const flaw =
        tool === undefined
          ? `there is no tool ${JSON.stringify(name)}${hint}`
          : 'arguments must be an object';
      throw new ProtocolError(-32602, flaw);
    }
    try {
      return contentOf(await call(tool.name, checkArguments(tool, given), signal));
    } catch (error) {
      // A result, not an error of the protocol: the model reads it and can do better.
      return { ...contentOf(errorMessage(error)), isError: true };
    }
  }

  #initialize({ protocolVersion }: JsonObject): JsonObject {
    const version = legacyVersions.find((each) => each === protocolVersion) ?? legacyVersions[0];
    return { protocolVersion: version, serverInfo: this.#info(), ...this.#about() };
  }

  #about(): JsonObject {
    return { capabilities: { tools: {} }, instructions: this.#options.instructions };
  }

  #info(): JsonObject {
    return { name: 'gatewright', version: this.#options.version };
  }

  #complete(result: JsonObject): JsonObject {
    return { resultType: 'complete', ...result, _meta: { [`${metaPrefix}serverInfo`]: this.#info() } };
  }

  #fail(id: RequestId | undefined, error: unknown): void {
    const { code, data } = error instanceof ProtocolError ? error : { code: -32603, data: undefined };
    const shown = withoutUndefined<Json>({ code, message: errorMessage(error), data });
    this.#send(withoutUndefined<Json>({ jsonrpc: '2.0', id, error: shown }));
  }

  #send(message: JsonObject): void {
    this.#streams.write(`${JSON.stringify(message)}\n`);
  }
}
