import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { compile } from '@fastify/proxy-addr';
import type { Logger } from 'pino';
import { runAs } from '../kernel/current-work.ts';
import { http } from '../kernel/node-http.ts';
import { Problem } from '../kernel/problem.ts';
import type { ProblemName } from '../kernel/problem-table.ts';
import { neverStopping, type Stopping } from '../kernel/stopping.ts';
import { modelsOfGrants } from '../policy/decide.ts';
import { namesRelations } from '../records/list/query-string.ts';
import { Arrivals, BodyMemory } from './body.ts';
import { BrokenRequests } from './broken-requests.ts';
import { Connections, isWorn } from './connections.ts';
import { Cors, isPreflight } from './cors.ts';
import type { Endpoint } from './endpoint.ts';
import { areaOf, type PageArea, pageFor } from './page-area.ts';
import type { HttpResponse, Pipeline } from './pipeline.ts';
import {
  type AnswerCounter,
  type AnswerObserver,
  isHost,
  observeAnswer,
  Request,
  type RequestSettings,
  requestIds,
  type Trust,
} from './request.ts';
import { RequestLines, Responder } from './respond.ts';
import { allMethods, type Routes } from './routes.ts';
import { stopHttp } from './stopping.ts';
import type { UploadFolders } from './upload-folders.ts';

export interface HttpOptions {
  /** Public address; where it is https, every answer says that this host is to be asked over https only. */
  readonly baseUrl: string;
  readonly basePath: string;
  /** Bytes of one body, and of all that are held at one moment. */
  readonly bodyLimit: number;
  readonly bodyMemory: number;
  /** Connections that may be open at one moment. */
  readonly maxConnections: number;
  /** Milliseconds after which a connection is closed with its next answer; any number unless given. */
  readonly connectionAge?: number | undefined;
  /** Whose `X-Forwarded-For` is believed: nobody's, everybody's, that of so many hops, or of addresses and ranges. */
  readonly trustProxy: boolean | number | string[];
  readonly corsOrigins: readonly string[];
  /** Headers of requests and answers that scripts of these may use beside the general ones. */
  readonly corsHeaders?: readonly string[] | undefined;
  /** Empty; it gets the endpoints. */
  readonly routes: Routes;
  /** Told of requests that have arrived together, before anything is asked of them. */
  readonly onArrivals?: (() => void) | undefined;
  /** Runs the answering of each request: within a span, where there is tracing. */
  readonly around?: ((request: Request, answering: () => Promise<void>) => Promise<void>) | undefined;
  /** Gives the counter of an endpoint, which is told of every answer; it must cost next to nothing. */
  readonly counterOf?: ((endpoint: Endpoint) => AnswerCounter | undefined) | undefined;
  /**
   * Gives who measures the answers of an endpoint, and those of requests that reach none; as cheap as `counterOf`.
   * Nobody measures unless given.
   */
  readonly observerOf?: ((endpoint: Endpoint | undefined) => AnswerObserver) | undefined;
  /** Where a browser gets a page instead of the envelope. */
  readonly pages?: readonly PageArea[];
  /** Where the files of multipart bodies lie until the answer; no endpoint may take any unless given. */
  readonly uploads?: UploadFolders;
  /**
   * Milliseconds that a caller may leave an answer unread, or bring too little of a long body, before the connection is
   * cut; 30 s unless given.
   */
  readonly stall?: number | undefined;
  readonly logger: Logger;
  /** Whether each connection is to be closed with its last answer; never unless given. */
  readonly stopping?: Stopping;
}

export interface HttpServer {
  readonly server: Server;
  /** Answers one request; what a connection brings passes here, and so does what a test injects. */
  readonly answer: (request: IncomingMessage, response: ServerResponse) => void;
  readonly connections: Connections;
  readonly bodies: BodyMemory;
  /**
   * Takes no new connections; resolves when the last one is closed. `interrupt` is called when requests in flight take
   * too long, and has to end what they wait for.
   */
  close(interrupt?: () => void): Promise<void>;
}

