/**
 * Follows events on many connections at a time, and counts them. Reads one job (JSON on the first line of stdin),
 * prints `open` when all streams are open, and the counts when stdin ends.
 */
import { connect } from 'node:net';
import { createInterface } from 'node:readline';

interface FollowJob {
  readonly port: number;
  readonly path: string;
  readonly streams: number;
  /** Tokens of the callers, used in turn. */
  readonly tokens: readonly string[];
}

let open = 0;
let bytes = 0;
let gone = 0;

const follow = ({ port, path }: FollowJob, token: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n\r\n`);
    socket.once('data', (chunk: Buffer) => {
      if (!chunk.toString('latin1').startsWith('HTTP/1.1 200')) return reject(new Error(chunk.toString()));
      open += 1;
      resolve();
    });
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    socket.on('error', reject);
    socket.on('close', () => {
      gone += 1;
    });
  });

const lines = createInterface({ input: process.stdin });
lines.once('line', async (line) => {
  const job = JSON.parse(line) as FollowJob;
  // Some at a time: a server accepts only so many connections at once.
  for (let begun = 0; begun < job.streams; begun += 100)
    await Promise.all(
      Array.from({ length: Math.min(100, job.streams - begun) }, (_, index) =>
        follow(job, job.tokens[(begun + index) % job.tokens.length] ?? ''),
      ),
    );
  process.stdout.write('open\n');
});
lines.once('close', () => {
  process.stdout.write(`${JSON.stringify({ open, gone, megabytes: Math.round(bytes / 1e6) })}\n`, () =>
    process.exit(),
  );
});
