import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { compile } from '@fastify/proxy-addr';
import type { Logger } from 'pino';
import { Problem } from '../kernel/problem.ts';
import type { ProblemName } from '../kernel/problem-table.ts';
import { Cors, isPreflight } from './cors.ts';
import type { Endpoint } from './endpoint.ts';
import { areaOf, type PageArea, pageFor } from './page-area.ts';
import type { HttpRequest, HttpResponse, Pipeline } from './pipeline.ts';
import { type Connection, Connections } from './pipelining.ts';
import { readBody } from './read-body.ts';
import { type AnswerCounter, Request, type RequestSettings } from './request.ts';
import { RequestLines } from './request-lines.ts';
import { Responder } from './respond.ts';
import type { Routes } from './routes.ts';
import { Turns } from './turns.ts';

export interface HttpOptions {
  readonly basePath: string;
  readonly bodyLimit: number;
  /** Whose `X-Forwarded-For` is believed: nobody's, everybody's, that of so many hops, or of addresses and ranges. */
  readonly trustProxy: boolean | number | string[];
  readonly corsOrigins: readonly string[];
  /** Empty; it gets the endpoints. */
  readonly routes: Routes;
  /** Told of each turn of the event loop that has brought requests, before anything is asked of them. */
  readonly onTurn?: (() => void) | undefined;
  /** Gives the counter of an endpoint, which is told of every answer; it must cost next to nothing. */
  readonly counterOf?: ((endpoint: Endpoint) => AnswerCounter | undefined) | undefined;
  /** Where a browser gets a page instead of the envelope. */
  readonly pages?: readonly PageArea[];
  /** Milliseconds that a caller may leave an answer unread before the connection is cut; 30 s unless given. */
  readonly stall?: number | undefined;
  readonly logger: Logger;
}

export interface HttpServer {
  readonly server: Server;
  /** Answers one request; what a connection brings passes here, and so does what a test injects. */
  readonly answer: (request: IncomingMessage, response: ServerResponse) => void;
  /** Takes no new connections; resolves when the last one is closed. */
  close(): Promise<void>;
}

/** An endpoint with what is known of it before the first request. */
interface Runner {
  readonly run: (request: HttpRequest) => Promise<HttpResponse>;
  readonly model: string | undefined;
  readonly count: AnswerCounter | undefined;
  readonly area: PageArea | undefined;
}

const runnersOf = (
  endpoints: readonly Endpoint[],
  pipeline: Pipeline,
  { basePath, counterOf, pages = [] }: HttpOptions,
): ReadonlyMap<Endpoint, Runner> =>
  new Map(
    endpoints.map((endpoint) => [
      endpoint,
      {
        run: pipeline.serve(endpoint),
        model: endpoint.policy.kind === 'resource' ? endpoint.policy.model.name : endpoint.grantsOn,
        count: counterOf?.(endpoint),
        area: areaOf(pages, basePath + endpoint.path),
      },
    ]),
  );

/** Methods whose body is read; that of any other is left alone. */
const methodsWithBody: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/** Whether the request announces a body that anybody would read. */
const brings = ({ method = '', headers }: IncomingMessage): boolean => {
  if (!methodsWithBody.has(method)) return false;
  const { 'content-length': length, 'transfer-encoding': encoding } = headers;
  return encoding !== undefined || (length !== undefined && length !== '0');
};

/** What HTTP/1.1 forbids (RFC 9112, 3.2). Node would refuse it itself, without the envelope. */
const lacksHost = ({ headers, httpVersion }: IncomingMessage): boolean =>
  headers.host === undefined && httpVersion === '1.1';

/** Ids that differ between processes and are cheap to make. */
const requestIds = (): (() => string) => {
  const process = crypto.randomUUID().slice(0, 8);
  let count = 0;
  return () => `${process}-${(++count).toString(36)}`;
};

const trustOf = (trust: HttpOptions['trustProxy']): RequestSettings['trust'] => {
  if (typeof trust === 'boolean') return () => trust;
  if (typeof trust === 'number') return (_address, hop) => hop < trust;
  return compile(trust);
};

