/** Builds the HTTP server: it connects Node's server, connections, limits and the pipeline. */

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { networksOf, proxyNetworks } from '../auth/client-network.ts';
import { credentialHeaders, offeredMethods } from '../auth/registry.ts';
import { runAs } from '../kernel/current-work.ts';
import type { Languages } from '../kernel/messages.ts';
import { http } from '../kernel/node-http.ts';
import { Problem } from '../kernel/problem.ts';
import type { ProblemName } from '../kernel/problem-table.ts';
import { neverStopping, type Stopping } from '../kernel/stopping.ts';
import { namesRelations } from '../records/list.ts';
import { Arrivals, BodyMemory } from './body.ts';
import { BrokenRequests } from './broken-requests.ts';
import { grantModelsOf } from './call.ts';
import { Connections, isPastMaxAge } from './connections.ts';
import { compressed } from './content-coding.ts';
import { Cors, isPreflight } from './cors.ts';
import type { Endpoint } from './endpoint.ts';
import { areaOf, type PageArea, pageFor } from './page-area.ts';
import type { HttpResponse, Pipeline } from './pipeline.ts';
import {
  type AnswerCounter,
  type AnswerObserver,
  createRequestIds,
  isHost,
  observeAnswer,
  Request,
  type RequestSettings,
  type Trust,
} from './request.ts';
import { RequestLines, Responder } from './respond.ts';
import { allMethods, type Routes } from './routes.ts';
import { stopHttp } from './stopping.ts';
import type { UploadFolders } from './uploads.ts';

export interface HttpOptions {
  /** Public address; https adds `Strict-Transport-Security` to every response. */
  readonly baseUrl: string;
  readonly basePath: string;
  readonly languages: Languages;
  /** Bytes of one body. */
  readonly bodyLimit: number;
  /** Bytes of all bodies that are held at the same time. */
  readonly bodyMemory: number;
  /** Connections that may be open at the same time. */
  readonly maxConnections: number;
  /** A connection is closed with its first response after 50 to 100 % of this time; never unless given. */
  readonly maxConnectionAgeMs?: number | undefined;
  /** Proxies whose `X-Forwarded-For` is trusted: none, all, that number of hops, or addresses and ranges. */
  readonly trustProxy: boolean | number | string[];
  readonly corsOrigins: readonly string[];
  /** Headers beside the general ones that scripts of these origins may send and read. */
  readonly corsHeaders?: readonly string[] | undefined;
  /** An empty table, to which the endpoints are added. */
  readonly routes: Routes;
  /** Called before each batch of requests starts. */
  readonly onArrivals?: (() => void) | undefined;
  /** Wraps the processing of each request: in a span, where tracing is on. */
  readonly around?: ((request: Request, respond: () => Promise<void>) => Promise<void>) | undefined;
  /** Returns the counter of an endpoint, which is called for every response and has to be cheap. */
  readonly counterOf?: ((endpoint: Endpoint) => AnswerCounter | undefined) | undefined;
  /** Returns the observer of an endpoint, or of requests that reach none; has to be cheap as well. */
  readonly observerOf?: ((endpoint: Endpoint | undefined) => AnswerObserver) | undefined;
  /** Paths that return a page to browsers. */
  readonly pages?: readonly PageArea[];
  /** Folders for the files of multipart bodies; required where an endpoint accepts these. */
  readonly uploads?: UploadFolders;
  /**
   * Time for which a caller may leave a response unread, or a long body without progress, before the connection is cut;
   * 30 s unless given.
   */
  readonly stallTimeoutMs?: number | undefined;
  readonly logger: Logger;
  /** Tells whether each connection is closed with its next response; never unless given. */
  readonly stopping?: Stopping;
}

export interface HttpServer {
  readonly server: Server;
  /** Responds to a request, from a connection or injected by a test. */
  readonly answer: (request: IncomingMessage, response: ServerResponse) => void;
  readonly connections: Connections;
  readonly bodies: BodyMemory;
  /**
   * Accepts no new connections; resolves when the last one is closed. `interrupt` is called when requests in flight
   * take too long, and has to end their statements.
   */
  close(interrupt?: () => void): Promise<void>;
}

