import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';

declare module 'fastify' {
  interface FastifyInstance {
    /** Milliseconds that a caller may leave a long answer unread before the connection is cut. */
    stall: number;
  }
}

/** Resolves when the response can take more; rejects when the caller went away or reads nothing for too long. */
const drained = (response: ServerResponse, stall: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const settle = (error?: Error): void => {
      clearTimeout(timer);
      response.off('drain', onDrain).off('close', onClose);
      if (error === undefined) resolve();
      else reject(error);
    };
    const onDrain = (): void => settle();
    const onClose = (): void => settle(new Error('the caller hung up'));
    const timer = setTimeout(() => settle(new Error('the caller stopped reading')), stall);
    response.on('drain', onDrain).on('close', onClose);
  });

const write = async (
  response: ServerResponse,
  pieces: AsyncIterableIterator<string>,
  stall: number,
): Promise<void> => {
  try {
    for await (const piece of pieces) {
      if (response.destroyed) return;
      if (!response.write(piece)) await drained(response, stall);
    }
    response.end();
  } finally {
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
