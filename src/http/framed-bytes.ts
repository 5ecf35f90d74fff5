import type { ServerResponse } from 'node:http';
import { freeBytes, type OwnedBytes } from '../kernel/owned-bytes.ts';

/**
 * A body that is mostly bytes of its own, such as a page of records as the database wrote it. They are neither copied
 * nor left to the garbage collector, which knows of such memory only how much of it there is: some dozens of large
 * answers made it go through the whole heap, for more CPU than everything else that a large page costs.
 */
export class FramedBytes {
  readonly #before: string;
  readonly #bytes: OwnedBytes;
  readonly #after: string;

  constructor(before: string, bytes: OwnedBytes, after: string) {
    this.#before = before;
    this.#bytes = bytes;
    this.#after = after;
  }

  get byteLength(): number {
    return Buffer.byteLength(this.#before) + this.#bytes.byteLength + Buffer.byteLength(this.#after);
  }

  /**
   * Ends a response, whose head is written, with this body: one system call for all of it where the socket takes it. The
   * bytes are freed when they have been sent. @throws Error when called again
   */
  send(response: ServerResponse): void {
    const { socket } = response;
    const bytes = this.#bytes.take();
    response.cork();
    response.write(this.#before);
    response.write(bytes);
    // Called when the operating system has all of it; also when it never will, as the connection is gone.
    response.end(this.#after, () => {
      if (socket?.destroyed !== true) freeBytes(bytes);
    });
  }
}
