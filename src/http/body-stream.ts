import { Readable } from 'node:stream';
import { Incoming, type IncomingOptions } from './incoming.ts';
import { type BodySender, bringsBody } from './read-body.ts';

/** A body as a stream: taken from its caller as fast as it is read, never held whole. */
class BodyStream extends Readable {
  readonly #incoming: Incoming;
  #begun = false;

  constructor(sender: BodySender, options: IncomingOptions) {
    super();
    this.#incoming = new Incoming(sender, options, {
      take: (chunk) => this.push(chunk),
      ended: () => void this.push(null),
      failed: (problem) => void this.destroy(problem),
    });
    // Whoever reads it is told by the reading; whoever does not shall not bring the process down.
    this.on('error', () => {});
  }

  override _read(): void {
    if (this.#begun) {
      this.#incoming.resume();
      return;
    }
    this.#begun = true;
    this.#incoming.start();
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    this.#incoming.stop();
    callback(error);
  }
}

/** The body of a request as a stream, which fails with the `Problem` that is to be answered. */
export const streamBody = (sender: BodySender, options: IncomingOptions): Readable =>
  bringsBody(sender.raw) ? new BodyStream(sender, options) : Readable.from([], { objectMode: false });
