import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';

declare module 'fastify' {
  interface FastifyInstance {
    /** Milliseconds that a caller may leave a long answer unread before the connection is cut. */
    stall: number;
  }
}

/** Waits until a response can take more. It has one timer: one for each wait would cost as much as the wait. */
class Drain {
  readonly #response: ServerResponse;
  readonly #timer: NodeJS.Timeout;
  #settle: ((error?: Error) => void) | undefined;

  constructor(response: ServerResponse, stall: number) {
    this.#response = response;
    this.#timer = setTimeout(() => this.#settle?.(new Error('the caller stopped reading')), stall);
    response.on('drain', () => this.#settle?.());
    response.on('close', () => this.#settle?.(new Error('the caller hung up')));
  }

  /** Rejects when the caller went away or reads nothing for too long. */
  wait(): Promise<void> {
    if (this.#response.destroyed) return Promise.reject(new Error('the caller hung up'));
    this.#timer.refresh();
    return new Promise((resolve, reject) => {
      this.#settle = (error) => {
        this.#settle = undefined;
        if (error === undefined) resolve();
        else reject(error);
      };
    });
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}

const write = async (
  response: ServerResponse,
  pieces: AsyncIterableIterator<string>,
  stall: number,
): Promise<void> => {
  const drain = new Drain(response, stall);
  try {
    for await (const piece of pieces) {
      if (response.destroyed) return;
      if (!response.write(piece)) await drain.wait();
    }
    response.end();
  } finally {
    drain.end();
    await pieces.return?.();
  }
};

/**
 * Writes a long answer piece by piece under back-pressure. A failure on the way cuts the connection: the status line
 * is out, and half a JSON text that ended well would be taken for a whole one.
 */
export const sendPieces = (
  reply: FastifyReply,
  status: number,
  head: string[],
  pieces: AsyncIterableIterator<string>,
): void => {
  const response = reply.raw;
  response.writeHead(status, head);
  const cut = (error: unknown): void => {
    reply.log.warn({ err: error, requestId: reply.request.id }, 'a long answer was cut');
    response.destroy();
  };
  if (reply.request.method === 'HEAD') {
    response.end();
    pieces.return?.().catch(cut);
    return;
  }
  write(response, pieces, reply.server.stall).catch(cut);
};
