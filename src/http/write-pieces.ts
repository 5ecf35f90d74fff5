import type { ServerResponse } from 'node:http';
import type { Piece } from './pieces.ts';

/** Waits until a response can take more. It has one timer: one for each wait would cost as much as the wait. */
class Drain {
  readonly #response: ServerResponse;
  readonly #timer: NodeJS.Timeout;
  #settle: ((error?: Error) => void) | undefined;

  constructor(response: ServerResponse, stall: number) {
    this.#response = response;
    this.#timer = setTimeout(() => this.#settle?.(new Error('the caller stopped reading')), stall);
    response.on('drain', () => this.#settle?.());
    response.on('close', () => this.#settle?.(response.errored ?? new Error('the caller hung up')));
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

/**
 * Writes a long answer piece by piece under back-pressure, after its head. A failure on the way cuts the connection:
 * the status line is out, and half a JSON text that ended well would be taken for a whole one.
 * @throws what failed: the pieces, or the caller, who hung up or read nothing for `stall` milliseconds
 */
export const writePieces = async (
  response: ServerResponse,
  headOnly: boolean,
  pieces: AsyncIterableIterator<Piece>,
  stall: number,
): Promise<void> => {
  const drain = new Drain(response, stall);
  try {
    for await (const piece of headOnly ? [] : pieces) {
      if (response.destroyed) return;
      if (!response.write(piece)) await drain.wait();
    }
    response.end();
  } catch (error) {
    response.destroy();
    throw error;
  } finally {
    drain.end();
    await pieces.return?.();
  }
};
