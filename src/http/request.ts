import type { IncomingMessage, ServerResponse } from 'node:http';
import proxyAddress from '@fastify/proxy-addr';
import { nobody, type Principal } from '../auth/method.ts';
import { Problem } from '../kernel/problem.ts';
import type { HttpRequest } from './pipeline.ts';
import { type Body, noBytes } from './read-body.ts';

/** What all requests of a server have in common. */
export interface RequestSettings {
  /** Whether the address at a distance of so many hops is one of our own proxies. */
  readonly trust: (address: string, hop: number) => boolean;
  readonly bodyLimit: number;
  readonly nextId: () => string;
  /** Whether anybody will ask how long a request took. */
  readonly timed: boolean;
}

/** Told of an answer, and of the address that it goes to. */
export type AnswerCounter = (
  principal: Principal,
  status: number,
  request: Pick<HttpRequest, 'address'>,
) => void;

/** One of Node's requests in the pipeline's terms. What costs something is found out when it is asked for. */
export class Request implements HttpRequest {
  readonly raw: IncomingMessage;
  readonly response: ServerResponse;
  readonly method: string;
  /** Time of arrival by `performance.now()`; 0 where nobody will ask. */
  readonly arrived: number;
  params: Readonly<Record<string, string>> = {};
  model: string | undefined;
  /** Path as it was registered. */
  route: string | undefined;
  principal: Principal = nobody;
  /** Whether the answer is another for a browser, by `Accept`. */
  varies = false;
  count: AnswerCounter | undefined;
  body: Body = noBytes;
  readonly #settings: RequestSettings;
  #id: string | undefined;
  #abort: AbortController | undefined;

  constructor(raw: IncomingMessage, response: ServerResponse, settings: RequestSettings) {
    this.raw = raw;
    this.response = response;
    this.method = raw.method ?? '';
    this.arrived = settings.timed ? performance.now() : 0;
    this.#settings = settings;
  }

  get id(): string {
    this.#id ??= this.#settings.nextId();
    return this.#id;
  }

  get url(): string {
    return this.raw.url ?? '';
  }

  get query(): string {
    const { url } = this;
    const mark = url.indexOf('?');
    return mark < 0 ? '' : url.slice(mark + 1);
  }

  get path(): string {
    const { url } = this;
    const end = url.search(/[?#]/);
    const path = end < 0 ? url : url.slice(0, end);
    // A request line may name scheme and host as well (RFC 9112, 3.2.2); links are never made of what a caller says.
    return path.startsWith('/') ? path : path.replace(/^[a-z]+:\/\/[^/]*/i, '');
  }

  get address(): string {
    return proxyAddress(this.raw, this.#settings.trust);
  }

  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      const abort = new AbortController();
      const { response } = this;
      // He may have gone before anybody asked.
      if (response.closed && !response.writableFinished) abort.abort();
      // The response's own event: a connection serves many requests, and a listener of each would stay with it.
      response.once('close', () => {
        if (!response.writableFinished) abort.abort();
      });
      this.#abort = abort;
    }
    return this.#abort.signal;
  }

  cut(reason: Error): void {
    // Whoever writes the answer is told by the end of the response, and logs it.
    this.response.destroy(reason);
  }

  identified(principal: Principal): void {
    this.principal = principal;
  }

  header(name: string): string | undefined {
    const value = this.raw.headers[name];
    if (typeof value !== 'string') return value?.join(', ');
    // Node keeps the first of several Authorization headers; joined like any other, they are refused instead.
    return name === 'authorization' ? everyAuthorization(this.raw, value) : value;
  }

  bytes(): Uint8Array {
    const { body } = this;
    if (body === 'too-large')
      throw new Problem('body_too_large', { params: { limit: this.#settings.bodyLimit } });
    return body;
  }
}

const everyAuthorization = (raw: IncomingMessage, first: string): string => {
  const { rawHeaders } = raw;
  let joined = first;
  let seen = false;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length !== 13 || name.toLowerCase() !== 'authorization') continue;
    if (seen) joined += `, ${rawHeaders[index + 1]}`;
    seen = true;
  }
  return joined;
};
