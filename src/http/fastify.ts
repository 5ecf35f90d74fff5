import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import cors from '@fastify/cors';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { nobody, type Principal } from '../auth/method.ts';
import { Problem, type ProblemDetails } from '../kernel/problem.ts';
import type { ProblemName } from '../kernel/problem-table.ts';
import type { Endpoint, HttpMethod } from './endpoint.ts';
import type { HttpRequest, HttpResponse, Pipeline } from './pipeline.ts';
import { type Body, readBody } from './read-body.ts';
import { Probe, type Routes } from './routes.ts';
import { Probe, type Routes } from './routes.ts';
import { sendPieces } from './send-pieces.ts';

export interface HttpOptions {
  readonly basePath: string;
  readonly bodyLimit: number;
  readonly trustProxy: boolean | number | string[];
  readonly corsOrigins: readonly string[];
  /** Told of the router once it is complete. */
  readonly routes: Routes;
  /** Told of the router once it is complete. */
  readonly routes: Routes;
  readonly logger: FastifyBaseLogger;
}

const allMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

/** Methods whose body is read; that of any other is left alone. */
const methodsWithBody: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

const noBytes = Buffer.alloc(0);

const receive = (request: FastifyRequest, limit: number): Promise<Body> | Body => {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  const sent = encoding !== undefined || (length !== undefined && length !== '0');
  return sent && methodsWithBody.has(request.method) ? readBody(request.raw, limit) : noBytes;
};

/** Headers of every answer. */
const security = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

const exposed = ['X-Total-Count', 'Link', 'ETag', 'Retry-After'];
const allowed = [
  ...['Authorization', 'X-Api-Key', 'X-App-Id', 'X-Timestamp', 'X-Signature'],
  ...['Idempotency-Key', 'If-Match', 'If-None-Match', 'Content-Type'],
];

