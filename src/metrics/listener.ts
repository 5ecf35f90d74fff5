import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { http } from '../kernel/node-http.ts';

/** What Prometheus understands. */
const contentType = 'text/plain; version=0.0.4; charset=utf-8';

/** Milliseconds for which a text is told again: putting it together takes some, and stops requests meanwhile. */
const age = 250;

/** Connections at one moment: a few scrapers, and somebody who looks. */
const most = 16;

export interface ListenerParts {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** What scrapes have to send as a bearer token; undefined: nothing. */
  readonly token: string | undefined;
  readonly logger: Logger;
  /** Puts the text together. */
  readonly text: () => Promise<string>;
}

export interface MetricsListener {
  /** The port that was taken. */
  readonly port: number;
  close(): Promise<void>;
}

/** One text for all who ask while it is made, and for a moment after. */
const shortly = (make: () => Promise<string>): (() => Promise<string>) => {
  let last: Promise<string> | undefined;
  let over = Number.POSITIVE_INFINITY;
  return () => {
    if (last !== undefined && performance.now() - over < age) return last;
    over = Number.POSITIVE_INFINITY;
    last = make().finally(() => {
      over = performance.now();
    });
    return last;
  };
};

const end = (
  response: ServerResponse,
  status: number,
  text: string,
  headers: Record<string, string> = {},
): void => {
  const length = String(Buffer.byteLength(text));
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'content-length': length,
    ...headers,
  });
  response.end(text);
};

/** Compares digests, which are equally long, in constant time. */
const tokenCheck = (token: string | undefined): ((header: string | undefined) => boolean) => {
  if (token === undefined) return () => true;
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  const expected = digest(token);
  return (header = '') => timingSafeEqual(digest(/^bearer +(\S+) *$/i.exec(header)?.[1] ?? ''), expected);
};

const answering = ({ logger, text, token }: ListenerParts) => {
  const mayRead = tokenCheck(token);
  const current = shortly(text);
  let failing = false;
  return async ({ url = '', method, headers }: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (!mayRead(headers.authorization))
      return end(response, 401, 'METRICS_TOKEN as a bearer token\n', { 'www-authenticate': 'Bearer' });
    if (url.split('?', 1)[0] !== '/metrics') return end(response, 404, 'not found: /metrics\n');
    if (method !== 'GET') return end(response, 405, 'only GET\n', { allow: 'GET' });
    try {
      end(response, 200, await current(), { 'content-type': contentType, 'cache-control': 'no-store' });
      failing = false;
    } catch (error) {
      if (!failing) logger.warn({ err: error }, 'metrics');
      failing = true;
      end(response, 500, 'the metrics could not be read\n');
    }
  };
};

const listen = (server: Server, port: number, host: string): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', (error) => reject(new Error(`METRICS_PORT: ${error.message}`, { cause: error })));
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
  });

/**
 * Answers `GET /metrics`, and nothing else. It is no part of what the service serves: it has no routes, reads no
 * bodies, and keeps no process from ending.
 */
export const listenForScrapes = async (parts: ListenerParts): Promise<MetricsListener> => {
  const { host, logger } = parts;
  const answer = answering(parts);
  const server = http.createServer(
    { headersTimeout: 5_000, requestTimeout: 5_000, keepAliveTimeout: 72_000, maxHeaderSize: 8_192 },
    (request, response) => {
      request.resume();
      void answer(request, response);
    },
  );
  server.maxConnections = most;
  server.on('connection', (socket) => socket.setTimeout(120_000, () => socket.destroy()).unref());
  const port = await listen(server, parts.port, host);
  server.unref();
  logger.info({ host, port }, 'metrics');
  return {
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
