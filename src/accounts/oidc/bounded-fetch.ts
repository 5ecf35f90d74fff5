/** `fetch` for requests to identity providers, with bounds on size, redirects and connections. */

import type { IncomingMessage } from 'node:http';
import { createWorkQueue } from '../../auth/work-queue.ts';
import { http } from '../../kernel/node-http.ts';

/**
 * Most bytes of a response of an identity provider.
 * @limit Accounts and credentials | a response of an identity provider | bytes | 401 `provider_refused`
 */
const maxResponseBytes = 1_048_576;

/** Requests to one provider at a time, and requests that wait for a place. */
const maxConnections = 8;
const maxWaiting = 200;

/** The request of a library of OpenID Connect, which follows no redirect. */
interface FetchOptions {
  readonly method?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: unknown;
  readonly signal?: AbortSignal | null | undefined;
}

const open = async (url: URL) =>
  url.protocol === 'https:' ? (await import('node:https')).request : http.request;

const send = async (url: URL, { method, headers, body, signal }: FetchOptions): Promise<IncomingMessage> => {
  const request = await open(url);
  const sent: Record<string, string> = { ...headers };
  if (body instanceof URLSearchParams)
    sent['content-type'] ??= 'application/x-www-form-urlencoded;charset=UTF-8';
  return new Promise((resolve, reject) => {
    const outgoing = request(url, {
      method: method ?? 'GET',
      headers: { ...sent, 'accept-encoding': 'identity' },
      agent: false,
      signal: signal ?? undefined,
    });
    outgoing.once('response', resolve);
    outgoing.once('error', reject);
    outgoing.end(body === undefined || body === null ? undefined : String(body));
  });
};

/** @throws Error for an encoded response, of which no byte is read, and beyond the size */
const read = async (incoming: IncomingMessage): Promise<Buffer> => {
  const { 'content-encoding': coding = 'identity', 'content-length': length = '0' } = incoming.headers;
  const tooLong = new Error(`a response has more than ${maxResponseBytes} bytes`);
  try {
    if (coding.trim().toLowerCase() !== 'identity')
      throw new Error(`a response is encoded (${coding.slice(0, 40)}): only an unencoded one is read`);
    if (Number(length) > maxResponseBytes) throw tooLong;
    const chunks: Buffer[] = [];
    let left = maxResponseBytes;
    for await (const chunk of incoming as AsyncIterable<Buffer>) {
      left -= chunk.length;
      if (left < 0) throw tooLong;
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } finally {
    incoming.destroy();
  }
};

/**
 * Creates a `fetch` for one provider, for the libraries of OpenID Connect, which read responses whole. It never decodes
 * a response (the global `fetch` does before its size is known), bounds its size, and bounds the connections.
 */
export const createBoundedFetch = () => {
  const queue = createWorkQueue(maxConnections, maxWaiting);
  return (url: string, options: FetchOptions): Promise<Response> =>
    queue.run({ line: '', signal: options.signal ?? undefined }, async () => {
      const incoming = await send(new URL(url), options);
      const body = await read(incoming);
      const { statusCode: status = 0, headersDistinct } = incoming;
      const headers = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
        values.map((value): [string, string] => [name, value]),
      );
      return new Response([204, 205, 304].includes(status) ? null : new Uint8Array(body), {
        status,
        headers,
      });
    });
};
