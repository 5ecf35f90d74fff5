import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { onTestFinished } from 'vitest';

/** An answer to give, or `hang up` for none. */
export type Reply =
  | 'hang up'
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string };

export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A success with these data. */
export const success = (data?: unknown): Reply => ({
  status: 200,
  body: JSON.stringify({ code: 0, message: 'ok', data }),
});

/** A refusal of the service. */
export const failure = (code: number, headers: Readonly<Record<string, string>> = {}): Reply => ({
  status: Math.floor(code / 100),
  headers,
  body: JSON.stringify({ code, message: `problem ${code}` }),
});

/** A server for one test that gives these replies in turn and hangs up afterwards. */
export const scriptedServer = async (...replies: readonly Reply[]) => {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = '', url = '', headers } = request;
    const reply = replies[seen.length] ?? 'hang up';
    seen.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
    if (reply === 'hang up') return void request.socket.destroy();
    response
      .writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers })
      .end(reply.body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { baseUrl: `http://127.0.0.1:${port}`, seen };
};
