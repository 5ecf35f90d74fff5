import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';

/** The bytes of a body, or `too-large`; the latter is refused only after the caller was found entitled to send one. */
export type Body = Buffer | 'too-large';

/** Of a request that has none. */
export const noBytes: Buffer = Buffer.alloc(0);

/** How much of an oversized body is read and thrown away, so that the caller is still there to read the answer. */
const drained = 8;
const drainMilliseconds = 2000;

const hungUp = (): Error => new Error('the caller hung up before the body had arrived');

/**
 * Reads a request's body up to `limit` bytes; at once where all of it has come with the head.
 * @throws the stream's error when the caller hangs up.
 */
export const readBody = (raw: IncomingMessage, limit: number): Body | Promise<Body> => {
  // What has happened already is not told again.
  if (raw.destroyed) return Promise.reject(hungUp());
  if (!raw.complete || raw.readableLength > limit) return collect(raw, limit);
  // Each call gives one of the chunks that have come.
  const chunks: Buffer[] = [];
  for (let chunk = raw.read(); chunk !== null; chunk = raw.read()) chunks.push(chunk as Buffer);
  return joined(chunks);
};

const joined = (chunks: readonly Buffer[]): Buffer => {
  const [first = noBytes] = chunks;
  return chunks.length > 1 ? Buffer.concat(chunks) : first;
};

const collect = (stream: Readable, limit: number): Promise<Body> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let timer: NodeJS.Timeout | undefined;
    const settle = (outcome: () => void): void => {
      clearTimeout(timer);
      stream.off('data', onData).off('end', onEnd).off('error', onError).off('close', onClose);
      outcome();
    };
    const tooLarge = (): void => {
      stream.resume();
      settle(() => resolve('too-large'));
    };
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      if (size <= limit) {
        chunks.push(chunk);
        return;
      }
      chunks.length = 0;
      timer ??= setTimeout(tooLarge, drainMilliseconds);
      if (size > limit * drained) tooLarge();
    };
    const onEnd = (): void => {
      if (size > limit) tooLarge();
      else settle(() => resolve(joined(chunks)));
    };
    const onError = (error: Error): void => settle(() => reject(error));
    const onClose = (): void => settle(() => reject(hungUp()));
    stream.on('data', onData).on('end', onEnd).on('error', onError).on('close', onClose);
  });
