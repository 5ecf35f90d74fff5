/**
 * `Responder`: writes heads, bodies, streams and errors, closes connections gently, and logs a line for each request.
 */

import type { ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Logger } from 'pino';
import { bringsBody } from './body.ts';
import type { Cors } from './cors.ts';
import type { Piece } from './pieces.ts';
import { FramedBytes, type HttpResponse } from './pipeline.ts';
import type { Request } from './request.ts';

const round = (milliseconds: number): number => Math.round(milliseconds * 1000) / 1000;

/** Returns the log line of a request. It has no query string, header or body, and so no secret. */
const lineOf = (request: Request, status: number) => {
  const { principal, traceparent } = request;
  const now = performance.now();
  return {
    requestId: request.requestId,
    method: request.method,
    route: request.route ?? null,
    status,
    milliseconds: round(now - request.arrived),
    databaseMilliseconds: round(request.database.until(now)),
    auth: principal.kind === 'nobody' ? null : principal.method,
    principal:
      principal.kind === 'user' ? principal.id : principal.kind === 'application' ? principal.appId : null,
    traceparent,
  };
};

/** The fields of the log line of a request. */
export type RequestLine = ReturnType<typeof lineOf>;

/**
 * Writes one log line for each request. The lines of one turn of the event loop are formatted as a batch: between two
 * requests the processor's caches would not have the code, which would cost several times as much.
 */
