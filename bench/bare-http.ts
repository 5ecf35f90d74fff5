/** Token, body and response of all handwritten servers of the benchmark. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { userIdOf } from './bare-token.ts';

const secret = process.env['JWT_SECRET'] ?? '';

/** The id of the user whose token a request carries; undefined unless the token is valid. */
export const bearerOf = ({ headers: { authorization = '' } }: IncomingMessage): number | undefined =>
  authorization.startsWith('Bearer ') ? userIdOf(secret, authorization.slice(7)) : undefined;

/** The JSON of a request's body. */
export const readBody = <T>(request: IncomingMessage): Promise<T> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      try {
        resolve(JSON.parse(Buffer.concat(chunks).toString()) as T);
      } catch (error) {
        reject(error);
      }
    });
    request.on('error', reject);
  });

/** Responds with `data` in the envelope of the service. */
export const send = (
  response: ServerResponse,
  status: number,
  data?: unknown,
  headers: Record<string, string> = {},
): void => {
  const body = JSON.stringify({ code: status < 400 ? 0 : status * 100, message: 'ok', data });
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    ...headers,
  });
  response.end(body);
};

/** Serves on `PORT` until SIGTERM. A rejection becomes a 500. */
export const serve = (
  handle: (request: IncomingMessage, response: ServerResponse) => Promise<void> | undefined,
): void => {
  const server = createServer((request, response) => {
    handle(request, response)?.catch((error: unknown) => {
      process.stderr.write(`${String(error)}\n`);
      send(response, 500);
    });
  });
  server.keepAliveTimeout = 72_000;
  server.listen(Number(process.env['PORT']), '127.0.0.1');
  process.on('SIGTERM', () => process.exit(0));
};
