/** The body of one response that streams events. */

import type { Principal } from '../../auth/principal.ts';
import type { Audience, Following } from './audience.ts';
import type { CredentialHolder, WatchedCredentials } from './credential-watch.ts';

/** Milliseconds that a client waits before it reconnects, sent to it as `retry`. */
const retryMs = 3_000;

/** The owner of a stream. */
export interface StreamKeeper {
  /** The stream is behind the head, and its reader asks for more. */
  catchUp(stream: ChangeStream): void;
  /** Its credentials are valid. */
  onIdentified(stream: ChangeStream, principal: Principal): void;
  onEnd(stream: ChangeStream): void;
}

export interface ChangeStreamParts {
  readonly following: Following;
  readonly credentials: WatchedCredentials;
  readonly audience: Audience;
  /** The caller, as limits count it. */
  readonly caller: string;
  /** Number of the event after which the stream begins. */
  readonly place: number;
  readonly keeper: StreamKeeper;
  /** Cuts the connection. */
  readonly cut: (reason: Error) => void;
}

const over: IteratorResult<Uint8Array, undefined> = { done: true, value: undefined };

const bytes = (text: string): IteratorResult<Uint8Array, undefined> => ({
  done: false,
  value: Buffer.from(text),
});

/**
 * The body of a response that streams events as they happen. It buffers nothing: it accepts events only while the
 * writer of the response waits for more. A slow reader falls behind and then reads from the log on its own.
 */
export class ChangeStream implements AsyncIterableIterator<Uint8Array>, CredentialHolder {
  readonly following: Following;
  readonly credentials: WatchedCredentials;
  readonly caller: string;
  audience: Audience;
  /** The stream has received all events up to this number. */
  place: number;
  /** True if it receives events with the others as they happen. */
  atHead = false;
  /** The time of its next keep-alive comment, by `performance.now()`. */
  due = 0;
  readonly #keeper: StreamKeeper;
  readonly #cut: (reason: Error) => void;
  #resolve: ((taken: IteratorResult<Uint8Array, undefined>) => void) | undefined;
  #begun = false;
  #over = false;

  constructor({ following, credentials, audience, caller, place, keeper, cut }: ChangeStreamParts) {
    this.following = following;
    this.credentials = credentials;
    this.audience = audience;
    this.caller = caller;
    this.place = place;
    this.#keeper = keeper;
    this.#cut = cut;
  }

  get isOver(): boolean {
    return this.#over;
  }

  /** True if events can be sent at once. */
  get isWaiting(): boolean {
    return this.#resolve !== undefined;
  }

  next(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (this.#over) return Promise.resolve(over);
    if (!this.#begun) {
      this.#begun = true;
      // Send the position at once, so that a client who loses the connection before the first event resumes from
      // here.
      return Promise.resolve(bytes(`retry: ${retryMs}\nid: ${this.place}\n\n`));
    }
    return new Promise((resolve) => {
      this.#resolve = resolve;
      if (!this.atHead) this.#keeper.catchUp(this);
    });
  }

  return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#end();
    return Promise.resolve(over);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Records all events up to a number; `frames` are their bytes, only for a stream that is waiting. */
  take(frames: Uint8Array | undefined, place: number): void {
    this.place = place;
    if (frames !== undefined) this.#give({ done: false, value: frames });
  }

  /** Sends a comment that keeps proxies from closing the connection, and the current position. */
  keepAlive(): void {
    if (this.isWaiting) this.#give(bytes(`:\nid: ${this.place}\n\n`));
  }

  onIdentified(principal: Principal): void {
    this.#keeper.onIdentified(this, principal);
  }

  onRevoked(): void {
    this.end('the credentials are no longer valid');
  }

  /**
   * Ends the response. The connection of a client who does not read is cut: it would delay the stop of the service.
   */
  end(reason: string): void {
    if (this.#over) return;
    const isStuck = this.#begun && !this.isWaiting;
    this.#end();
    if (isStuck) this.#cut(new Error(reason));
  }

  #give(taken: IteratorResult<Uint8Array, undefined>): void {
    const resolve = this.#resolve;
    this.#resolve = undefined;
    resolve?.(taken);
  }

  #end(): void {
    if (this.#over) return;
    this.#over = true;
    this.#keeper.onEnd(this);
    this.#give(over);
  }
}
