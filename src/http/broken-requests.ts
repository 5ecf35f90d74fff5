/** Responses to bytes that Node's parser refuses: an envelope, written to the socket itself. */

import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { http } from '../kernel/node-http.ts';
import { overloaded, Problem } from '../kernel/problem.ts';
import type { ProblemName } from '../kernel/problem-table.ts';
import type { Connections } from './connections.ts';
import type { Pipeline } from './pipeline.ts';
import { closeGently } from './respond.ts';
import type { Routes } from './routes.ts';

const problemNames: Readonly<Record<string, ProblemName>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  HPE_INVALID_VERSION: 'unsupported_http_version',
  HPE_PAUSED_H2_UPGRADE: 'unsupported_http_version',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/** An error of Node's parser: the packet that it was reading, and how far it came. */
interface ParserError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
  readonly bytesParsed?: number;
}

/** Returns the line in which the parser stopped, up to the end of the line or of the packet. */
const lineAt = ({ rawPacket, bytesParsed = 0 }: ParserError): string => {
  if (rawPacket === undefined) return '';
  const end = rawPacket.indexOf('\n', bytesParsed);
  const start = bytesParsed === 0 ? 0 : rawPacket.lastIndexOf('\n', bytesParsed - 1) + 1;
  return rawPacket.toString('latin1', start, end < 0 ? rawPacket.byteLength : end).trimEnd();
};

const requestLine = /^([\w!#$%&'*+.^`|~-]+) (\S+) HTTP\/1\.[01]$/;
const beginsWithTarget = /^[A-Z-]+ \S+(?: HTTP\/1\.[01])?$/;

/** The parts that the responses to broken requests share with all others. */
export interface BrokenResponses {
  /** Names and values in turn. */
  readonly headers: readonly string[];
  readonly nextId: () => string;
}

/** Refuses bytes that reach no route: writes an envelope to the socket itself, and closes it. */
export class BrokenRequests {
  readonly #pipeline: Pipeline;
  readonly #connections: Connections;
  readonly #routes: Routes;
  readonly #responses: BrokenResponses;

  constructor(pipeline: Pipeline, connections: Connections, routes: Routes, responses: BrokenResponses) {
    this.#pipeline = pipeline;
    this.#connections = connections;
    this.#routes = routes;
    this.#responses = responses;
  }

  /** Refuses bytes that are no HTTP request, and a request that takes too long to arrive. */
  readonly broken = (error: ParserError, socket: Socket): void => {
    if (error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    const connection = this.#connections.of(socket);
    // `Incoming` times out a long body itself.
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && connection.uploading) return;
    // The first error ends the connection. Bytes behind it, or behind a request that ends the connection, are
    // discarded.
    if (connection.ending || (error.code === 'HPE_CLOSED_CONNECTION' && connection.unanswered > 0)) return;
    if (connection.broken) return;
    connection.broken = true;
    const refuse = (): void => {
      if (!socket.writable) {
        socket.destroy();
        return;
      }
      connection.ending = true;
      socket.write(this.#response(this.#problemOf(error)));
      closeGently(socket);
    };
    // An error in the body of the last request replaces the response to it; any other error follows that response.
    const { last } = connection;
    const before = last?.raw.complete === true ? last.response : connection.before;
    if (before === undefined || before.writableFinished || before.destroyed) refuse();
    else before.once('finish', refuse);
  };

  /**
   * Returns the refusal. The parser knows neither which methods the routes refuse, nor which part of a head is too
   * long.
   */
  #problemOf(error: ParserError): Problem {
    const { code = '' } = error;
    if (code === 'HPE_INVALID_METHOD') {
      const [, method, target] = requestLine.exec(lineAt(error)) ?? [];
      const destination = method && target && this.#routes.find(method, target);
      if (destination && destination.endpoint === undefined) return destination.problem;
    }
    // Where a target arrives in several packets, only the first shows that it is a target.
    if (code === 'HPE_HEADER_OVERFLOW' && beginsWithTarget.test(lineAt(error)))
      return new Problem('target_too_long', { cause: error });
    return new Problem(problemNames[code] ?? 'bad_request', { cause: error });
  }

  /** Refuses a request for a tunnel (CONNECT), to which Node would not respond. */
  readonly tunnel = (_request: IncomingMessage, socket: Socket): void => {
    this.#connections.of(socket).ending = true;
    socket.on('error', () => {});
    socket.resume();
    socket.write(this.#response(new Problem('bad_request')));
    closeGently(socket);
  };

  /**
   * Refuses a connection beyond the limit, and closes it at once: waiting for its client would exceed the limit as
   * long.
   */
  readonly tooMany = (socket: Socket): void => {
    this.#connections.of(socket).ending = true;
    socket.end(this.#response(overloaded()), () => socket.destroy());
  };

  #response(problem: Problem): string {
    const { status, type, headers, body, language } = this.#pipeline.failed(problem, undefined);
    const text = String(body);
    const lines = [`HTTP/1.1 ${status} ${http.STATUS_CODES[status]}`];
    const general = [...this.#responses.headers, 'x-request-id', this.#responses.nextId()];
    for (let index = 0; index < general.length; index += 2)
      lines.push(`${general[index]}: ${general[index + 1]}`);
    for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
    if (language !== undefined) lines.push(`content-language: ${language}`, 'vary: Accept-Language');
    lines.push(`content-type: ${type}`, `content-length: ${Buffer.byteLength(text)}`, 'connection: close');
    return `${lines.join('\r\n')}\r\n\r\n${text}`;
  }
}