/** A Fastify request in the pipeline's terms. */
class Request implements HttpRequest {
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
    const mark = url.indexOf('?');
    return mark < 0 ? url : url.slice(0, mark);
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

declare module 'fastify' {
  interface FastifyRequest {
    /** Set once the pipeline has taken the request; read by the request line of the log. */
    pipelineRequest: { readonly principal: Principal } | null;
  }
}

/** Builds the server that runs endpoints through the pipeline. Nothing else in the service knows Fastify. */
export const createHttpServer = async (
  endpoints: readonly Endpoint[],
  pipeline: Pipeline,
  options: HttpOptions,
): Promise<FastifyInstance> => {
  const app = Fastify({
    loggerInstance: options.logger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    trustProxy: trusted(options.trustProxy),
    genReqId: requestIds(),
    requestIdHeader: false,
    http: { headersTimeout: 15_000, requestTimeout: 60_000, maxHeaderSize: 16_384 },
    keepAliveTimeout: 72_000,
    forceCloseConnections: 'idle',
    clientErrorHandler: answerBrokenRequest(pipeline),
    frameworkErrors: (error, request, reply) => answerError(pipeline, error, request, reply),
    routerOptions: { maxParamLength: 200 },
  });
  // Fastify would judge the media type before anybody has asked who sends the body: `receive` reads it instead.
  for (const method of allMethods) app.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  app.setErrorHandler((error, request, reply) => answerError(pipeline, error, request, reply));
  app.setNotFoundHandler(async (request, reply) => {
    await receive(request, options.bodyLimit);
    return send(reply, pipeline.failed(new Problem('path_not_found')));
  });
  app.decorateRequest('pipelineRequest', null);
  if (options.corsOrigins.length > 0) await useCors(app, options.corsOrigins);
  if (options.logger.level === 'info' || options.logger.level === 'debug' || options.logger.level === 'trace')
    logRequests(app);
  addRoutes(app, endpoints, pipeline, options);
  options.routes.serveFrom(app);
  options.routes.serveFrom(app);
  return app;
};

/** A number of hops as proxy-addr asks for it: the nearest `hops` addresses are believed. */
const trusted = (trust: HttpOptions['trustProxy']) =>
  typeof trust === 'number' ? (_address: string, hop: number) => hop < trust : trust;

/** Ids that differ between processes and are cheap to make. */
const requestIds = (): (() => string) => {
  const process = crypto.randomUUID().slice(0, 8);
  let count = 0;
  return () => `${process}-${(++count).toString(36)}`;
};

const addRoutes = (
  app: FastifyInstance,
  endpoints: readonly Endpoint[],
  pipeline: Pipeline,
  options: HttpOptions,
): void => {
  const methodsOf = new Map<string, Set<string>>();
  for (const endpoint of endpoints) {
    const run = pipeline.serve(endpoint);
    const model = endpoint.policy.kind === 'resource' ? endpoint.policy.model.name : endpoint.grantsOn;
    const url = options.basePath + endpoint.path;
    const taken = methodsOf.get(url) ?? new Set<string>();
    methodsOf.set(url, taken);
    const methods: HttpMethod[] = endpoint.method === 'PATCH' ? ['PATCH', 'PUT'] : [endpoint.method];
    for (const method of methods) taken.add(method);
    if (endpoint.method === 'GET') taken.add('HEAD');
    app.route({
      method: methods,
      url,
      handler: async (fastifyRequest, reply) => {
        if (fastifyRequest.raw instanceof Probe) {
          fastifyRequest.raw.arrived(endpoint, fastifyRequest.params as Record<string, string>);
          return reply.hijack();
        }
        const body = await receive(fastifyRequest, options.bodyLimit);
        if (fastifyRequest.raw instanceof Probe) {
          fastifyRequest.raw.arrived(endpoint, fastifyRequest.params as Record<string, string>);
          return reply.hijack();
        }
        const request = new Request(fastifyRequest, reply.raw, body, model, options.bodyLimit);
        fastifyRequest.pipelineRequest = request;
        return send(reply, await run(request));
      },
    });
  }
  for (const [url, taken] of methodsOf) {
    const others = allMethods.filter((method) => !taken.has(method));
    const allow = allMethods.filter((method) => taken.has(method)).join(', ');
    const refuse = (): HttpResponse =>
      pipeline.failed(new Problem('method_not_allowed', { headers: { Allow: allow } }));
    if (others.length > 0)
      app.route({
        method: others,
        url,
        handler: async (request, reply) => {
          await receive(request, options.bodyLimit);
          return send(reply, refuse());
        },
      });
  }
};

/** Writes an answer. Every answer of the service, errors included, passes here. */
const send = (reply: FastifyReply, response: HttpResponse): FastifyReply => {
  if (reply.request.raw instanceof Probe) {
    reply.request.raw.refused(response);
    return reply.hijack();
  }
  if (reply.request.raw instanceof Probe) {
    reply.request.raw.refused(response);
    return reply.hijack();
  }
  if (response.failure !== undefined) reply.log.error({ err: response.failure }, 'request failed');
  reply
    .code(response.status)
    .headers(security)
    .headers(response.headers as Record<string, string>);
  if (response.status >= 500) reply.header('x-request-id', reply.request.id);
  if (response.status === 413) reply.header('connection', 'close');
  if (response.status === 304) return reply.send();
  reply.header('content-type', response.type);
  const { body } = response;
  if (typeof body === 'string' || body instanceof Uint8Array) return reply.send(body);
  sendPieces(reply, body);
  return reply;
};

/** Errors of Fastify itself: the URL cannot be decoded or goes on for too long. */
const frameworkProblems: Readonly<Record<string, ProblemName>> = {
  FST_ERR_BAD_URL: 'bad_request',
  FST_ERR_MAX_PARAM_LENGTH: 'path_not_found',
};

const answerError = (
  pipeline: Pipeline,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const name = Object.hasOwn(frameworkProblems, code) ? frameworkProblems[code] : undefined;
  if (name !== undefined) return send(reply, pipeline.failed(new Problem(name, { cause: error })));
  if (request.raw.destroyed || request.raw.readableAborted)
    return send(reply, pipeline.failed(new Problem('bad_request', { cause: error })));
  return send(reply, pipeline.failed(error));
};

const brokenRequests: Readonly<Record<string, ProblemName>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/** Bytes that are no HTTP request never reach a route: the envelope is written to the socket itself. */
const answerBrokenRequest =
  (pipeline: Pipeline) =>
  (error: Error & { code?: string }, socket: Socket): void => {
    if (!socket.writable || error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    const details: ProblemDetails = { cause: error };
    const name = brokenRequests[error.code ?? ''] ?? 'bad_request';
    const { status, type, body } = pipeline.failed(new Problem(name, details));
    const text = String(body);
    const head = [
      `HTTP/1.1 ${status} ${name}`,
      `Content-Type: ${type}`,
      `Content-Length: ${Buffer.byteLength(text)}`,
      ...Object.entries(security).map(([header, value]) => `${header}: ${value}`),
      'Connection: close',
    ];
    socket.end(`${head.join('\r\n')}\r\n\r\n${text}`);
  };

const useCors = async (app: FastifyInstance, origins: readonly string[]): Promise<void> => {
  await app.register(cors, {
    origin: [...origins],
    credentials: false,
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowedHeaders: allowed,
    exposedHeaders: exposed,
    maxAge: 600,
  });
};

/** One line a request: no address with its query, no header, no body, so nothing secret can be in it. */
const logRequests = (app: FastifyInstance): void => {
  app.addHook('onResponse', (request, reply, done) => {
    const principal = request.pipelineRequest?.principal ?? nobody;
    request.log.info(
      {
        method: request.method,
        route: request.routeOptions.url ?? null,
        status: reply.statusCode,
        milliseconds: Math.round(reply.elapsedTime * 1000) / 1000,
        auth: principal.kind === 'nobody' ? null : principal.method,
        principal:
          principal.kind === 'user'
            ? principal.id
            : principal.kind === 'application'
              ? principal.appId
              : null,
      },
      'request',
    );
    done();
  });
};