export class RequestLines {
  readonly #logger: Logger;
  #enabled: boolean;
  #lines: RequestLine[] = [];
  readonly #readLevel = (): void => {
    this.#enabled = this.#logger.isLevelEnabled('info');
  };
  readonly #flush = (): void => {
    const lines = this.#lines;
    this.#lines = [];
    for (const line of lines) this.#logger.info(line, 'request');
  };

  /** The level of the logger may change at any time. */
  constructor(logger: Logger) {
    this.#logger = logger;
    this.#enabled = logger.isLevelEnabled('info');
    logger.on('level-change', this.#readLevel);
    process.on('exit', this.#flush);
  }

  close(): void {
    this.#flush();
    process.off('exit', this.#flush);
    this.#logger.off('level-change', this.#readLevel);
  }

  /** Called when the response is sent. */
  add(request: Request, status: number): void {
    if (!this.#enabled) return;
    if (this.#lines.length === 0) setImmediate(this.#flush);
    this.#lines.push(lineOf(request, status));
  }
}

/** Waits for the `drain` event of a response. One timer serves all waits, as a timer costs as much as a wait. */
class Drain {
  readonly #response: ServerResponse;
  readonly #timer: NodeJS.Timeout;
  #settle: ((error?: Error) => void) | undefined;

  constructor(response: ServerResponse, stallTimeoutMs: number) {
    this.#response = response;
    this.#timer = setTimeout(() => this.#settle?.(new Error('the caller stopped reading')), stallTimeoutMs);
    response.on('drain', () => this.#settle?.());
    response.on('close', () => this.#settle?.(response.errored ?? new Error('the caller hung up')));
  }

  /** Rejects when the caller hangs up, or reads nothing within the timeout. */
  wait(): Promise<void> {
    if (this.#response.destroyed) return Promise.reject(new Error('the caller hung up'));
    this.#timer.refresh();
    return new Promise((resolve, reject) => {
      this.#settle = (error) => {
        this.#settle = undefined;
        if (error === undefined) resolve();
        else reject(error);
      };
    });
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}

/**
 * Writes the body of a long response in pieces, under back-pressure. An error cuts the connection: the status line is
 * already sent, and a client would take an incomplete body with a proper end for a complete one.
 * @throws the error of the pieces; Error when the caller hangs up, or reads nothing within the timeout
 */
export const writePieces = async (
  response: ServerResponse,
  headOnly: boolean,
  pieces: AsyncIterableIterator<Piece>,
  stallTimeoutMs: number,
): Promise<void> => {
  const drain = new Drain(response, stallTimeoutMs);
  try {
    for await (const piece of headOnly ? [] : pieces) {
      if (response.destroyed) return;
      if (!response.write(piece)) await drain.wait();
    }
    response.end();
  } catch (error) {
    response.destroy();
    throw error;
  } finally {
    drain.end();
    await pieces.return?.();
  }
};

/** Time after which a closing connection is destroyed, whatever its client does. */
export const lingerTimeoutMs = 1_500;

/** Interval of the checks of a closing connection. */
const lingerCheckMs = 100;

/** Bytes that are received and discarded on a closing connection. */
const maxDiscardedBytes = 8 * 1_048_576;

const closingSockets = new WeakSet<Socket>();

/**
 * Closes a connection after its last response (lingering close). A close while the client still sends would reset the
 * connection, and the client could lose the response (RFC 9112, 9.6). So this closes the server's half, and discards
 * further bytes until the client closes its own half, `lingerTimeoutMs` is over, or too many bytes have arrived.
 */
export const closeGently = (socket: Socket): void => {
  if (closingSockets.has(socket) || socket.destroyed) return;
  closingSockets.add(socket);
  const deadline = performance.now() + lingerTimeoutMs - lingerCheckMs;
  const maxBytesRead = socket.bytesRead + maxDiscardedBytes;
  socket.end();
  const timer = setInterval(() => {
    if (performance.now() >= deadline || socket.bytesRead > maxBytesRead) socket.destroy();
  }, lingerCheckMs);
  socket.once('close', () => clearInterval(timer));
};

/** Makes Node close the connection gently after a response with `Connection: close`. */
export const closeGentlyAfterResponse = (socket: Socket): void => {
  // Node calls this after such a response; its own implementation destroys the socket once the response is written.
  socket.destroySoon = () => closeGently(socket);
};

export interface ResponderOptions {
  readonly logger: Logger;
  /** Undefined where `CORS_ORIGINS` is empty. */
  readonly cors: Cors | undefined;
  /** Time for which a caller may leave a response unread before the connection is cut. */
  readonly stallTimeoutMs: number;
  readonly requestLines: RequestLines;
  /** Headers of every response, as alternating names and values. */
  readonly headers: readonly string[];
}

const hasBody = (status: number): boolean => status !== 304 && status !== 204;

/** Tells whether the body of a request is still arriving when its response is sent; never for an injected request. */
const isArriving = ({ raw }: Request): boolean =>
  !raw.complete && bringsBody(raw) && raw.socket instanceof Socket;

const put = (head: string[], name: string, value: string): void => {
  const lower = name.toLowerCase();
  // These two appear once: a later `Cache-Control` replaces the earlier one, values of `Vary` are joined.
  const index = lower === 'cache-control' || lower === 'vary' ? head.indexOf(lower) : -1;
  if (index < 0) head.push(lower, value);
  else head[index + 1] = lower === 'vary' ? `${head[index + 1]}, ${value}` : value;
};

const putAll = (head: string[], headers: HttpResponse['headers']): void => {
  for (const name in headers) {
    const value = headers[name];
    if (typeof value === 'string') put(head, name, value);
    else for (const each of value ?? []) put(head, name, each);
  }
};

/** Writes every response of the service, errors included. */
export class Responder {
  readonly #options: ResponderOptions;

  constructor(options: ResponderOptions) {
    this.#options = options;
  }

  /** Sends a response. Returns a promise when the body continues after this call; the promise never rejects. */
  send(request: Request, answer: HttpResponse): Promise<void> | undefined {
    const { response } = request;
    if (answer.failure !== undefined) this.#logFailure(request, answer.failure);
    const { status, body } = answer;
    const head = this.#head(request, answer);
    if (status === 413 || isArriving(request)) this.#endConnection(request, head);
    else if (request.closes) {
      head.push('connection', 'close');
      request.connection.ending = true;
    }
    const isWhole = typeof body === 'string' || body instanceof Uint8Array;
    if (!isWhole && !(body instanceof FramedBytes)) {
      response.writeHead(status, head);
      return this.#sendPieces(request, status, body);
    }
    const length = isWhole ? Buffer.byteLength(body) : body.byteLength;
    if (hasBody(status)) head.push('content-length', String(length));
    response.writeHead(status, head);
    if (isWhole) response.end(body);
    else body.send(response);
    this.#guardUnread(request);
    this.#options.requestLines.add(request, status);
    return undefined;
  }

  /** Returns the headers as alternating names and values, the fastest form for Node. */
  #head(request: Request, { status, type, headers, language }: HttpResponse): string[] {
    const { cors, headers: general } = this.#options;
    const head = [...general, 'x-request-id', request.requestId];
    if (cors !== undefined)
      putAll(head, cors.headers(request.header('origin'), request.limitHeaders !== undefined));
    if (request.varies) put(head, 'vary', 'Accept');
    if (language !== undefined) {
      put(head, 'content-language', language);
      put(head, 'vary', 'Accept-Language');
    }
    putAll(head, headers);
    if (type !== '' && hasBody(status)) head.push('content-type', type);
    return head;
  }

  /**
   * Ends the connection with this response. The rest of the request is discarded while the caller reads the response.
   */
  #endConnection({ raw, response, connection }: Request, head: string[]): void {
    head.push('connection', 'close');
    connection.ending = true;
    raw.resume();
    if (response.socket instanceof Socket) closeGentlyAfterResponse(response.socket);
  }

  #sendPieces(request: Request, status: number, pieces: AsyncIterableIterator<Piece>): Promise<void> {
    return writePieces(request.response, request.method === 'HEAD', pieces, this.#options.stallTimeoutMs)
      .catch((error: unknown) => this.cut(request, error))
      .finally(() => {
        this.#guardUnread(request);
        this.#options.requestLines.add(request, status);
      });
  }

  /** Cuts the connection of a response that has begun and failed, so that the caller does not take it for complete. */
  cut({ requestId, response }: Request, error: unknown): void {
    this.#options.logger.warn({ err: error, requestId }, 'a response was cut');
    response.destroy();
  }

  /** Limits the time for which a caller may leave a response unread, as the rest of it takes memory. */
  #guardUnread({ response }: Request): void {
    const { socket } = response;
    // An injected request has no connection.
    if (socket instanceof Socket && socket.writableLength > 0)
      socket.setTimeout(this.#options.stallTimeoutMs);
  }

  /** Logs the error of a request; one of application code may be a value that cannot be serialized. */
  #logFailure({ requestId }: Request, failure: unknown): void {
    const { logger } = this.#options;
    try {
      logger.error({ err: failure, requestId }, 'request failed');
    } catch (error) {
      logger.error({ err: error, requestId }, 'request failed with an error that cannot be printed');
    }
  }
}
