import type { Socket } from 'node:net';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
  type RouteOptions,
} from 'fastify';
import { nobody, type Principal } from '../auth/method.ts';
import { Problem, type ProblemDetails } from '../kernel/problem.ts';
import type { ProblemName } from '../kernel/problem-table.ts';
import type { Endpoint, HttpMethod } from './endpoint.ts';
import { areaOf, type PageArea, pageFor } from './page-area.ts';
import type { HttpResponse, Pipeline } from './pipeline.ts';
import { type Body, readBody } from './read-body.ts';
import { Request } from './request.ts';
import { send } from './respond.ts';
import { Probe, type Routes } from './routes.ts';

export interface HttpOptions {
  readonly basePath: string;
  readonly bodyLimit: number;
  readonly trustProxy: boolean | number | string[];
  readonly corsOrigins: readonly string[];
  /** Told of the router once it is complete. */
  readonly routes: Routes;
  /** Told of every request before anything is asked of it. */
  readonly onArrival?: (() => void) | undefined;
  /** Gives the counter of an endpoint, which is told of every answer; it must cost next to nothing. */
  readonly counterOf?: ((endpoint: Endpoint) => AnswerCounter | undefined) | undefined;
  /** Where a browser gets a page instead of the envelope. */
  readonly pages?: readonly PageArea[];
  /** Milliseconds that a caller may leave a long answer unread before the connection is cut; 30 s unless given. */
  readonly stall?: number | undefined;
  readonly logger: FastifyBaseLogger;
}

export type AnswerCounter = (principal: Principal, status: number) => void;

const allMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

/** Methods whose body is read; that of any other is left alone. */
const methodsWithBody: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

const noBytes = Buffer.alloc(0);

const receive = (request: FastifyRequest, limit: number): Promise<Body> | Body => {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  const sent = encoding !== undefined || (length !== undefined && length !== '0');
  return sent && methodsWithBody.has(request.method) ? readBody(request.raw, limit) : noBytes;
};

const exposed = ['X-Total-Count', 'Link', 'ETag', 'Retry-After'];
const allowed = [
  ...['Authorization', 'X-Api-Key', 'X-App-Id', 'X-Timestamp', 'X-Signature'],
  ...['Idempotency-Key', 'If-Match', 'If-None-Match', 'Content-Type'],
];

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
    // No logger of its own for each request: it would cost more than the line that it writes.
    childLoggerFactory: (logger) => logger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    trustProxy: trusted(options.trustProxy),
    genReqId: requestIds(),
    requestIdHeader: false,
    http: { headersTimeout: 15_000, requestTimeout: 60_000, maxHeaderSize: 16_384 },
    keepAliveTimeout: 72_000,
    // Longer than anything takes to be answered: what is silent for so long reads nothing, or is not there any more.
    connectionTimeout: 120_000,
    forceCloseConnections: 'idle',
    // What still comes on a connection at a stop is answered like any other: Fastify's own 503 is no envelope.
    return503OnClosing: false,
    clientErrorHandler: answerBrokenRequest(pipeline),
    frameworkErrors: (error, request, reply) => answerError(pipeline, error, request, reply),
    schemaController: { compilersFactory: noCompilers },
    routerOptions: { maxParamLength: 200 },
  });
  // Fastify would judge the media type before anybody has asked who sends the body: `receive` reads it instead.
  for (const method of allMethods) app.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  app.setErrorHandler((error, request, reply) => answerError(pipeline, error, request, reply));
  const { pages = [] } = options;
  app.setNotFoundHandler(async (request, reply) => {
    if (pages.length > 0 && answerPage(areaOf(pages, pathOf(request.url)), request, reply)) return;
    await receive(request, options.bodyLimit);
    send(reply, pipeline.failed(new Problem('path_not_found')));
  });
  app.decorateRequest('pipelineRequest', null);
  app.decorate('stall', options.stall ?? 30_000);
  if (options.corsOrigins.length > 0) await allowOrigins(app, options.corsOrigins);
  if (options.logger.level === 'info' || options.logger.level === 'debug' || options.logger.level === 'trace')
    logRequests(app);
  addRoutes(app, endpoints, pipeline, options);
  options.routes.serveFrom(app);
  return app;
};

const unused = (): never => {
  throw new Error('bodies and answers are the matter of the pipeline');
};

/** Fastify's own validator and serialiser stay unloaded: nothing here has a schema for them. */
const noCompilers = { buildValidator: unused, buildSerializer: unused };

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
    const count = options.counterOf?.(endpoint);
    const taken = methodsOf.get(url) ?? new Set<string>();
    methodsOf.set(url, taken);
    const methods: HttpMethod[] = endpoint.method === 'PATCH' ? ['PATCH', 'PUT'] : [endpoint.method];
    for (const method of methods) taken.add(method);
    if (endpoint.method === 'GET') taken.add('HEAD');
    app.route({
      method: methods,
      url,
      ...pageHook(options, url),
      handler: async (fastifyRequest, reply) => {
        if (fastifyRequest.raw instanceof Probe) {
          reply.hijack();
          fastifyRequest.raw.arrived(endpoint, fastifyRequest.params as Record<string, string>);
          return;
        }
        options.onArrival?.();
        const received = receive(fastifyRequest, options.bodyLimit);
        const body = received instanceof Promise ? await received : received;
        const request = new Request(fastifyRequest, reply.raw, body, model, options.bodyLimit);
        fastifyRequest.pipelineRequest = request;
        const response = await run(request);
        count?.(request.principal, response.status);
        send(reply, response);
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
        ...pageHook(options, url),
        handler: async (request, reply) => {
          await receive(request, options.bodyLimit);
          send(reply, refuse());
        },
      });
  }
};

const pathOf = (url: string): string => {
  const mark = url.indexOf('?');
  return mark < 0 ? url : url.slice(0, mark);
};

/** Answers the page of an area to a browser that asks for one; everybody else's answer varies by that. */
const answerPage = (area: PageArea | undefined, request: FastifyRequest, reply: FastifyReply): boolean => {
  if (area === undefined) return false;
  const others = reply.getHeader('vary');
  reply.header('vary', others === undefined ? 'Accept' : `${String(others)}, Accept`);
  const page = pageFor(area, request.method, request.headers.accept);
  if (page !== undefined) send(reply, page);
  return page !== undefined;
};

/** What a route in an area of pages asks before anything else. */
const pageHook = ({ pages = [] }: HttpOptions, url: string): Pick<RouteOptions, 'onRequest'> => {
  const area = areaOf(pages, url);
  if (area === undefined) return {};
  return {
    onRequest: (request, reply, done) => {
      if (!answerPage(area, request, reply)) done();
    },
  };
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
): void => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const name = Object.hasOwn(frameworkProblems, code) ? frameworkProblems[code] : undefined;
  const gone = request.raw.destroyed || request.raw.readableAborted;
  const known = name ?? (gone ? 'bad_request' : undefined);
  send(reply, pipeline.failed(known === undefined ? error : new Problem(known, { cause: error })));
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
      'Cache-Control: no-store',
      'X-Content-Type-Options: nosniff',
      'Connection: close',
    ];
    socket.end(`${head.join('\r\n')}\r\n\r\n${text}`);
  };

const allowOrigins = async (app: FastifyInstance, origins: readonly string[]): Promise<void> => {
  const { default: cors } = await import('@fastify/cors');
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
        requestId: request.id,
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