/** An endpoint, prepared for its requests. */
interface Runner {
  readonly run: (request: Request) => Promise<HttpResponse>;
  /** Models whose grants are read with the principal. */
  readonly models: readonly string[];
  /** The same for a query that names relations; undefined where no query can. */
  readonly related: readonly string[] | undefined;
  readonly count: AnswerCounter | undefined;
  readonly observe: AnswerObserver | undefined;
  readonly area: PageArea | undefined;
  /** True if the response depends on `Accept`. */
  readonly varies: boolean;
}

const runnersOf = (
  endpoints: readonly Endpoint[],
  pipeline: Pipeline,
  { basePath, counterOf, observerOf, pages = [] }: HttpOptions,
): ReadonlyMap<Endpoint, Runner> =>
  new Map(
    endpoints.map((endpoint) => [
      endpoint,
      {
        run: pipeline.serve(endpoint),
        ...grantModelsOf(endpoint),
        count: counterOf?.(endpoint),
        observe: observerOf?.(endpoint),
        area: areaOf(pages, basePath + endpoint.path),
        varies: endpoint.csv === true,
      },
    ]),
  );

/**
 * Returns the violation of HTTP/1.1 (RFC 9112) in a request: another version (2.3), a bad Host (3.2), an unknown
 * transfer coding, or any with HTTP/1.0 (6.1). Node accepts some of these, and refuses others without the envelope.
 */
const flawOf = ({ headers, httpVersion }: IncomingMessage): ProblemName | undefined => {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return 'unsupported_http_version';
  const { host, 'transfer-encoding': coding } = headers;
  if (coding !== undefined) {
    if (httpVersion === '1.0') return 'bad_request';
    if (coding.toLowerCase() !== 'chunked') return 'unsupported_transfer_coding';
  }
  const isBad = host === undefined ? httpVersion === '1.1' : !isHost(host);
  return isBad ? 'bad_request' : undefined;
};

/** The response to `OPTIONS *`, which concerns the whole service (RFC 9110, 9.3.7). */
const optionsOfAll: HttpResponse = {
  status: 204,
  type: '',
  headers: { Allow: [...allMethods, 'OPTIONS'].join(', ') },
  body: '',
};

const defaultStallTimeoutMs = 30_000;

const trustOf = (trust: HttpOptions['trustProxy']): Trust => {
  if (typeof trust === 'boolean') return () => trust;
  if (typeof trust === 'number') return (_address, hop) => hop < trust;
  const networks = networksOf(trust.flatMap((name) => proxyNetworks[name] ?? name));
  return (address) => networks.has(address);
};

/** Returns the headers of every response, as alternating names and values. */
const generalHeaders = (baseUrl: string): readonly string[] => {
  const headers = ['cache-control', 'no-store', 'x-content-type-options', 'nosniff'];
  if (baseUrl.startsWith('https:')) headers.push('strict-transport-security', 'max-age=31536000');
  return headers;
};

/** Dependencies of a `Dispatcher` beside the endpoints. */
interface DispatcherParts {
  readonly pipeline: Pipeline;
  readonly responder: Responder;
  readonly connections: Connections;
  readonly bodies: BodyMemory;
  readonly cors: Cors | undefined;
  readonly trust: Trust;
  readonly nextId: () => string;
}

const requestSettings = (
  { trust, bodies, nextId }: DispatcherParts,
  arrivals: Arrivals,
  { bodyLimit, stallTimeoutMs = defaultStallTimeoutMs, uploads, languages }: HttpOptions,
): RequestSettings => ({
  trust,
  bodies: { limit: bodyLimit, memory: bodies, stallTimeoutMs, arrivals },
  uploads,
  languages,
  nextId,
});

