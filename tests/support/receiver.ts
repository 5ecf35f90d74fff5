import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

/** A request that a receiver got. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly message: {
    readonly type: string;
    readonly timestamp: string;
    readonly data: {
      readonly number: number;
      readonly model: string;
      readonly id: number;
      readonly action: string;
      readonly version: number;
      readonly fields: readonly string[];
      readonly actor: Readonly<Record<string, unknown>>;
      readonly record: Readonly<Record<string, unknown>> | null;
    };
  };
}

/** The response to a message: a status, or a function that handles the response itself. */
export type Respond = (
  received: Received,
  response: ServerResponse,
) => number | undefined | Promise<number | undefined>;

/** A receiver of webhooks on loopback. */
export interface Receiver {
  readonly url: string;
  readonly port: number;
  readonly received: Received[];
  /** Takes effect with the next message. */
  respond: Respond;
  /** Requests that are under way at this moment, and the most that ever were. */
  readonly open: () => number;
  readonly most: () => number;
  close(): Promise<void>;
}

const text = async (chunks: AsyncIterable<Buffer>): Promise<string> => {
  const parts: Buffer[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts).toString();
};

export const startReceiver = async (respond: Respond = () => 204, port = 0): Promise<Receiver> => {
  const received: Received[] = [];
  let [open, most] = [0, 0];
  const server = createServer(async (request, response) => {
    open += 1;
    most = Math.max(most, open);
    response.on('close', () => {
      open -= 1;
    });
    const body = await text(request);
    const one = { path: request.url ?? '', headers: request.headers, body, message: JSON.parse(body) };
    received.push(one);
    const status = await receiver.respond(one, response);
    if (status !== undefined) response.writeHead(status).end(`answered ${status}`);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const taken = (server.address() as AddressInfo).port;
  const receiver: Receiver = {
    url: `http://127.0.0.1:${taken}/hook`,
    port: taken,
    received,
    respond,
    open: () => open,
    most: () => most,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
};

/** True if a message verifies under a secret, by the stock package. */
export const verifies = (secret: string, { headers, body }: Received): boolean => {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
};
