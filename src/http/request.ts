import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { nobody, type Principal } from '../auth/method.ts';
import { Problem } from '../kernel/problem.ts';
import type { HttpRequest } from './pipeline.ts';
import type { Body } from './read-body.ts';

/** A Fastify request in the pipeline's terms. */
export class Request implements HttpRequest {
  readonly method: string;
  readonly model: string | undefined;
  principal: Principal = nobody;
  readonly #request: FastifyRequest;
  readonly #response: ServerResponse;
  readonly #body: Body;
  readonly #bodyLimit: number;
  #abort: AbortController | undefined;

  constructor(
    request: FastifyRequest,
    response: ServerResponse,
    body: Body,
    model: string | undefined,
    bodyLimit: number,
  ) {
    this.#request = request;
    this.#response = response;
    this.#body = body;
    this.#bodyLimit = bodyLimit;
    this.method = request.method;
    this.model = model;
  }

  get id(): string {
    return this.#request.id;
  }

  get params(): Readonly<Record<string, string>> {
    return this.#request.params as Readonly<Record<string, string>>;
  }

  get query(): string {
    const { url } = this.#request;
    const mark = url.indexOf('?');
    return mark < 0 ? '' : url.slice(mark + 1);
  }

  get path(): string {
    const { url } = this.#request;
    const end = url.search(/[?#]/);
    const path = end < 0 ? url : url.slice(0, end);
    // A request line may name scheme and host as well (RFC 9112, 3.2.2); links are never made of what a caller says.
    return path.startsWith('/') ? path : path.replace(/^[a-z]+:\/\/[^/]*/i, '');
  }

  get address(): string {
    return this.#request.ip;
  }

  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      const abort = new AbortController();
      const response = this.#response;
      // The response's own event: a connection serves many requests, and a listener of each would stay with it.
      response.once('close', () => {
        if (!response.writableFinished) abort.abort();
      });
      this.#abort = abort;
    }
    return this.#abort.signal;
  }

  identified(principal: Principal): void {
    this.principal = principal;
  }

  header(name: string): string | undefined {
    const value = this.#request.headers[name];
    if (typeof value !== 'string') return value?.join(', ');
    // Node keeps the first of several Authorization headers; joined like any other, they are refused instead.
    return name === 'authorization' ? everyAuthorization(this.#request.raw, value) : value;
  }

  bytes(): Uint8Array {
    const body = this.#body;
    if (body === 'too-large') throw new Problem('body_too_large', { params: { limit: this.#bodyLimit } });
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
