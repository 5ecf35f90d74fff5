/**
 * A load generator over plain sockets: each connection sends a request, reads the whole answer, sends the next. Cheap
 * enough that one core of it saturates one core of the server. Speaks to the loopback only and stops by itself.
 * Reads one job (a JSON file) and prints one line of JSON.
 */
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';

export interface Job {
  readonly port: number;
  readonly connections: number;
  readonly milliseconds: number;
  /**
   * Whole requests, taken in turn; a running number replaces `{n}`, with nine digits, and `{id}`, where it counts from
   * `from`.
   */
  readonly requests: readonly string[];
  readonly from?: number;
  readonly expect: number;
}

export interface Result {
  readonly requests: number;
  readonly seconds: number;
  readonly failures: number;
  readonly p50: number;
  readonly p99: number;
}

const headEnd = Buffer.from('\r\n\r\n');

/** Bytes of the answer at the start of the buffer; undefined while it is not whole. */
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

const run = (job: Job): Promise<Result> => {
  const latencies: number[] = [];
  let [count, failures, number] = [0, 0, 0];
  const expected = `HTTP/1.1 ${job.expect} `;
  const started = performance.now();
  const deadline = started + job.milliseconds;
  const fixed = job.requests.map((text) => (/\{(?:n|id)\}/.test(text) ? text : Buffer.from(text)));
  const next = (): string | Buffer => {
    const request = fixed[number++ % fixed.length] ?? '';
    if (typeof request !== 'string') return request;
    return request
      .replaceAll('{n}', String(number).padStart(9, '0'))
      .replace('{id}', String((job.from ?? 0) + number - 1));
  };

  const drive = (socket: Socket): Promise<void> =>
    new Promise((resolve, reject) => {
      let pending: Buffer = Buffer.alloc(0);
      let sent = 0;
      const send = (): void => {
        sent = performance.now();
        socket.write(next());
      };
      socket.on('data', (chunk: Buffer) => {
        pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
        const length = answerLength(pending);
        if (length === undefined) return;
        const now = performance.now();
        latencies.push(now - sent);
        count++;
        if (pending.toString('latin1', 0, expected.length) !== expected) failures++;
        pending = pending.subarray(length);
        if (now < deadline) send();
        else {
          socket.end();
          resolve();
        }
      });
      socket.on('error', reject);
      socket.on('close', () => resolve());
      send();
    });

  const sockets = Array.from({ length: job.connections }, () =>
    connect(job.port, '127.0.0.1').setNoDelay(true),
  );
  return Promise.all(sockets.map(drive)).then(() => {
    latencies.sort((a, b) => a - b);
    const at = (share: number): number =>
      latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0;
    return {
      requests: count,
      seconds: (performance.now() - started) / 1000,
      failures,
      p50: at(0.5),
      p99: at(0.99),
    };
  });
};

const file = process.argv[2];
if (file !== undefined) {
  const result = await run(JSON.parse(readFileSync(file, 'utf8')) as Job);
  process.stdout.write(`${JSON.stringify(result)}\n`);
}
