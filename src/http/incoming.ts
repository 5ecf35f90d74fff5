/** A long request body that is passed on as it arrives, with a minimum rate. */

import { Readable } from 'node:stream';
import { Problem } from '../kernel/problem.ts';
import { type BodySender, bringsBody, hungUp, tooLarge } from './body.ts';

/**
 * Bytes of a long body that have to arrive in each interval in which only its caller delays it.
 * @limit Bodies | progress of a body in 30 s, at least | bytes | 408
 */
const minProgressBytes = 65_536;

/** The consumer of a body that is passed on as it arrives. */
export interface BodyConsumer {
  /** Accepts a chunk. Returns false to receive no more until `resume`. */
  write(chunk: Buffer): boolean;
  end(): void;
  /** Called when the body will not be complete: it is too large or too slow, or its caller has hung up. */
  fail(problem: Problem): void;
}

export interface IncomingOptions {
  /** Bytes of the whole body. */
  readonly limit: number;
  /** The interval in which `minProgressBytes` have to arrive. */
  readonly stallTimeoutMs: number;
}

/**
 * A request body that is passed on as it arrives and never held. It may take longer than the request timeout, as long
 * as it makes progress: one that brings less than 64 KiB per interval while its consumer is ready fails.
 */
export class Incoming {
  readonly #sender: BodySender;
  readonly #options: IncomingOptions;
  readonly #consumer: BodyConsumer;
  #timer: NodeJS.Timeout | undefined;
  #size = 0;
  /** Size at the last check. */
  #checkedSize = 0;
  /** True if the consumer has paused the body since the last check. */
  #wasPaused = false;

  constructor(sender: BodySender, options: IncomingOptions, consumer: BodyConsumer) {
    this.#sender = sender;
    this.#options = options;
    this.#consumer = consumer;
  }

  start(): void {
    const { raw, response, connection } = this.#sender;
    if (Number(raw.headers['content-length']) > this.#options.limit) {
      this.#consumer.fail(tooLarge(this.#options.limit));
      return;
    }
    // Node has already ended a request without a body.
    if (!bringsBody(raw)) {
      this.#consumer.end();
      return;
    }
    // The events of a destroyed request have already been emitted.
    if (raw.destroyed) {
      this.#consumer.fail(hungUp());
      return;
    }
    if (!raw.complete && raw.headers.expect !== undefined && raw.httpVersion === '1.1')
      response.writeContinue();
    connection.uploading = true;
    this.#timer = setInterval(this.#check, this.#options.stallTimeoutMs).unref();
    raw.on('data', this.#onData).on('end', this.#onEnd).on('error', this.#onError).on('close', this.#onClose);
    raw.resume();
  }

  resume(): void {
    if (this.#timer !== undefined) this.#sender.raw.resume();
  }

  /** Stops reading. Further bytes stay in the socket, or are discarded with the response. */
  stop(): void {
    if (this.#timer === undefined) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    const { raw, connection } = this.#sender;
    connection.uploading = false;
    raw.pause();
    raw
      .off('data', this.#onData)
      .off('end', this.#onEnd)
      .off('error', this.#onError)
      .off('close', this.#onClose);
  }

  #fail(problem: Problem): void {
    this.stop();
    this.#consumer.fail(problem);
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#size += chunk.length;
    if (this.#size > this.#options.limit) {
      this.#fail(tooLarge(this.#options.limit));
      return;
    }
    if (this.#consumer.write(chunk) || this.#timer === undefined) return;
    this.#wasPaused = true;
    this.#sender.raw.pause();
  };

  readonly #onEnd = (): void => {
    this.stop();
    this.#consumer.end();
  };

  readonly #onError = (error: Error): void => this.#fail(hungUp(error));

  readonly #onClose = (): void => this.#fail(hungUp());

  readonly #check = (): void => {
    const arrivedBytes = this.#size - this.#checkedSize;
    const wasPaused = this.#wasPaused || this.#sender.raw.isPaused();
    this.#checkedSize = this.#size;
    this.#wasPaused = false;
    if (arrivedBytes < minProgressBytes && !wasPaused) this.#fail(new Problem('request_timeout'));
  };
}

/** A body as a stream, received as fast as it is read and never held whole. */
class BodyStream extends Readable {
  readonly #incoming: Incoming;
  #begun = false;

  constructor(sender: BodySender, options: IncomingOptions, confirm?: () => Promise<void>) {
    super();
    const end = (): void => void this.push(null);
    this.#incoming = new Incoming(sender, options, {
      write: (chunk) => this.push(chunk),
      end: () => {
        if (confirm === undefined) end();
        else confirm().then(end, (error: Error) => void this.destroy(error));
      },
      fail: (problem) => void this.destroy(problem),
    });
    // A reader receives the error from its read; without a reader the event must not end the process.
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

/**
 * Returns the body of a request as a stream, which fails with a `Problem`. It ends once `confirm` has resolved, and
 * fails where that rejects.
 */
export const streamBody = (
  sender: BodySender,
  options: IncomingOptions,
  confirm?: () => Promise<void>,
): Readable =>
  bringsBody(sender.raw)
    ? new BodyStream(sender, options, confirm)
    : Readable.from([], { objectMode: false });
