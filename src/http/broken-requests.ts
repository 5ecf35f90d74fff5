import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { overloaded, Problem } from '../kernel/problem.ts';
import type { ProblemName } from '../kernel/problem-table.ts';
import { closeGently } from './closing.ts';
import type { Connections } from './connections.ts';
import type { Pipeline } from './pipeline.ts';

const problemNames: Readonly<Record<string, ProblemName>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

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
  readonly #answers: BrokenAnswers;

  constructor(pipeline: Pipeline, connections: Connections, answers: BrokenAnswers) {
    this.#pipeline = pipeline;
    this.#connections = connections;
    this.#answers = answers;
  }

  /** Bytes that are no HTTP request, or too few of them for too long. */
  readonly broken = (error: Error & { readonly code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    const connection = this.#connections.of(socket);
    // Whoever takes a long body sees to it that it gets on.
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && connection.uploading) return;
    // What follows is as broken, and is thrown away.
    if (connection.ending) return;
    if (!socket.writable) {
      socket.destroy();
      return;
    }
    connection.ending = true;
    const name = problemNames[error.code ?? ''] ?? 'bad_request';
    socket.write(this.#answer(new Problem(name, { cause: error })));
    closeGently(socket);
  };

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
    const lines = [`HTTP/1.1 ${status} ${problem.problem}`];
    const general = [...this.#answers.headers, 'x-request-id', this.#answers.nextId()];
    for (let index = 0; index < general.length; index += 2)
      lines.push(`${general[index]}: ${general[index + 1]}`);
    for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
    lines.push(`content-type: ${type}`, `content-length: ${Buffer.byteLength(text)}`, 'connection: close');
    return `${lines.join('\r\n')}\r\n\r\n${text}`;
  }
}
