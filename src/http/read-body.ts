import type { IncomingMessage, ServerResponse } from 'node:http';
import { overloaded, Problem } from '../kernel/problem.ts';
import type { BodyHolder, BodyMemory } from './body.ts';
import type { Connection } from './connections.ts';

/** Requests that start together at most: with more, further answers would lie in memory at a time for no further gain. */
const together = 32;

/**
 * Starts the requests that one poll of the event loop has brought together, once they are all there. They go through
 * the pipeline in step from then on, as what they wait for resolves in the same order: each stage runs for all of them
 * before the next begins, and finds its code and data in the caches of the processor. Node by itself would take each
 * request from parser to socket, and meet every stage cold.
 */
export class Arrivals {
  readonly #onStart: () => void;
  #waiting: (() => void)[] = [];

  /** `onStart` is called before requests start. */
  constructor(onStart: () => void = () => {}) {
    this.#onStart = onStart;
  }

  /** Has `start` called when the events of this poll have been taken. The check phase, where it is, follows the poll. */
  join(start: () => void): void {
    if (this.#waiting.push(start) === 1) setImmediate(this.#start);
  }

  readonly #start = (): void => {
    const ready = this.#waiting;
    this.#waiting = ready.splice(together);
    this.#onStart();
    for (const start of ready) start();
    // All that one poll has brought starts before the next one: otherwise whoever sends faster than we answer would
    // fill the memory. A tick comes when no promise is left to resolve, so the first have gone as far as they can.
    if (this.#waiting.length > 0) queueMicrotask(() => process.nextTick(this.#start));
  };
}

/** Of a request that has none. */
export const noBytes: Buffer = Buffer.alloc(0);

/** Bytes that a piece of a body costs beyond its bytes: whoever sends a byte at a time would pay for it two hundredfold. */
export const perPiece = 256;

/** A request whose body is read. */
export interface BodySender extends BodyHolder {
  readonly raw: IncomingMessage;
  readonly response: ServerResponse;
  readonly connection: Connection;
}

export interface BodyReading {
  /** Bytes of one body. */
  readonly limit: number;
  readonly memory: BodyMemory;
  /** Milliseconds in which some of a long body has to come. */
  readonly patience: number;
  readonly arrivals: Arrivals;
}

/** Methods whose body is read; that of any other is left alone. */
const methodsWithBody: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/** Whether the request announces a body. */
export const bringsBody = ({ headers }: IncomingMessage): boolean => {
  const { 'content-length': length, 'transfer-encoding': encoding } = headers;
  return encoding !== undefined || (length !== undefined && length !== '0');
};

export const tooLarge = (limit: number): Problem => new Problem('body_too_large', { params: { limit } });

export const hungUp = (cause?: unknown): Problem =>
  new Problem('bad_request', {
    cause: new Error('the caller hung up before the body had arrived', { cause }),
  });

const joined = (chunks: readonly Buffer[]): Buffer => {
  const [first = noBytes] = chunks;
  return chunks.length > 1 ? Buffer.concat(chunks) : first;
};

/**
 * Reads a request's body; at once where all of it has come with the head. Its bytes count in the memory for bodies
 * until whoever holds them releases it.
 * @throws Problem `body_too_large`; `overloaded` where that memory is full; `bad_request` when the caller hangs up
 */
export const readBody = (sender: BodySender, reading: BodyReading): Buffer | Promise<Buffer> => {
  const { raw } = sender;
  const { limit, memory } = reading;
  if (!methodsWithBody.has(raw.method ?? '') || !bringsBody(raw)) return noBytes;
  if (Number(raw.headers['content-length']) > limit) throw tooLarge(limit);
  // What has happened already is not told again.
  if (raw.destroyed) throw hungUp();
  if (!raw.complete) return arriving(sender, reading);
  if (raw.readableLength > limit) throw tooLarge(limit);
  memory.take(sender, raw.readableLength);
  // Each call gives one of the chunks that have come.
  const chunks: Buffer[] = [];
  for (let chunk = raw.read(); chunk !== null; chunk = raw.read()) chunks.push(chunk as Buffer);
  return joined(chunks);
};

/** Goes on together with the requests that arrived with the last of the body. */
const arriving = async (sender: BodySender, reading: BodyReading): Promise<Buffer> => {
  const { raw, response, connection } = sender;
  if (raw.headers.expect !== undefined && raw.httpVersion === '1.1') response.writeContinue();
  const body = await collect(sender, reading);
  // Another answer went out meanwhile: it took too long to come.
  if (connection.ending) throw hungUp();
  await new Promise<void>((resolve) => reading.arrivals.join(resolve));
  return body;
};

const collect = (sender: BodySender, { limit, memory }: BodyReading): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const { raw } = sender;
    const chunks: Buffer[] = [];
    let size = 0;
    const settle = (outcome: () => void): void => {
      raw.off('data', onData).off('end', onEnd).off('error', onError).off('close', onClose);
      memory.complete(coming);
      outcome();
    };
    const refuse = (problem: unknown): void => settle(() => reject(problem));
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      try {
        if (size > limit) throw tooLarge(limit);
        memory.take(sender, chunk.length + perPiece);
        chunks.push(chunk);
      } catch (problem) {
        refuse(problem);
      }
    };
    const onEnd = (): void => settle(() => resolve(joined(chunks)));
    const onError = (error: Error): void => refuse(hungUp(error));
    const onClose = (): void => refuse(hungUp());
    const coming = memory.begin(sender, () => refuse(overloaded()));
    raw.on('data', onData).on('end', onEnd).on('error', onError).on('close', onClose);
  });
