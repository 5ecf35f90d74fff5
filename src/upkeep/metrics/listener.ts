/** The HTTP server of `GET /metrics`, apart from the service, with its token and limits. */

import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { http } from '../../kernel/node-http.ts';

/** The media type of the text format of Prometheus. */
const contentType = 'text/plain; version=0.0.4; charset=utf-8';

/** Milliseconds for which a text is served again: creating it blocks the main thread for a while. */
const maxAgeMs = 250;

/** Connections at the same time: a few scrapers and a person. */
const maxConnections = 16;

export interface ListenerParts {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** Bearer token that scrapes must send; undefined: none. */
  readonly token: string | undefined;
  readonly logger: Logger;
  /** Creates the text. */
  readonly text: () => Promise<string>;
}

export interface MetricsListener {
  /** The port in use. */
  readonly port: number;
  close(): Promise<void>;
}

/** Shares one text between all requests that arrive while it is created, and for a moment after. */
const shareBriefly = (make: () => Promise<string>): (() => Promise<string>) => {
  let last: Promise<string> | undefined;
  let over = Number.POSITIVE_INFINITY;
  return () => {
    if (last !== undefined && performance.now() - over < maxAgeMs) return last;
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

/** Compares digests, which have equal length, in constant time. */
const tokenCheck = (token: string | undefined): ((header: string | undefined) => boolean) => {
  if (token === undefined) return () => true;
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  const expected = digest(token);
  return (header = '') => timingSafeEqual(digest(/^bearer +(\S+) *$/i.exec(header)?.[1] ?? ''), expected);
};

const createAnswer = ({ logger, text, token }: ListenerParts) => {
  const mayRead = tokenCheck(token);
  const current = shareBriefly(text);
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
 * Serves `GET /metrics` only, apart from the service: it has no routes, reads no bodies, and keeps no process alive.
 */
export const listenForScrapes = async (parts: ListenerParts): Promise<MetricsListener> => {
  const { host, logger } = parts;
  const answer = createAnswer(parts);
  const server = http.createServer(
    { headersTimeout: 5_000, requestTimeout: 5_000, keepAliveTimeout: 72_000, maxHeaderSize: 8_192 },
    (request, response) => {
      request.resume();
      void answer(request, response);
    },
  );
  server.maxConnections = maxConnections;
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
