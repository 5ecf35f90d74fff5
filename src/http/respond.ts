import { Socket } from 'node:net';
import type { Logger } from 'pino';
import { closeGentlyAfterAnswer } from './closing.ts';
import type { Cors } from './cors.ts';
import { FramedBytes } from './framed-bytes.ts';
import type { Piece } from './pieces.ts';
import type { HttpResponse } from './pipeline.ts';
import { bringsBody } from './read-body.ts';
import type { Request } from './request.ts';
import type { RequestLines } from './request-lines.ts';
import { writePieces } from './write-pieces.ts';

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
