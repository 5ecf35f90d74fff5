import { Agent, get, type IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { ChildService } from './child-service.ts';
import type { LoopReport } from './children/loop-watch.ts';

type Request = Pick<ChildService, 'port' | 'token'>;

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/** The head of an answer; the body has not been read. */
export const open = ({ port, token }: Request, path: string, own?: Agent): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` };
    get({ port, host: '127.0.0.1', path, headers, agent: own ?? agent }, resolve).on('error', reject);
  });

export interface Received {
  readonly status: number;
  readonly bytes: number;
  /** Opening braces: one for the envelope and one for each record that holds none itself. */
  readonly braces: number;
  /** Milliseconds to the first byte of the body, and to the last. */
  readonly first: number;
  readonly whole: number;
}

const brace = 0x7b;

const bracesIn = (chunk: Buffer): number => {
  let count = 0;
  for (let at = chunk.indexOf(brace); at >= 0; at = chunk.indexOf(brace, at + 1)) count += 1;
  return count;
};

/** Reads an answer to its end without keeping it. */
export const receive = async (service: Request, path: string): Promise<Received> => {
  const started = performance.now();
  const message = await open(service, path);
  let [bytes, braces, first] = [0, 0, 0];
  for await (const chunk of message as AsyncIterable<Buffer>) {
    if (bytes === 0) first = performance.now() - started;
    bytes += chunk.length;
    braces += bracesIn(chunk);
  }
  return { status: message.statusCode ?? 0, bytes, braces, first, whole: performance.now() - started };
};

/** Asks for single records while something else runs; returns the slowest, in milliseconds. */
const probeWhile = async (service: Request, work: Promise<unknown>): Promise<number> => {
  let running = true;
  const done = work.finally(() => {
    running = false;
  });
  let slowest = 0;
  while (running) {
    const { whole, status } = await receive(service, '/api/v1/notes/17');
    if (status !== 200) throw new Error(`a record in between: ${status}`);
    slowest = Math.max(slowest, whole);
    await delay(3);
  }
  await done;
  return slowest;
};

export interface Figures extends Received, LoopReport {
  readonly path: string;
  /** Milliseconds of the slowest request for one record meanwhile. */
  readonly slowest: number;
}

/** Measures the cost of a read for its caller, the others, and the service. */
export const measureRead = async (service: ChildService, path: string): Promise<Figures> => {
  await service.reset();
  const reading = receive(service, path);
  const slowest = await probeWhile(service, reading);
  return { path, slowest, ...(await reading), ...(await service.report()) };
};

/** Reads that no index bounds, each in its own way. `%5B` and `%5D` are brackets. */
export const unboundedReads = (rows: number): readonly string[] => {
  const list = '/api/v1/notes';
  return [
    `${list}?per_page=20&page=1`,
    `${list}?per_page=20&page=${Math.floor(rows / 20)}`,
    `${list}?per_page=1000&page=${Math.floor(rows / 1000)}`,
    `${list}?per_page=20&sort=-weight`,
    `${list}?per_page=20&page=3&sort=weight,-title`,
    `${list}?per_page=20&filter%5Bweight%5D=500000`,
    `${list}?filter%5Bweight%5D%5Blt%5D=300`,
    `${list}?per_page=20&filter%5Bbody%5D%5Blike%5D=no+such+words`,
    `${list}?per_page=20&q=no+such+words`,
    `${list}?page=1&q=99`,
    `${list}?per_page=1000&sort=-rank`,
    `${list}?per_page=20&filter%5Bprice%5D%5Bgt%5D=999.98&sort=at`,
    `/admin/records/notes?per_page=20&sort=body`,
  ];
};
