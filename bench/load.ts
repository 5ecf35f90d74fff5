/**
 * A load generator over plain sockets, cheap enough that one core of it saturates one core of the server. In a closed
 * loop each connection sends a request, reads the whole response, and sends the next. In an open loop, with
 * `perSecond`, requests are due at a steady rate, and their latency counts from the due time: a server that stalls is
 * charged for all requests of that time. Connects to the loopback only and stops by itself. Reads one job (a JSON
 * file) and prints one line of JSON.
 */
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';

export interface Job {
  readonly port: number;
  readonly connections: number;
  readonly milliseconds: number;
  /** Milliseconds of load before the measurement, in which this program itself is compiled. */
  readonly warmup?: number;
  /**
   * Complete requests, used in turn; a running number replaces `{n}`, with nine digits, and `{id}`, where it starts
   * at `from`.
   */
  readonly requests: readonly string[];
  readonly from?: number;
  /** The status of a successful response, or those of several kinds of requests. */
  readonly expect: number | readonly number[];
  /** Requests that are due per second; without it, the next is due when a response arrives. */
  readonly perSecond?: number;
}

export interface Result {
  /** Number of all responses, including those of the warm-up. */
  readonly requests: number;
  /** Responses a second after the warm-up. */
  readonly perSecond: number;
  readonly failures: number;
  /** Latency in milliseconds of this percentile. */
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
}

const headEnd = Buffer.from('\r\n\r\n');

/** Bytes of the response at the start of the buffer; undefined while it is incomplete. */
const answerLength = (buffer: Buffer): number | undefined => {
  const end = buffer.indexOf(headEnd);
  if (end < 0) return undefined;
  const head = buffer.toString('latin1', 0, end).toLowerCase();
  const at = head.indexOf('content-length: ');
  if (at >= 0) {
    const length = end + 4 + Number.parseInt(head.slice(at + 16), 10);
    return buffer.length >= length ? length : undefined;
  }
  const last = buffer.indexOf('\r\n0\r\n\r\n', end, 'latin1');
  return last < 0 ? undefined : last + 7;
};

/** The texts of the requests, one after the other, endlessly. */
export const requestsOf = ({ requests, from = 0 }: Job): (() => string | Buffer) => {
  const fixed = requests.map((text) => (/\{(?:n|id)\}/.test(text) ? text : Buffer.from(text)));
  let number = 0;
  return () => {
    const request = fixed[number++ % fixed.length] ?? '';
    if (typeof request !== 'string') return request;
    return request
      .replaceAll('{n}', String(number).padStart(9, '0'))
      .replace('{id}', String(from + number - 1));
  };
};

/** Bytes of `HTTP/1.1 200 `. */
const statusLength = 13;

/** Statistics of the responses. `since` is the time from which a response counts, in milliseconds. */
class Tally {
  readonly #latencies: number[] = [];
  readonly #expected: readonly string[];
  readonly #warm: number;
  readonly #milliseconds: number;
  #requests = 0;
  /** Responses between the warm-up and the deadline, whenever their requests began. */
  #counted = 0;
  failures = 0;
  /** Time after which no more requests are sent. */
  readonly deadline: number;

  constructor({ expect, warmup = 0, milliseconds }: Job) {
    this.#expected = [expect].flat().map((status) => `HTTP/1.1 ${status} `);
    this.#warm = performance.now() + warmup;
    this.#milliseconds = milliseconds;
    this.deadline = this.#warm + milliseconds;
  }

  take(answer: Buffer, since: number): void {
    const now = performance.now();
    this.#requests += 1;
    if (now >= this.#warm && now <= this.deadline) this.#counted += 1;
    if (since >= this.#warm) this.#latencies.push(now - since);
    const line = answer.toString('latin1', 0, statusLength);
    if (!this.#expected.includes(line)) this.failures++;
  }

  result(): Result {
    const sorted = Float64Array.from(this.#latencies).sort();
    const at = (share: number): number =>
      sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
    const perSecond = this.#counted / (this.#milliseconds / 1000);
    const { failures } = this;
    return { requests: this.#requests, perSecond, failures, p50: at(0.5), p99: at(0.99), p999: at(0.999) };
  }
}

/** Calls back with each complete response of a connection. */
export const receive = (socket: Socket, onAnswer: (answer: Buffer) => void): void => {
  let pending: Buffer = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    const length = answerLength(pending);
    if (length === undefined) return;
    const answer = pending;
    pending = pending.subarray(length);
    onAnswer(answer);
  });
};

const open = (job: Job): readonly Socket[] =>
  Array.from({ length: job.connections }, () => connect(job.port, '127.0.0.1').setNoDelay(true));

const closedLoop = async (job: Job): Promise<Result> => {
  const next = requestsOf(job);
  const tally = new Tally(job);
  const drive = (socket: Socket): Promise<void> =>
    new Promise((resolve, reject) => {
      let sent = 0;
      const send = (): void => {
        sent = performance.now();
        socket.write(next());
      };
      receive(socket, (answer) => {
        tally.take(answer, sent);
        if (performance.now() < tally.deadline) return send();
        socket.end();
        resolve();
      });
      socket.on('error', reject);
      socket.on('close', () => resolve());
      send();
    });
  await Promise.all(open(job).map(drive));
  return tally.result();
};

/** Milliseconds for the last responses. A response that arrives later is a failure. */
const grace = 5_000;

const openLoop = (job: Job, perSecond: number): Promise<Result> =>
  new Promise((resolve, reject) => {
    const next = requestsOf(job);
    const tally = new Tally(job);
    const interval = 1000 / perSecond;
    const due: number[] = [];
    const idle: Socket[] = [];
    const since = new Map<Socket, number>();
    const sockets = open(job);
    let upcoming = performance.now();
    const { deadline } = tally;
    for (const socket of sockets) {
      socket.on('error', reject);
      socket.once('connect', () => idle.push(socket));
      receive(socket, (answer) => {
        tally.take(answer, since.get(socket) ?? 0);
        since.delete(socket);
        idle.push(socket);
      });
    }
    // Polls the clock on a core of its own: a timer would be late by up to a millisecond.
    const turn = (): void => {
      const now = performance.now();
      for (; upcoming <= now && upcoming < deadline; upcoming += interval) due.push(upcoming);
      let first = 0;
      while (first < due.length) {
        const socket = idle.pop();
        if (socket === undefined) break;
        since.set(socket, due[first++] ?? now);
        socket.write(next());
      }
      if (first > 0) due.splice(0, first);
      const left = due.length + since.size;
      if (now < deadline || (left > 0 && now < deadline + grace)) return void setImmediate(turn);
      tally.failures += left;
      for (const socket of sockets) socket.destroy();
      resolve(tally.result());
    };
    turn();
  });

const file = process.argv[2];
if (file !== undefined) {
  const job = JSON.parse(readFileSync(file, 'utf8')) as Job;
  const result = await (job.perSecond === undefined ? closedLoop(job) : openLoop(job, job.perSecond));
  process.stdout.write(`${JSON.stringify(result)}\n`);
}
