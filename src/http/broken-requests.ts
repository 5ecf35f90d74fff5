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

/** An error of Node's parser: what it was reading, and how far it came. */
interface ParserError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
  readonly bytesParsed?: number;
}

/** The line in which the parser stopped, up to its end or that of the packet. */
const lineAt = ({ rawPacket, bytesParsed = 0 }: ParserError): string => {
  if (rawPacket === undefined) return '';
  const end = rawPacket.indexOf('\n', bytesParsed);
  const start = bytesParsed === 0 ? 0 : rawPacket.lastIndexOf('\n', bytesParsed - 1) + 1;
  return rawPacket.toString('latin1', start, end < 0 ? rawPacket.byteLength : end).trimEnd();
};

const requestLine = /^([\w!#$%&'*+.^`|~-]+) (\S+) HTTP\/1\.[01]$/;
const beginsWithTarget = /^[A-Z-]+ \S+(?: HTTP\/1\.[01])?$/;

/** What their answers have in common with all others. */
export interface BrokenAnswers {
  /** Names and values in turn. */
  readonly headers: readonly string[];
  readonly nextId: () => string;
}

/** Answers what reaches no route: the envelope is written to the socket itself, which is closed behind it. */
export class BrokenRequests {
  readonly #pipeline: Pipeline;
  readonly #connections: Connections;
  readonly #routes: Routes;
  readonly #answers: BrokenAnswers;

  constructor(pipeline: Pipeline, connections: Connections, routes: Routes, answers: BrokenAnswers) {
    this.#pipeline = pipeline;
    this.#connections = connections;
    this.#routes = routes;
    this.#answers = answers;
  }

  /** Bytes that are no HTTP request, or too few of them for too long. */
  readonly broken = (error: ParserError, socket: Socket): void => {
    if (error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    const connection = this.#connections.of(socket);
    // Whoever takes a long body sees to it that it gets on.
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && connection.uploading) return;
    // What follows is as broken, and is thrown away; so is what comes behind a request that ends the connection.
    if (connection.ending || (error.code === 'HPE_CLOSED_CONNECTION' && connection.unanswered > 0)) return;
    if (connection.broken) return;
    connection.broken = true;
    const refuse = (): void => {
      if (!socket.writable) {
        socket.destroy();
        return;
      }
      connection.ending = true;
      socket.write(this.#answer(this.#problemOf(error)));
      closeGently(socket);
    };
    // An error in the body of the last request is the answer to that request; any other comes behind its response.
    const { last } = connection;
    const before = last?.raw.complete === true ? last.response : connection.before;
    if (before === undefined || before.writableFinished || before.destroyed) refuse();
    else before.once('finish', refuse);
  };

  /** The parser knows neither a method of another name, which the routes refuse, nor what of a head is too long. */
  #problemOf(error: ParserError): Problem {
    const { code = '' } = error;
    if (code === 'HPE_INVALID_METHOD') {
      const [, method, target] = requestLine.exec(lineAt(error)) ?? [];
      const destination = method && target && this.#routes.find(method, target);
      if (destination && destination.endpoint === undefined) return destination.problem;
    }
    // Where a target comes in several packets, the later ones look like any header.
    if (code === 'HPE_HEADER_OVERFLOW' && beginsWithTarget.test(lineAt(error)))
      return new Problem('target_too_long', { cause: error });
    return new Problem(problemNames[code] ?? 'bad_request', { cause: error });
  }

  /** A request for a tunnel (CONNECT), which Node would leave without an answer. */
  readonly tunnel = (_request: IncomingMessage, socket: Socket): void => {
    this.#connections.of(socket).ending = true;
    socket.on('error', () => {});
    socket.resume();
    socket.write(this.#answer(new Problem('bad_request')));
    closeGently(socket);
  };

  /** A connection too many. It gets no time to read: it would be one too many for as long. */
  readonly tooMany = (socket: Socket): void => {
    this.#connections.of(socket).ending = true;
    socket.end(this.#answer(overloaded()), () => socket.destroy());
  };

  #answer(problem: Problem): string {
    const { status, type, headers, body } = this.#pipeline.failed(problem);
    const text = String(body);
    const lines = [`HTTP/1.1 ${status} ${http.STATUS_CODES[status]}`];
    const general = [...this.#answers.headers, 'x-request-id', this.#answers.nextId()];
    for (let index = 0; index < general.length; index += 2)
      lines.push(`${general[index]}: ${general[index + 1]}`);
    for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
    lines.push(`content-type: ${type}`, `content-length: ${Buffer.byteLength(text)}`, 'connection: close');
    return `${lines.join('\r\n')}\r\n\r\n${text}`;
  }
}
