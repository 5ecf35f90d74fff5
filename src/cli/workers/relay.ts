import type { Readable } from 'node:stream';

/** Bytes of one line that wait for its end; a longer one is passed on as it comes. */
const longestLine = 1_048_576;

const newline = 10;

/**
 * Passes on what a worker writes, whole lines at a time: one process writes for all, as a pipe mixes what several write
 * to it at once. Resolves when there is no more.
 */
export const relayLines = (from: Readable, write: (text: string) => void): Promise<void> =>
  new Promise((resolve) => {
    let parts: Buffer[] = [];
    let length = 0;
    const take = (chunk: Buffer): void => {
      if (chunk.length === 0) return;
      parts.push(chunk);
      length += chunk.length;
    };
    const pass = (end = ''): void => {
      if (length > 0) write(Buffer.concat(parts).toString() + end);
      parts = [];
      length = 0;
    };
    from.on('data', (chunk: Buffer) => {
      const end = chunk.lastIndexOf(newline) + 1;
      take(chunk.subarray(0, end));
      if (end > 0) pass();
      take(chunk.subarray(end));
      if (length > longestLine) pass('\n');
    });
    // Killed in the middle of a line.
    from.on('close', () => resolve(pass('\n')));
    from.on('error', () => {});
  });