/** An endpoint with what is known of it before the first request. */
interface Runner {
  readonly run: (request: Request) => Promise<HttpResponse>;
  readonly models: readonly string[];
  /** The same for a query that names relations; undefined where it can name none. */
  readonly related: readonly string[] | undefined;
  readonly count: AnswerCounter | undefined;
  readonly observe: AnswerObserver | undefined;
  readonly area: PageArea | undefined;
  /** Whether the answer is another by `Accept`. */
  readonly varies: boolean;
}

const modelsAsked = ({ grantsOn, grantsOnRelated, policy }: Endpoint) => {
  const models = grantsOn ?? modelsOfGrants(policy);
  return { models, related: grantsOnRelated && [...new Set([...models, ...grantsOnRelated])] };
};

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
        ...modelsAsked(endpoint),
        count: counterOf?.(endpoint),
        observe: observerOf?.(endpoint),
        area: areaOf(pages, basePath + endpoint.path),
        varies: endpoint.csv === true,
      },
    ]),
  );

/**
 * What HTTP/1.1 forbids (RFC 9112): another version (2.3), a bad Host (3.2), a transfer coding that is not known, or any
 * with HTTP/1.0 (6.1). Node would accept some of it, and refuse some itself, without the envelope.
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

/** `OPTIONS *` asks of the whole service (RFC 9110, 9.3.7). */
const optionsOfAll: HttpResponse = {
  status: 204,
  type: '',
  headers: { Allow: [...allMethods, 'OPTIONS'].join(', ') },
  body: '',
};

const defaultStall = 30_000;

const trustOf = (trust: HttpOptions['trustProxy']): Trust => {
  if (typeof trust === 'boolean') return () => trust;
  if (typeof trust === 'number') return (_address, hop) => hop < trust;
  return compile(trust);
};

/** Headers of every answer, names and values in turn; for a year, this host over https only, where it is there. */
const generalHeaders = (baseUrl: string): readonly string[] => [
  ...['cache-control', 'no-store', 'x-content-type-options', 'nosniff'],
  ...(baseUrl.startsWith('https:') ? ['strict-transport-security', 'max-age=31536000'] : []),
];

/** What answering needs beside what is known of each endpoint. */
interface AnsweringParts {
  readonly pipeline: Pipeline;
  readonly responder: Responder;
  readonly connections: Connections;
  readonly bodies: BodyMemory;
  readonly cors: Cors | undefined;
  readonly trust: Trust;
  readonly nextId: () => string;
}

