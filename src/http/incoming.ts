import { Problem } from '../kernel/problem.ts';
import { type BodySender, bringsBody, hungUp, tooLarge } from './body.ts';

/** Bytes that a long body has to bring in each stretch of time that nobody but its caller is waited for. */
const leastProgress = 65_536;

/** Who takes a body as it comes. */
export interface Taker {
  /** Takes a piece. False: no more until `resume`. */
  take(chunk: Buffer): boolean;
  ended(): void;
  /** It will not come whole: it is too large, too slow, or its caller has hung up. */
  failed(problem: Problem): void;
}

export interface IncomingOptions {
  /** Bytes of the whole body. */
  readonly limit: number;
  /** Milliseconds in which some of the body has to come. */
  readonly patience: number;
}

/**
 * A body that is passed on as it comes and never held. It may take longer than others, as long as it gets on: one that
 * brings less than 64 KiB in the time of patience, while somebody waits for it, is cut like any that does not come.
 */
export class Incoming {
  readonly #sender: BodySender;
  readonly #options: IncomingOptions;
  readonly #taker: Taker;
  #timer: NodeJS.Timeout | undefined;
  #size = 0;
  /** Size at the last look. */
  #before = 0;
  /** Whether the taker has kept the caller waiting since the last look. */
  #held = false;

  constructor(sender: BodySender, options: IncomingOptions, taker: Taker) {
    this.#sender = sender;
    this.#options = options;
    this.#taker = taker;
  }

  start(): void {
    const { raw, response, connection } = this.#sender;
    if (Number(raw.headers['content-length']) > this.#options.limit) {
      this.#taker.failed(tooLarge(this.#options.limit));
      return;
    }
    // Node has ended it before anybody saw it.
    if (!bringsBody(raw)) {
      this.#taker.ended();
      return;
    }
    // What has happened already is not told again.
    if (raw.destroyed) {
      this.#taker.failed(hungUp());
      return;
    }
    if (!raw.complete && raw.headers.expect !== undefined && raw.httpVersion === '1.1')
      response.writeContinue();
    connection.uploading = true;
    this.#timer = setInterval(this.#look, this.#options.patience).unref();
    raw.on('data', this.#onData).on('end', this.#onEnd).on('error', this.#onError).on('close', this.#onClose);
    raw.resume();
  }

  resume(): void {
    if (this.#timer !== undefined) this.#sender.raw.resume();
  }

  /** Wants no more of it. What still comes stays where it is, or is thrown away with the answer. */
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
    this.#taker.failed(problem);
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#size += chunk.length;
    if (this.#size > this.#options.limit) {
      this.#fail(tooLarge(this.#options.limit));
      return;
    }
    if (this.#taker.take(chunk) || this.#timer === undefined) return;
    this.#held = true;
    this.#sender.raw.pause();
  };

  readonly #onEnd = (): void => {
    this.stop();
    this.#taker.ended();
  };

  readonly #onError = (error: Error): void => this.#fail(hungUp(error));

  readonly #onClose = (): void => this.#fail(hungUp());

  readonly #look = (): void => {
    const came = this.#size - this.#before;
    const kept = this.#held || this.#sender.raw.isPaused();
    this.#before = this.#size;
    this.#held = false;
    if (came < leastProgress && !kept) this.#fail(new Problem('request_timeout'));
  };
}
