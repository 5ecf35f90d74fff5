import type { ServerResponse } from 'node:http';

/**
 * A body that is mostly bytes of its own, such as a page of records as the database wrote it. They are neither copied
 * nor left to the garbage collector, which knows of such memory only how much of it there is: some dozens of large
 * answers made it go through the whole heap, for more CPU than everything else that a large page costs.
 */
export class FramedBytes {
  readonly #before: string;
  readonly #bytes: Uint8Array;
  readonly #after: string;

  /** `bytes` are given away: they are gone when they have been sent. */
  constructor(before: string, bytes: Uint8Array, after: string) {
    this.#before = before;
    this.#bytes = bytes;
    this.#after = after;
  }

  get byteLength(): number {
    return Buffer.byteLength(this.#before) + this.#bytes.byteLength + Buffer.byteLength(this.#after);
  }

  /** Ends a response, whose head is written, with this body: one system call for all of it where the socket takes it. */
  send(response: ServerResponse): void {
    const { socket } = response;
    response.cork();
    response.write(this.#before);
    response.write(this.#bytes);
    // Called when the operating system has all of it; also when it never will, as the connection is gone.
    response.end(this.#after, () => {
      if (socket?.destroyed !== true) this.#free();
    });
  }

  #free(): void {
    const { buffer, byteLength } = this.#bytes;
    // A part of something larger is not ours to free.
    if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
  }
}