/** Answers requests: lets those of a turn start together, finds the endpoint, reads the body, runs the pipeline. */
const createAnswering = (
  endpoints: readonly Endpoint[],
  pipeline: Pipeline,
  responder: Responder,
  cors: Cors | undefined,
  options: HttpOptions,
): HttpServer['answer'] => {
  const { routes, bodyLimit, pages = [] } = options;
  const turns = new Turns(options.onTurn);
  const runners = runnersOf(endpoints, pipeline, options);
  const settings: RequestSettings = {
    trust: trustOf(options.trustProxy),
    bodyLimit,
    nextId: requestIds(),
    timed: responder.logsRequests,
  };

  /** Where a browser asks for the page of an area; everybody else's answer there varies by that. */
  const pageOf = (request: Request, area: PageArea | undefined): HttpResponse | undefined => {
    if (area === undefined) return undefined;
    request.varies = true;
    return pageFor(area, request.method, request.header('accept'));
  };

  /** Read first: a caller who is still sending would not see the answer. */
  const refuse = async (request: Request, problem: Problem): Promise<HttpResponse> => {
    if (brings(request.raw)) await readBody(request.raw, bodyLimit);
    return pipeline.failed(problem);
  };

  const receiveAndRun = async (request: Request, { run }: Runner): Promise<HttpResponse> => {
    const body = readBody(request.raw, bodyLimit);
    if (body instanceof Promise) {
      request.body = await body;
      await new Promise<void>((resolve) => turns.join(resolve));
    } else request.body = body;
    return run(request);
  };

  const respondTo = (request: Request): Promise<HttpResponse> | HttpResponse => {
    if (lacksHost(request.raw)) return refuse(request, new Problem('bad_request'));
    const destination = routes.find(request.method, request.url);
    request.route = destination.route;
    if (cors !== undefined && isPreflight(request))
      return { status: 204, type: '', headers: cors.preflight(request.header('origin')), body: '' };
    if (destination.endpoint === undefined)
      return pageOf(request, areaOf(pages, request.path)) ?? refuse(request, destination.problem);
    const runner = runners.get(destination.endpoint);
    if (runner === undefined) throw new Error(`${destination.route} leads to an endpoint of another server`);
    const page = pageOf(request, runner.area);
    if (page !== undefined) return page;
    request.params = destination.params;
    request.model = runner.model;
    request.count = runner.count;
    return brings(request.raw) ? receiveAndRun(request, runner) : runner.run(request);
  };

  const failed = (request: Request, error: unknown): HttpResponse => {
    const gone = request.raw.destroyed || request.raw.readableAborted;
    return pipeline.failed(gone ? new Problem('bad_request', { cause: error }) : error);
  };

  const connections = new Connections();

  const respond = async (request: Request, connection: Connection): Promise<void> => {
    const { response } = request;
    try {
      const answer = await respondTo(request);
      request.count?.(request.principal, answer.status, request);
      responder.send(request, answer);
    } catch (error) {
      if (response.headersSent) responder.cut(request, error);
      else responder.send(request, failed(request, error));
    } finally {
      connection.unanswered -= 1;
    }
  };

  return (raw, response) => {
    const connection = connections.arrived(raw.socket);
    if (connection === undefined) return;
    const request = new Request(raw, response, settings);
    turns.join(() => void respond(request, connection));
  };
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
    const name = brokenRequests[error.code ?? ''] ?? 'bad_request';
    const { status, type, body } = pipeline.failed(new Problem(name, { cause: error }));
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

/** Builds the server that runs endpoints through the pipeline; it does not listen yet. */
export const createHttpServer = (
  endpoints: readonly Endpoint[],
  pipeline: Pipeline,
  options: HttpOptions,
): HttpServer => {
  const { logger, corsOrigins, routes, basePath, stall = 30_000 } = options;
  const cors = corsOrigins.length > 0 ? new Cors(corsOrigins) : undefined;
  const requestLines = logger.isLevelEnabled('info') ? new RequestLines(logger) : undefined;
  const responder = new Responder({ logger, cors, stall, requestLines });
  routes.add(endpoints, basePath);
  const answer = createAnswering(endpoints, pipeline, responder, cors, options);
  const server = createServer(
    {
      // Whoever sends nothing, or slowly, is cut by these two; whoever does not read, by the responder.
      headersTimeout: 15_000,
      requestTimeout: 60_000,
      connectionsCheckingInterval: 5_000,
      maxHeaderSize: 16_384,
      keepAliveTimeout: 72_000,
      // Refused here, by the envelope.
      requireHostHeader: false,
    },
    answer,
  );
  server.on('clientError', answerBrokenRequest(pipeline));
  const close = (): Promise<void> =>
    new Promise((resolve, reject) => {
      server.close((error) => {
        requestLines?.close();
        if (error === undefined) resolve();
        else reject(error);
      });
      server.closeIdleConnections();
    });
  return { server, answer, close };
};
