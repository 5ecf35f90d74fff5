import { connect, createServer, type Socket } from 'node:net';

/** What becomes of a connection once a statement was passed on: it breaks with the answer, or nothing more comes. */
export type Fault = 'cut' | 'silent';

export interface FaultyProxy {
  readonly url: string;
  /** From now on, the first statement with this text on a connection is the last that gets through on it. */
  arm(text: string, fault: Fault): void;
  /** Connections that broke so. */
  readonly hits: number;
  /** Takes no further connections. */
  close(): void;
}

/** Passes bytes on to PostgreSQL; a statement that it is armed for still arrives there, its answer does not. */
export const faultyProxy = async (direct: string): Promise<FaultyProxy> => {
  const target = new URL(direct);
  const { port, hostname } = target;
  let [armed, fault, hits]: [string, Fault, number] = ['nothing is armed', 'cut', 0];
  const server = createServer((client: Socket) => {
    const upstream = connect(Number(port), hostname);
    let broken: Fault | undefined;
    client.on('data', (bytes) => {
      if (broken === undefined && bytes.includes(armed)) {
        broken = fault;
        hits += 1;
      } else if (broken === 'silent') return;
      upstream.write(bytes);
    });
    upstream.on('data', (bytes) => {
      if (broken === 'cut') client.destroy();
      else if (broken === undefined) client.write(bytes);
    });
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      socket.on('error', () => {});
      socket.on('close', () => other.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  target.port = String(address.port);
  return {
    url: target.href,
    arm: (text, kind) => {
      [armed, fault] = [text, kind];
    },
    get hits() {
      return hits;
    },
    close: () => void server.close(),
  };
};
