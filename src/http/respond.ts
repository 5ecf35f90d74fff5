import type { ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Logger } from 'pino';
import { bringsBody } from './body.ts';
import type { Cors } from './cors.ts';
import type { Piece } from './pieces.ts';
import { FramedBytes, type HttpResponse } from './pipeline.ts';
import type { Request } from './request.ts';

const rounded = (milliseconds: number): number => Math.round(milliseconds * 1000) / 1000;

/** What the log says of a request: no address with its query, no header, no body, so nothing secret can be in it. */
const lineOf = (request: Request, status: number) => {
  const { principal, traceparent } = request;
  const now = performance.now();
  return {
    requestId: request.requestId,
    method: request.method,
    route: request.route ?? null,
    status,
    milliseconds: rounded(now - request.arrived),
    databaseMilliseconds: rounded(request.database.until(now)),
    auth: principal.kind === 'nobody' ? null : principal.method,
    principal:
      principal.kind === 'user' ? principal.id : principal.kind === 'application' ? principal.appId : null,
    ...(traceparent === undefined ? undefined : { traceparent }),
  };
};

/**
 * One line a request. The lines of one turn of the event loop are put into words together: between two requests the
 * code that does it would be cold each time, and cost several times as much.
 */
export class RequestLines {
  readonly #logger: Logger;
  #enabled: boolean;
  #lines: ReturnType<typeof lineOf>[] = [];
  readonly #look = (): void => {
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
    logger.on('level-change', this.#look);
    process.on('exit', this.#flush);
  }

  close(): void {
    this.#flush();
    process.off('exit', this.#flush);
    this.#logger.off('level-change', this.#look);
  }

  /** Called when the answer is out. */
  add(request: Request, status: number): void {
    if (!this.#enabled) return;
    if (this.#lines.length === 0) setImmediate(this.#flush);
    this.#lines.push(lineOf(request, status));
  }
}

/** Waits until a response can take more. It has one timer: one for each wait would cost as much as the wait. */
class Drain {
  readonly #response: ServerResponse;
  readonly #timer: NodeJS.Timeout;
  #settle: ((error?: Error) => void) | undefined;

  constructor(response: ServerResponse, stall: number) {
    this.#response = response;
    this.#timer = setTimeout(() => this.#settle?.(new Error('the caller stopped reading')), stall);
    response.on('drain', () => this.#settle?.());
    response.on('close', () => this.#settle?.(response.errored ?? new Error('the caller hung up')));
  }

  /** Rejects when the caller went away or reads nothing for too long. */
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
 * Writes a long answer piece by piece under back-pressure, after its head. A failure on the way cuts the connection:
 * the status line is out, and half a JSON text that ended well would be taken for a whole one.
 * @throws what failed: the pieces, or the caller, who hung up or read nothing for `stall` milliseconds
 */
export const writePieces = async (
  response: ServerResponse,
  headOnly: boolean,
  pieces: AsyncIterableIterator<Piece>,
  stall: number,
): Promise<void> => {
  const drain = new Drain(response, stall);
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

/** Milliseconds after which a connection that is being closed is gone, whatever its client does. */
export const lingering = 1_500;

/** Milliseconds between two looks at a connection that is being closed. */
const interval = 100;

/** Bytes that are taken and thrown away meanwhile. */
const discarded = 8 * 1_048_576;

const closing = new WeakSet<Socket>();

/**
 * Ends a connection behind what was written to it. Closed at once, while its client still sends, it would be reset, and
 * the client might lose the answer (RFC 9112, 9.6): so our half is closed, and what still comes is thrown away until
 * the client closes its own. One that does not is cut: after `lingering`, or when it has sent too much.
 */
export const closeGently = (socket: Socket): void => {
  if (closing.has(socket) || socket.destroyed) return;
  closing.add(socket);
  const begun = performance.now();
  const before = socket.bytesRead;
  socket.end();
  const timer = setInterval(() => {
    if (performance.now() - begun >= lingering - interval || socket.bytesRead - before > discarded)
      socket.destroy();
  }, interval);
  socket.once('close', () => clearInterval(timer));
};

/** Has the connection closed so behind its last answer, which says `Connection: close`. */
export const closeGentlyAfterAnswer = (socket: Socket): void => {
  // What Node calls behind such an answer. Its own destroys the socket as soon as the answer is written.
  socket.destroySoon = () => closeGently(socket);
};

export interface ResponderOptions {
  readonly logger: Logger;
  /** None where `CORS_ORIGINS` is empty. */
  readonly cors: Cors | undefined;
  /** Milliseconds that a caller may leave an answer unread before the connection is cut. */
  readonly stall: number;
  readonly requestLines: RequestLines;
  /** Of every answer: names and values in turn. */
  readonly headers: readonly string[];
}

const hasBody = (status: number): boolean => status !== 304 && status !== 204;

/** Whether a body that the answer does not wait for has not come whole. What a test injects has come. */
const isStillComing = ({ raw }: Request): boolean =>
  !raw.complete && bringsBody(raw) && raw.socket instanceof Socket;

const put = (head: string[], name: string, value: string): void => {
  const lower = name.toLowerCase();
  // Of these two there is one each: what an answer says of its keeping stands, what it varies by adds up.
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

/** Writes answers. Every answer of the service, errors included, passes here. */
export class Responder {
  readonly #options: ResponderOptions;

  constructor(options: ResponderOptions) {
    this.#options = options;
  }

  /** Answers a promise where the answer goes on after this call; it resolves in any case. */
  send(request: Request, answer: HttpResponse): Promise<void> | undefined {
    const { response } = request;
    if (answer.failure !== undefined) this.#logFailure(request, answer.failure);
    const { status, body } = answer;
    const head = this.#head(request, answer);
    if (status === 413 || isStillComing(request)) this.#endConnection(request, head);
    else if (request.closes) {
      head.push('connection', 'close');
      request.connection.ending = true;
    }
    const whole = typeof body === 'string' || body instanceof Uint8Array;
    if (!whole && !(body instanceof FramedBytes)) {
      response.writeHead(status, head);
      return this.#sendPieces(request, status, body);
    }
    const length = whole ? Buffer.byteLength(body) : body.byteLength;
    if (hasBody(status)) head.push('content-length', String(length));
    response.writeHead(status, head);
    if (whole) response.end(body);
    else body.send(response);
    this.#guardUnread(request);
    this.#options.requestLines.add(request, status);
    return undefined;
  }

  /** Names and values in turn, as Node takes them fastest. */
  #head(request: Request, { status, type, headers }: HttpResponse): string[] {
    const { cors, headers: general } = this.#options;
    const head = [...general, 'x-request-id', request.requestId];
    if (cors !== undefined) putAll(head, cors.headers(request.header('origin')));
    if (request.varies) put(head, 'vary', 'Accept');
    putAll(head, headers);
    if (type !== '' && hasBody(status)) head.push('content-type', type);
    return head;
  }

  /** Nobody will read what is still coming: it is thrown away for as long as the caller needs to read the answer. */
  #endConnection({ raw, response, connection }: Request, head: string[]): void {
    head.push('connection', 'close');
    connection.ending = true;
    raw.resume();
    if (response.socket instanceof Socket) closeGentlyAfterAnswer(response.socket);
  }

  #sendPieces(request: Request, status: number, pieces: AsyncIterableIterator<Piece>): Promise<void> {
    return writePieces(request.response, request.method === 'HEAD', pieces, this.#options.stall)
      .catch((error: unknown) => this.cut(request, error))
      .finally(() => {
        this.#guardUnread(request);
        this.#options.requestLines.add(request, status);
      });
  }

  /** Ends an answer that has begun and cannot go on: half of one that ended well would be taken for a whole one. */
  cut({ requestId, response }: Request, error: unknown): void {
    this.#options.logger.warn({ err: error, requestId }, 'an answer was cut');
    response.destroy();
  }

  /** Whoever leaves an answer unread holds its memory. Nothing to do where the system has taken all of it already. */
  #guardUnread({ response }: Request): void {
    const { socket } = response;
    // A test that injects has no connection that anybody could leave unread.
    if (socket instanceof Socket && socket.writableLength > 0) socket.setTimeout(this.#options.stall);
  }

  /** An error of the application's can be anything, also one that cannot be printed; the answer goes out all the same. */
  #logFailure({ requestId }: Request, failure: unknown): void {
    const { logger } = this.#options;
    try {
      logger.error({ err: failure, requestId }, 'request failed');
    } catch (error) {
      logger.error({ err: error, requestId }, 'request failed with an error that cannot be printed');
    }
  }
}