/** Returns the page of an area to a browser; the responses to all other clients vary by `Accept`. */
const pageOf = (request: Request, area: PageArea | undefined): HttpResponse | undefined => {
  if (area === undefined) return undefined;
  request.varies = true;
  const page = pageFor(area, request);
  return page === undefined ? undefined : compressed(page, request.header('accept-encoding'));
};

/** Responds to requests: it starts them in batches, finds the endpoint and runs the pipeline. */
class Dispatcher {
  readonly #pipeline: Pipeline;
  readonly #responder: Responder;
  readonly #connections: Connections;
  readonly #cors: Cors | undefined;
  readonly #routes: Routes;
  readonly #pages: readonly PageArea[];
  readonly #stopping: Stopping;
  readonly #runners: ReadonlyMap<Endpoint, Runner>;
  readonly #observeUnmatched: AnswerObserver | undefined;
  readonly #arrivals: Arrivals;
  readonly #settings: RequestSettings;
  /** Targets of requests that neither run statements nor write to the log, and so need no async context. */
  readonly #withoutContext: ReadonlySet<string>;
  readonly #start: (request: Request, number: number) => Promise<void>;

  constructor(endpoints: readonly Endpoint[], parts: DispatcherParts, options: HttpOptions) {
    this.#pipeline = parts.pipeline;
    this.#responder = parts.responder;
    this.#connections = parts.connections;
    this.#cors = parts.cors;
    this.#routes = options.routes;
    this.#pages = options.pages ?? [];
    this.#stopping = options.stopping ?? neverStopping;
    this.#runners = runnersOf(endpoints, parts.pipeline, options);
    this.#observeUnmatched = options.observerOf?.(undefined);
    this.#arrivals = new Arrivals(options.onArrivals);
    this.#settings = requestSettings(parts, this.#arrivals, options);
    const fromMemory = endpoints.filter((endpoint) => endpoint.fromMemory === true);
    this.#withoutContext = new Set(fromMemory.map(({ path }) => options.basePath + path));
    const { around } = options;
    this.#start =
      around === undefined
        ? (request, number) => this.#respond(request, number)
        : (request, number) => around(request, () => this.#respond(request, number));
  }

  /** Node calls it for each request. */
  readonly answer: HttpServer['answer'] = (raw, response) => {
    const connection = this.#connections.arrived(raw.socket);
    if (connection === undefined) return;
    const request = new Request(raw, response, connection, this.#settings);
    connection.before = connection.last?.response;
    connection.last = request;
    const number = connection.requests;
    const start = this.#start;
    if (this.#withoutContext.has(request.url)) this.#arrivals.join(() => void start(request, number));
    else this.#arrivals.join(() => void runAs(request, start, request, number));
  };

  async #respond(request: Request, number: number): Promise<void> {
    const { response } = request;
    request.observe = this.#observeUnmatched;
    try {
      const answer = await this.#respondTo(request);
      request.count?.(request.principal, answer.status, request, answer.code);
      request.closes = answer.closes === true || this.#isLast(request, number);
      const rest = this.#responder.send(request, answer);
      observeAnswer(request, answer, rest);
      if (rest !== undefined) await rest;
    } catch (error) {
      if (response.headersSent) this.#responder.cut(request, error);
      else {
        const answer = this.#failed(request, error);
        observeAnswer(request, answer, this.#responder.send(request, answer));
      }
    } finally {
      this.#connections.answered(request.connection);
      request.answered();
    }
  }

  #respondTo(request: Request): Promise<HttpResponse> | HttpResponse {
    const flaw = flawOf(request.raw);
    if (flaw !== undefined) return { ...this.#pipeline.failed(new Problem(flaw), request), closes: true };
    const destination = this.#routes.find(request.method, request.url);
    request.route = destination.route;
    if (this.#cors !== undefined && isPreflight(request))
      return { status: 204, type: '', headers: this.#cors.preflight(request.header('origin')), body: '' };
    if (destination.endpoint !== undefined)
      return this.#serve(request, destination.endpoint, destination.params);
    if (request.method === 'OPTIONS' && request.url === '*') return optionsOfAll;
    const page = pageOf(request, areaOf(this.#pages, request.path));
    return page ?? this.#pipeline.failed(destination.problem, request);
  }

  #serve(
    request: Request,
    endpoint: Endpoint,
    params: Request['params'],
  ): Promise<HttpResponse> | HttpResponse {
    const runner = this.#runners.get(endpoint);
    if (runner === undefined) throw new Error(`${request.route} leads to an endpoint of another server`);
    request.observe = runner.observe;
    const page = pageOf(request, runner.area);
    if (page !== undefined) return page;
    request.params = params;
    const { models, related } = runner;
    request.relates = related !== undefined && request.query !== '' && namesRelations(request.query);
    request.models = request.relates && related !== undefined ? related : models;
    request.count = runner.count;
    if (runner.varies) request.varies = true;
    return runner.run(request);
  }

  /** Tells whether the response to a request is the last of its connection; pipelined requests follow it. */
  #isLast({ connection }: Request, number: number): boolean {
    return (this.#stopping.begun || isPastMaxAge(connection)) && connection.requests === number;
  }

  #failed(request: Request, error: unknown): HttpResponse {
    const { socket, readableAborted } = request.raw;
    const isGone = socket.destroyed || readableAborted;
    return this.#pipeline.failed(isGone ? new Problem('bad_request', { cause: error }) : error, request);
  }
}

/** Builds the server that runs endpoints through the pipeline; it does not listen yet. */
export const createHttpServer = (
  endpoints: readonly Endpoint[],
  pipeline: Pipeline,
  options: HttpOptions,
): HttpServer => {
  const { logger, corsOrigins, routes, basePath, stallTimeoutMs = defaultStallTimeoutMs } = options;
  const headers = generalHeaders(options.baseUrl);
  const trust = trustOf(options.trustProxy);
  const connections = new Connections({
    maxConnections: options.maxConnections,
    maxAgeMs: options.maxConnectionAgeMs,
    isProxy: (address) => trust(address, 0),
  });
  const credentials = credentialHeaders(offeredMethods(endpoints.flatMap(({ auth }) => auth)));
  const cors = corsOrigins.length > 0 ? new Cors(corsOrigins, credentials, options.corsHeaders) : undefined;
  const requestLines = new RequestLines(logger);
  const nextId = createRequestIds();
  const responder = new Responder({ logger, cors, stallTimeoutMs, requestLines, headers });
  routes.add(endpoints, basePath);
  const bodies = new BodyMemory(options.bodyMemory);
  const parts = { pipeline, responder, connections, bodies, cors, trust, nextId };
  const { answer } = new Dispatcher(endpoints, parts, options);
  const server = http.createServer(
    {
      // Limits for slow requests; the responder limits slow readers.
      headersTimeout: 15_000,
      requestTimeout: 60_000,
      connectionsCheckingInterval: 5_000,
      maxHeaderSize: 16_384,
      keepAliveTimeout: 72_000,
      // `flawOf` refuses a missing Host with the envelope.
      requireHostHeader: false,
      // Node would keep the first of several Host or Authorization headers; joined like any other, they are refused.
      joinDuplicateHeaders: true,
      // Destroys a request without a body from the start: ending it as a stream would take two ticks.
      optimizeEmptyRequests: true,
    },
    answer,
  );
  // Without these listeners Node would request every body, and refuse other expectations without the envelope.
  server.on('checkContinue', answer).on('checkExpectation', answer);
  const { broken, tunnel, tooMany } = new BrokenRequests(pipeline, connections, routes, {
    headers,
    nextId,
  });
  server.on('clientError', broken).on('connect', tunnel);
  server.on('connection', (socket) => {
    if (!connections.opened(socket)) tooMany(socket);
  });
  const close = async (interrupt: () => void = () => {}): Promise<void> => {
    await stopHttp({ server, connections, logger, interrupt });
    requestLines.close();
  };
  return { server, answer, connections, bodies, close };
};
