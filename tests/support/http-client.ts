import { Agent, type IncomingHttpHeaders, type IncomingMessage, request as nodeRequest } from 'node:http';

/** An answer as it came over the wire. */
export interface Answer<Data = Record<string, unknown>> {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The envelope; reading it fails the test where the body is no JSON. */
  readonly json: { readonly code: number; readonly message: string; readonly data?: Data };
  /** Payload of a success, or of a validation error; reading it fails the test where there is none. */
  readonly data: Data;
}

/** The parts of a request. Everything absent is not sent. */
export interface RequestOptions {
  /** A token, or its owner: `Authorization: Bearer …`. */
  readonly token?: string | { readonly token: string } | undefined;
  /** `X-Api-Key`. */
  readonly key?: string | undefined;
  /** `Cookie`. */
  readonly cookie?: string | undefined;
  /** Sent as it is where it is text or bytes, else as JSON. `Content-Type` is JSON unless `headers` names another. */
  readonly body?: unknown;
  /** Sends the body without a length, in pieces of this many bytes. */
  readonly chunked?: number;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
}

export interface HttpClient {
  request<Data = Record<string, unknown>>(
    method: string,
    path: string,
    options?: RequestOptions,
  ): Promise<Answer<Data>>;
  close(): void;
}

const bytesOf = (body: unknown): Buffer | undefined => {
  if (body === undefined) return undefined;
  if (body instanceof Uint8Array) return Buffer.from(body);
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
};

const headersOf = (
  { token, key, cookie, headers, chunked }: RequestOptions,
  bytes: Buffer | undefined,
): Record<string, string | string[]> => {
  const sent: Record<string, string | string[]> = {};
  if (token !== undefined)
    sent['authorization'] = `Bearer ${typeof token === 'string' ? token : token.token}`;
  if (key !== undefined) sent['x-api-key'] = key;
  if (cookie !== undefined) sent['cookie'] = cookie;
  if (bytes !== undefined) {
    sent['content-type'] = 'application/json';
    if (chunked === undefined) sent['content-length'] = String(bytes.length);
    else sent['transfer-encoding'] = 'chunked';
  }
  for (const [name, value] of Object.entries(headers ?? {}))
    sent[name.toLowerCase()] = typeof value === 'string' ? value : [...value];
  return sent;
};

const textOf = async (message: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
};

const answerOf = <Data>(message: IncomingMessage, text: string): Answer<Data> => {
  const parse = (): Answer<Data>['json'] => {
    try {
      return JSON.parse(text) as Answer<Data>['json'];
    } catch (cause) {
      throw new Error(`${message.statusCode} with a body that is not JSON: ${text.slice(0, 200)}`, { cause });
    }
  };
  return {
    status: message.statusCode ?? 0,
    headers: message.headers,
    text,
    get json() {
      return parse();
    },
    get data() {
      const { data } = parse();
      if (data === undefined) throw new Error(`${message.statusCode} without data: ${text.slice(0, 200)}`);
      return data;
    },
  };
};

/** Speaks HTTP with nothing added: a path is sent as it is spelt, a header as it is given. */
export const httpClient = (origin: string): HttpClient => {
  const { hostname, port } = new URL(origin);
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  const send = <Data>(method: string, path: string, options: RequestOptions): Promise<Answer<Data>> =>
    new Promise((resolve, reject) => {
      const bytes = bytesOf(options.body);
      const outgoing = nodeRequest(
        { hostname, port, method, path, agent, headers: headersOf(options, bytes) },
        (message) => {
          textOf(message).then((text) => resolve(answerOf<Data>(message, text)), reject);
        },
      );
      outgoing.on('error', reject);
      if (options.chunked !== undefined && bytes !== undefined)
        for (let start = 0; start < bytes.length; start += options.chunked)
          outgoing.write(bytes.subarray(start, start + options.chunked));
      if (options.chunked === undefined && bytes !== undefined) outgoing.write(bytes);
      outgoing.end();
    });
  return {
    request: (method, path, options = {}) => send(method, path, options),
    close: () => agent.destroy(),
  };
};
