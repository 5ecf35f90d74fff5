/**
 * A load generator that serves one measurement after the other. It keeps its connections, sends the number of requests
 * that a job names, and reports the last response. Started by `Turns`, whose messages are jobs.
 */
import { connect, type Socket } from 'node:net';
import { receive, requestsOf } from './load.ts';

export interface TurnJob {
  readonly port: number;
  readonly connections: number;
  /** A job goes on where the last one of this name and server ended. */
  readonly name: string;
  /** Complete requests, as in `Job`; only with the first job of this name and server. */
  readonly requests: readonly string[] | undefined;
  readonly count: number;
  readonly expect: number;
}

export interface TurnResult {
  /** The first response that was not expected. */
  readonly unexpected: string | undefined;
}

const sockets = new Map<number, Socket[]>();
const streams = new Map<string, () => string | Buffer>();

const socketsOf = async ({ port, connections }: TurnJob): Promise<readonly Socket[]> => {
  const open = sockets.get(port)?.filter((socket) => !socket.destroyed) ?? [];
  sockets.set(port, open);
  while (open.length < connections) {
    const socket = connect(port, '127.0.0.1').setNoDelay(true);
    await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    open.push(socket);
  }
  return open.slice(0, connections);
};

const run = async (job: TurnJob): Promise<TurnResult> => {
  const key = `${job.port} ${job.name}`;
  const { requests } = job;
  if (requests !== undefined) streams.set(key, requestsOf({ ...job, requests, milliseconds: 0 }));
  const next = streams.get(key);
  if (next === undefined) throw new Error(`no requests for ${key}`);
  const expected = `HTTP/1.1 ${job.expect} `;
  let sent = 0;
  let unexpected: string | undefined;
  const drive = (socket: Socket): Promise<void> =>
    new Promise((resolve, reject) => {
      const send = (): void => {
        if (sent < job.count) {
          sent += 1;
          socket.write(next());
        } else {
          socket.removeAllListeners();
          resolve();
        }
      };
      receive(socket, (response) => {
        const text = response.toString('latin1', 0, 400);
        if (!text.startsWith(expected)) unexpected ??= text;
        send();
      });
      socket.once('error', reject);
      send();
    });
  await Promise.all((await socketsOf(job)).map(drive));
  return { unexpected };
};

process.on('message', (job: TurnJob) => {
  run(job).then(
    (result) => process.send?.(result),
    (error: unknown) => process.send?.({ unexpected: String(error) }),
  );
});
// The measurement has ended.
process.on('disconnect', () => process.exit());