/** Answers requests: lets those that came together start together, finds the endpoint, runs the pipeline. */
const createAnswering = (
  endpoints: readonly Endpoint[],
  { pipeline, responder, connections, bodies, cors, trust, nextId }: AnsweringParts,
  options: HttpOptions,
): HttpServer['answer'] => {
  const { routes, pages = [], stopping = neverStopping } = options;
  const arrivals = new Arrivals(options.onArrivals);
  const runners = runnersOf(endpoints, pipeline, options);
  const observeUnmatched = options.observerOf?.(undefined);
  const settings: RequestSettings = {
    trust,
    bodies: {
      limit: options.bodyLimit,
      memory: bodies,
      patience: options.stall ?? defaultStall,
      arrivals,
    },
    uploads: options.uploads,
    nextId,
  };

  /** Where a browser asks for the page of an area; everybody else's answer there varies by that. */
  const pageOf = (request: Request, area: PageArea | undefined): HttpResponse | undefined => {
    if (area === undefined) return undefined;
    request.varies = true;
    return pageFor(area, request.method, request.header('accept'));
  };

  const respondTo = (request: Request): Promise<HttpResponse> | HttpResponse => {
    const flaw = flawOf(request.raw);
    if (flaw !== undefined) return { ...pipeline.failed(new Problem(flaw)), closes: true };
    const destination = routes.find(request.method, request.url);
    request.route = destination.route;
    if (cors !== undefined && isPreflight(request))
      return { status: 204, type: '', headers: cors.preflight(request.header('origin')), body: '' };
    if (destination.endpoint === undefined && request.method === 'OPTIONS' && request.url === '*')
      return optionsOfAll;
    if (destination.endpoint === undefined)
      return pageOf(request, areaOf(pages, request.path)) ?? pipeline.failed(destination.problem);
    const runner = runners.get(destination.endpoint);
    if (runner === undefined) throw new Error(`${destination.route} leads to an endpoint of another server`);
    request.observe = runner.observe;
    const page = pageOf(request, runner.area);
    if (page !== undefined) return page;
    request.params = destination.params;
    const { models, related } = runner;
    request.relates = related !== undefined && request.query !== '' && namesRelations(request.query);
    request.models = request.relates && related !== undefined ? related : models;
    request.count = runner.count;
    if (runner.varies) request.varies = true;
    return runner.run(request);
  };

  const failed = (request: Request, error: unknown): HttpResponse => {
    const { socket, readableAborted } = request.raw;
    return pipeline.failed(
      socket.destroyed || readableAborted ? new Problem('bad_request', { cause: error }) : error,
    );
  };

  const respond = async (request: Request, number: number): Promise<void> => {
    const { response } = request;
    request.observe = observeUnmatched;
    try {
      const answer = await respondTo(request);
      request.count?.(request.principal, answer.status, request, answer.code);
      // The answers to what a client has sent ahead come after this one.
      const { connection } = request;
      request.closes =
        answer.closes === true || ((stopping.begun || isWorn(connection)) && connection.requests === number);
      const rest = responder.send(request, answer);
      observeAnswer(request, answer, rest);
      if (rest !== undefined) await rest;
    } catch (error) {
      if (response.headersSent) responder.cut(request, error);
      else {
        const answer = failed(request, error);
        observeAnswer(request, answer, responder.send(request, answer));
      }
    } finally {
      connections.answered(request.connection);
      request.answered();
    }
  };

  /** Request targets of which nothing has to be found again by whoever asks the database or writes to the log. */
  const alone = new Set(
    endpoints.filter(({ fromMemory }) => fromMemory === true).map(({ path }) => options.basePath + path),
  );
  const { around } = options;
  const start =
    around === undefined
      ? respond
      : (request: Request, number: number) => around(request, () => respond(request, number));

  return (raw, response) => {
    const connection = connections.arrived(raw.socket);
    if (connection === undefined) return;
    const request = new Request(raw, response, connection, settings);
    connection.before = connection.last?.response;
    connection.last = request;
    const number = connection.requests;
    if (alone.has(request.url)) arrivals.join(() => void start(request, number));
    else arrivals.join(() => void runAs(request, start, request, number));
  };
};

/** Builds the server that runs endpoints through the pipeline; it does not listen yet. */
export const createHttpServer = (
  endpoints: readonly Endpoint[],
  pipeline: Pipeline,
  options: HttpOptions,
): HttpServer => {
  const { logger, corsOrigins, routes, basePath, stall = defaultStall } = options;
  const headers = generalHeaders(options.baseUrl);
  const trust = trustOf(options.trustProxy);
  const connections = new Connections({
    most: options.maxConnections,
    age: options.connectionAge,
    isProxy: (address) => trust(address, 0),
  });
  const cors = corsOrigins.length > 0 ? new Cors(corsOrigins, options.corsHeaders) : undefined;
  const requestLines = new RequestLines(logger);
  const nextId = requestIds();
  const responder = new Responder({ logger, cors, stall, requestLines, headers });
  routes.add(endpoints, basePath);
  const bodies = new BodyMemory(options.bodyMemory);
  const parts = { pipeline, responder, connections, bodies, cors, trust, nextId };
  const answer = createAnswering(endpoints, parts, options);
  const server = http.createServer(
    {
      // Whoever sends nothing, or slowly, is cut by these two; whoever does not read, by the responder.
      headersTimeout: 15_000,
      requestTimeout: 60_000,
      connectionsCheckingInterval: 5_000,
      maxHeaderSize: 16_384,
      keepAliveTimeout: 72_000,
      // Refused here, by the envelope.
      requireHostHeader: false,
      // Node keeps the first of several Host or Authorization headers; joined like any other, they are refused.
      joinDuplicateHeaders: true,
      // What announces no body is no stream that has to be ended, which takes two ticks: it is destroyed from the start.
      optimizeEmptyRequests: true,
    },
    answer,
  );
  // Without these Node would ask for every body, and refuse what else is expected of us without the envelope.
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
